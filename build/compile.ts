/**
 * Builds the binary, `dist/climax`, from the portable form, with the permissions that are this
 * task's arguments; `--target T` builds for another system.
 */

import { ClimaxError, formatProblem } from "../src/errors.ts";
import { compileBinary } from "../src/seal/compile_binary.ts";

const target = Deno.args.indexOf("--target");
const flags = target === -1 ? Deno.args : Deno.args.toSpliced(target, 2);
const print = (text: string) => Deno.stderr.writeSync(new TextEncoder().encode(`${text}\n`));

try {
  const output = "dist/climax";
  await compileBinary("dist/climax.mjs", {
    output,
    flags,
    ...(target === -1 ? {} : { target: Deno.args[target + 1] ?? "" }),
  });
  const file = [output, `${output}.exe`].find((path) => Deno.statSync(path).isFile) ?? output;
  print(`${file}: ${Math.round(Deno.statSync(file).size / 1024 / 1024)} MiB`);
} catch (error) {
  if (!(error instanceof ClimaxError)) throw error;
  for (const problem of error.problems) print(formatProblem(problem));
  Deno.exitCode = error.exitCode;
}
