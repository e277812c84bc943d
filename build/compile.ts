/**
 * Builds the binary, `dist/climax` or the file of `--output`, from the portable form (`--script`), with the
 * permissions in this task's arguments; `--target T` builds for another system.
 */

import { compileBinary } from "./_deno.ts";
import { buildArguments } from "./_arguments.ts";
import { say, sayingProblems } from "./_problems.ts";

const { options, flags } = buildArguments(Deno.args, ["output", "script", "target"]);
const target = options.get("target");
const windows = target?.includes("windows") ?? Deno.build.os === "windows";
// Deno appends the extension when it is missing
const output = options.get("output") ?? (windows ? "dist/climax.exe" : "dist/climax");

await sayingProblems(async () => {
  await compileBinary(options.get("script") ?? "dist/climax.mjs", {
    output,
    flags,
    ...(target === undefined ? {} : { target }),
  });
  say(`${output}: ${Math.round(Deno.statSync(output).size / 1024 / 1024)} MiB`);
});
