/** Tells by paths alone what lies in a folder. */

import { sep } from "node:path";

/** Returns whether `path` is `folder`, or in it. Both are absolute, as the system resolves them. */
export function contains(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}
