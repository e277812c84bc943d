/** Programs of npm and PyPI for tests, each set installed once for all tests of a person. */

import { join } from "node:path";
import { cacheFolder } from "../src/process/folders.ts";
import { exists } from "./e2e/_scratch.ts";

/** A person's own: what is below `/tmp` may be another's, who then chooses what the tests start. */
const sets = join(cacheFolder() ?? await Deno.makeTempDir(), "tests");

/** The command `bin` of packages of npm; `name` names the set and its versions. */
export async function npmProgram(
  name: string,
  packages: readonly string[],
  bin: string,
): Promise<string> {
  const folder = await installed(name, (part) => {
    const npm = Deno.build.os === "windows" ? "npm.cmd" : "npm";
    return [npm, "install", "--no-audit", "--no-fund", "--prefix", part, ...packages];
  });
  return join(folder, "node_modules", ".bin", bin);
}

/** Into a folder of its own first: tests that run at once do not see half of it. */
async function installed(
  name: string,
  commandFor: (part: string) => [string, ...string[]],
): Promise<string> {
  const folder = join(sets, name);
  if (await exists(folder)) return folder;
  await Deno.mkdir(sets, { recursive: true, mode: 0o700 });
  const part = await Deno.makeTempDir({ dir: sets, prefix: "part-" });
  const [program, ...args] = commandFor(part);
  const { success, stderr } = await new Deno.Command(program, { args, stdout: "null" }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  try {
    await Deno.rename(part, folder);
  } catch (error) {
    if (!await exists(folder)) throw error;
    await Deno.remove(part, { recursive: true });
  }
  return folder;
}
