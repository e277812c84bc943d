/**
 * Builds the binary, `dist/climax` or what `--output` names, from the portable form (`--script`), with
 * the permissions that are this task's arguments; `--target T` builds for another system.
 */

import { ClimaxError, formatProblem } from "../src/errors.ts";
import { compileBinary } from "../src/pack/compile_binary.ts";
import { buildArguments } from "./_arguments.ts";

const { options, flags } = buildArguments(Deno.args, ["output", "script", "target"]);
const target = options.get("target");
const windows = target?.includes("windows") ?? Deno.build.os === "windows";
// Deno adds the ending by itself, and only where it is missing
const output = options.get("output") ?? (windows ? "dist/climax.exe" : "dist/climax");
const print = (text: string) => Deno.stderr.writeSync(new TextEncoder().encode(`${text}\n`));

try {
  await compileBinary(options.get("script") ?? "dist/climax.mjs", {
    output,
    flags,
    ...(target === undefined ? {} : { target }),
  });
  print(`${output}: ${Math.round(Deno.statSync(output).size / 1024 / 1024)} MiB`);
} catch (error) {
  if (!(error instanceof ClimaxError)) throw error;
  for (const problem of error.problems) print(formatProblem(problem));
  Deno.exitCode = error.exitCode;
}
