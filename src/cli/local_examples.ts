/** Finds the requests that `climax enrich` wrote, for every command that searches. */

import { systemPath } from "../io.ts";

/** Its name in the current directory. */
export const examplesFile = "climax.examples.yaml";

/** The path of the file in the current directory; `undefined` when it is missing or may not be read. */
export async function examplesHere(): Promise<string | undefined> {
  try {
    await Deno.stat(systemPath(examplesFile));
    return examplesFile;
  } catch {
    return undefined;
  }
}
