/**
 * Builds the portable form, which runs on any system with Deno: `dist/climax.mjs` or the file of `--output`, the whole
 * program in one executable file. The folder `portable` beside it has the same file, since scripts name that path. The
 * first line has the permissions in this task's arguments.
 */

import { dirname, join } from "node:path";
import { buildArguments } from "./_arguments.ts";
import { buildPortable } from "./_portable.ts";
import { say, sayingProblems } from "./_problems.ts";

const { options, flags } = buildArguments(Deno.args, ["output"]);
const file = options.get("output") ?? "dist/climax.mjs";

await sayingProblems(async () => {
  say(`${file}: bundling, the first time for a minute`);
  await buildPortable(file, flags);
  const folder = join(dirname(file), "portable");
  await Deno.remove(folder, { recursive: true }).catch(() => {});
  await Deno.mkdir(folder);
  await Deno.copyFile(file, join(folder, "climax.mjs"));
  say(`${file}: ${Math.round((await Deno.stat(file)).size / 1024)} KiB`);
});
