/**
 * Builds the portable form, `dist/climax.mjs`: the whole program in one executable file that runs
 * wherever Deno is, with the permissions that are this task's arguments in its first line.
 */

import { portableScript } from "../src/seal/script.ts";
import { programCode } from "../src/seal/program_code.ts";

const output = "dist/climax.mjs";

await Deno.mkdir("dist", { recursive: true });
await Deno.writeTextFile(
  output,
  portableScript(await programCode(), { built: "portable" }, Deno.args),
);
await Deno.chmod(output, 0o755);
const { size } = await Deno.stat(output);
Deno.stdout.writeSync(new TextEncoder().encode(`${output}: ${Math.round(size / 1024)} KiB\n`));
