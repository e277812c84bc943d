/** Revokes the permissions that serving does not need, before the first call. */

import { io } from "../io.ts";

/** Permissions to keep: a kind that is missing or empty is revoked. */
export interface KeptPermissions {
  readonly net?: readonly string[] | "all";
  readonly write?: readonly string[];
}

/**
 * Revokes the network and writing files, unless they are `kept`, and FFI and system information, until the
 * process ends. Files that are open, such as logs, stay open.
 */
export function dropPermissions(kept: KeptPermissions = {}): void {
  const unneeded: Deno.PermissionName[] = ["ffi", "sys"];
  for (const name of ["net", "write"] as const) {
    if ((kept[name] ?? []).length === 0) unneeded.push(name);
  }
  for (const name of unneeded) io().permissions.revokeSync({ name });
  // Not yet in Deno's types, and an error where the runtime does not know it
  const imports = { name: "import" } as unknown as Deno.PermissionDescriptor;
  try {
    io().permissions.revokeSync(imports);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
  }
}
