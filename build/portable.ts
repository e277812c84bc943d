/**
 * Builds the portable form, which runs on any system with Deno: `dist/climax.mjs` or the file of `--output`,
 * the whole program in one executable file, and the folder `portable` beside it, which starts faster. The
 * first line of both has the permissions in this task's arguments.
 */

import { join } from "node:path";
import { buildArguments } from "./_arguments.ts";
import { buildPortable } from "./_portable.ts";
import { folderBeside } from "./_portable_folder.ts";
import { say, sayingProblems } from "./_problems.ts";

const { options, flags } = buildArguments(Deno.args, ["output"]);
const file = options.get("output") ?? "dist/climax.mjs";

await sayingProblems(async () => {
  const folder = folderBeside(file);
  await buildPortable({ file, folder, flags });
  const kibibytes = async (path: string) => Math.round((await Deno.stat(path)).size / 1024);
  say(`${file}: ${await kibibytes(file)} KiB`);
  const core = await kibibytes(join(folder, "parts", "core.mjs"));
  say(`${join(folder, "climax.mjs")}: ${core} KiB for a start`);
});
