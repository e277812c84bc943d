/** Returns the code of the running program as one module, in any form of the program. */

import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import manifest from "../../deno.json" with { type: "json" };
import { buildForm } from "../process/build_info.ts";
import { ClimaxError, ExitCode, messageOf } from "../errors.ts";
import { asciiOf } from "./ascii.ts";
import { runDeno } from "./deno.ts";
import { requireDisposal } from "./disposal.ts";
import { lazyBuiltins } from "./lazy_builtins.ts";
import { lazyValidator } from "./lazy_validator.ts";
import { packedData } from "./packed_data.ts";
import { packedModules } from "./packed_modules.ts";
import { packedThreads } from "./packed_thread.ts";
import { codeOf } from "./script.ts";

/**
 * Returns the bundled code of this program: from source with Deno's bundler, from a bundle by reading it.
 *
 * @throws {ClimaxError} when it cannot be bundled or read
 */
export async function programCode(): Promise<string> {
  return buildForm() === "source" ? await bundleSource() : codeOf(await readSelf());
}

/**
 * Zod generates code for each schema it uses, which takes longer than using the schema as often as most
 * servers do: 3 ms of a start, against 15 µs of a call.
 */
const zodSettings = "globalThis.__zod_globalConfig={jitless:true};\n";

/** Bundles twice: parts to defer can be recognised only before minifying. */
async function bundleSource(): Promise<string> {
  const directory = await Deno.makeTempDir({ prefix: "climax-" });
  try {
    const root = new URL("../../", import.meta.url);
    const [configs, entry, whole, short] = ["configs.js", "entry.js", "whole.mjs", "short.mjs"]
      .map((name) => `${directory}/${name}`) as [string, string, string, string];
    const main = JSON.stringify(new URL("main.ts", root).href);
    // Config readers are loaded only where there is a bundle to make
    const { compiledConfigs } = await import("./compiled_configs.ts");
    await Deno.writeTextFile(configs, zodSettings + await compiledConfigs());
    await Deno.writeTextFile(entry, `import "./configs.js";\nimport ${main};\n`);
    const minified = (entry: string, output: string) =>
      bundle(entry, output, { root, minify: true });
    // In sequence: the first use downloads the bundler, which fails when two do it at once
    const packed = await packedModules(directory, minified);
    const threads = await packedThreads(directory, root, minified);
    const imports = `${directory}/imports.json`;
    await Deno.writeTextFile(
      imports,
      JSON.stringify({ imports: { ...manifest.imports, ...packed, ...threads } }),
    );
    await bundle(entry, whole, { root, imports });
    const code = lazyValidator(placeless(await Deno.readTextFile(whole), directory));
    await Deno.writeTextFile(whole, await packedData(code));
    await bundle(whole, short, { root, minify: true });
    const shortened = await Deno.readTextFile(short);
    requireDisposal(code, shortened);
    return asciiOf(lazyBuiltins(shortened));
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

/** Removes the name of the temporary `directory` from `code`, so that builds are the same. */
function placeless(code: string, directory: string): string {
  return code.replaceAll(new RegExp(`"[^"\\n]*/${basename(directory)}/`, "g"), '"');
}

interface BundleOptions {
  readonly root: URL;
  readonly minify?: boolean;
  /** Path of an import map that replaces the project's. */
  readonly imports?: string;
}

async function bundle(
  entry: string,
  output: string,
  { root, minify = false, imports }: BundleOptions,
): Promise<void> {
  const config = fileURLToPath(new URL("deno.json", root));
  const flags = [
    "--quiet",
    "--config",
    config,
    ...(minify ? ["--minify"] : []),
    ...(imports === undefined ? [] : ["--import-map", imports]),
  ];
  await runDeno(["bundle", ...flags, "--output", output, entry], {
    cwd: fileURLToPath(root),
    hint: "The bundler (npm:esbuild) is downloaded when it is used for the first time",
  });
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
