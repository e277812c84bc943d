/** What the process holds that serving has no use for, given back before the first call. */

const unneeded: readonly Deno.PermissionName[] = ["net", "write", "ffi", "sys"];

/**
 * Gives up the network, writing files, foreign functions and system information for as long as the
 * process lives. Files that are open, such as logs, stay open.
 */
export function dropPermissions(): void {
  for (const name of unneeded) Deno.permissions.revokeSync({ name });
  // Not yet in Deno's types, and an error where the runtime does not know it
  const imports = { name: "import" } as unknown as Deno.PermissionDescriptor;
  try {
    Deno.permissions.revokeSync(imports);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
  }
}
