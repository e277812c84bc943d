/** The code of the program that is running, as one module, whichever form it runs in. */

import { fileURLToPath } from "node:url";
import { buildForm } from "../process/build_info.ts";
import { ClimaxError, ExitCode, messageOf } from "../errors.ts";
import { asciiOf } from "./ascii.ts";
import { runDeno } from "./deno.ts";
import { lazyBuiltins } from "./lazy_builtins.ts";
import { codeOf } from "./script.ts";

/**
 * The bundled code of this program: from source by Deno's bundler, from a bundle by reading it.
 *
 * @throws {ClimaxError} when it cannot be bundled or read
 */
export async function programCode(): Promise<string> {
  return buildForm() === "source" ? await bundleSource() : codeOf(await readSelf());
}

async function bundleSource(): Promise<string> {
  const directory = await Deno.makeTempDir({ prefix: "climax-" });
  try {
    const root = fileURLToPath(new URL("../../", import.meta.url));
    const output = `${directory}/climax.mjs`;
    await runDeno(["bundle", "--quiet", "--minify", "--output", output, "main.ts"], {
      cwd: root,
      hint: "The bundler (npm:esbuild) is downloaded when it is used for the first time",
    });
    return asciiOf(lazyBuiltins(await Deno.readTextFile(output)));
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

async function readSelf(): Promise<string> {
  const path = fileURLToPath(import.meta.url);
  try {
    return await Deno.readTextFile(path);
  } catch (error) {
    const message = `The program cannot read its own code: ${messageOf(error)}`;
    const hint = "Use the portable form (climax.mjs) or the source to build a server";
    throw new ClimaxError("Nothing was built", ExitCode.file, [{ message, hint }]);
  }
}
