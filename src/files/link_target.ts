/** Follows the links of a path, even when the file at their end does not exist yet. */

import { basename, dirname, join, resolve } from "node:path";
import { systemPath } from "../io.ts";

/** Links that are followed in a row, the bound of Linux (`MAXSYMLINKS`). */
const maxLinks = 40;

/** The absolute path that a file written to `path` would have. @throws {Error} for links in a circle */
export async function linkTarget(path: string): Promise<string> {
  let end = resolve(systemPath(path));
  for (let count = 0; count < maxLinks; count++) {
    end = join(await realFolder(dirname(end)), basename(end));
    const isLink = await Deno.lstat(end).then((it) => it.isSymlink, () => false);
    if (!isLink) return end;
    end = resolve(dirname(end), await Deno.readLink(end));
  }
  throw new Error("the links from here lead nowhere");
}

/** Resolves the links of `folder`, as far as it exists. */
async function realFolder(folder: string): Promise<string> {
  try {
    return await Deno.realPath(folder);
  } catch (error) {
    const above = dirname(folder);
    if (!(error instanceof Deno.errors.NotFound) || above === folder) throw error;
    // A link to a missing folder is followed as the system would once the folder exists
    return await linkTarget(folder);
  }
}
