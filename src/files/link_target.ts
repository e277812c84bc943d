/** Where a path leads through links, also when there is no file at the end of them yet. */

import { basename, dirname, join, resolve } from "node:path";

/** Links that are followed one after the other, as Linux bounds it (`MAXSYMLINKS`). */
const maxLinks = 40;

/** The absolute path that a file written to `path` would have. @throws {Error} for links in a circle */
export async function linkTarget(path: string): Promise<string> {
  let end = resolve(path);
  for (let count = 0; count < maxLinks; count++) {
    end = join(await realFolder(dirname(end)), basename(end));
    const isLink = await Deno.lstat(end).then((it) => it.isSymlink, () => false);
    if (!isLink) return end;
    end = resolve(dirname(end), await Deno.readLink(end));
  }
  throw new Error("the links from here lead nowhere");
}

/** `folder` without links, as far as it is there yet. */
async function realFolder(folder: string): Promise<string> {
  try {
    return await Deno.realPath(folder);
  } catch (error) {
    const above = dirname(folder);
    if (!(error instanceof Deno.errors.NotFound) || above === folder) throw error;
    // A link to a folder that is not there is followed, as the system would once it is
    return await linkTarget(folder);
  }
}
