/** The permissions of this process: which it has, which it gives up before the first call, and the remedy for a missing one. */

import { resolve } from "node:path";
import { io, systemPath } from "../io.ts";

/** Permissions to keep: a kind that is missing or empty is revoked. */
interface KeptPermissions {
  readonly net?: readonly string[] | "all";
  readonly write?: readonly string[];
}

/** Revokes network and writing unless `kept`, and FFI and sys. Files that are open stay open. */
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

/** Whether this process may read a path, without a question to the person. */
export function mayRead(path: string): boolean {
  return Deno.permissions.querySync({ name: "read", path }).state === "granted";
}

/** Names the `flags` that allow the file at `path`, such as `--allow-read`, or says that none does. */
export function allowHint(path: string, ...flags: readonly string[]): string {
  // There Deno opens only a few devices, unless it has every permission
  if (Deno.build.os === "linux" && /^\/(?:dev|proc|sys)(?:\/|$)/.test(resolve(systemPath(path)))) {
    return "Files in /dev, /proc and /sys are not opened: name another file";
  }
  return `Allow it: ${flags.map((flag) => `${flag}=${path}`).join(" ")}`;
}
