/** Paths that the sandboxes of this process name, so that each of them keeps those of the others in their places. */

const named = new Set<string>();

/** Has all sandboxes that are made from now on hold the paths of this one. */
export function holdInPlace(
  { write, read }: { readonly write: readonly string[]; readonly read: readonly string[] },
): void {
  for (const path of [...write, ...read]) if (path !== "/") named.add(path);
}

/** Absolute paths, links resolved. */
export function heldPaths(): Iterable<string> {
  return named;
}
