/**
 * Finds the project's file in the current folder. Its documented name is `tamamo-x.config.json`, from the
 * program that grouping tools came from; a new one is called `climax.json`.
 */

import { systemPath } from "../io.ts";
import { log } from "../log.ts";

/** The name of a new file. */
export const projectFileName = "climax.json";

/** The documented name, which is preferred where such a file exists. */
export const documentedFileName = "tamamo-x.config.json";

/** The path of the project's file, even if there is none yet. */
export async function defaultProjectFile(): Promise<string> {
  const [isDocumented, isShort] = await Promise.all(
    [documentedFileName, projectFileName].map(isThere),
  );
  if (isDocumented && isShort) {
    log(
      "warning",
      `${documentedFileName} is read, and ${projectFileName} beside it is not: keep one`,
    );
  }
  return isDocumented ? documentedFileName : projectFileName;
}

async function isThere(name: string): Promise<boolean> {
  return await Deno.stat(systemPath(name)).then(({ isFile }) => isFile, () => false);
}
