/**
 * Builds the portable form, `dist/climax.mjs` or the file of `--output`: the whole program in one
 * executable file that runs on any system with Deno. Its first line has the permissions in this task's
 * arguments.
 */

import { dirname } from "node:path";
import { portableScript } from "../src/pack/script.ts";
import { programCode } from "../src/pack/program_code.ts";
import { buildArguments } from "./_arguments.ts";
import { sayingProblems } from "./_problems.ts";

const { options, flags } = buildArguments(Deno.args, ["output"]);
const output = options.get("output") ?? "dist/climax.mjs";

await sayingProblems(async () => {
  const script = portableScript(await programCode(), { built: "portable" }, flags);
  await Deno.mkdir(dirname(output), { recursive: true });
  await Deno.writeTextFile(output, script);
  if (Deno.build.os !== "windows") await Deno.chmod(output, 0o755);
  const { size } = await Deno.stat(output);
  Deno.stdout.writeSync(new TextEncoder().encode(`${output}: ${Math.round(size / 1024)} KiB\n`));
});
