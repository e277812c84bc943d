/** Where the requests are that `climax enrich` wrote, for every command that searches. */

/** Its name, seen from the current directory. */
export const examplesFile = "climax.examples.yaml";

/** The file in the current directory; nothing when it is not there, or may not be looked at. */
export async function examplesHere(): Promise<string | undefined> {
  try {
    await Deno.stat(examplesFile);
    return examplesFile;
  } catch {
    return undefined;
  }
}
