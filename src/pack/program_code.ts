/** Returns the code of the running program, in any form of the program. */

import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import manifest from "../../deno.json" with { type: "json" };
import { buildForm, partsFolder } from "../process/build_info.ts";
import { ClimaxError, ExitCode, messageOf } from "../errors.ts";
import { asciiOf } from "./ascii.ts";
import { runDeno } from "./deno.ts";
import { requireDisposal } from "./disposal.ts";
import { lazyBuiltins } from "./lazy_builtins.ts";
import { lazySchemas } from "./lazy_schemas.ts";
import { lazyValidator } from "./lazy_validator.ts";
import { packedData } from "./packed_data.ts";
import { packedModules } from "./packed_modules.ts";
import { packedThreads } from "./packed_thread.ts";
import { codeOf } from "./script.ts";

/**
 * Returns the bundled code of this program as one module: from source with Deno's bundler, from a bundle by
 * reading it.
 *
 * @throws {ClimaxError} when it cannot be bundled or read
 */
export async function programCode(): Promise<string> {
  if (buildForm() === "source") {
    return await bundleProgram(async ({ code, minify }) => {
      const short = await minify(code);
      requireDisposal(code, short);
      return short;
    });
  }
  const parts = partsFolder();
  return parts === undefined ? codeOf(await readSelf()) : await unpackedCode(parts);
}

/**
 * Zod generates code for each schema it uses, which takes longer than using the schema as often as most
 * servers do: 3 ms of a start, against 15 µs of a call.
 */
const zodSettings = "globalThis.__zod_globalConfig={jitless:true};\n";

/** The program as one module, before it is minified. */
export interface ProgramBundle {
  readonly code: string;
  /** Minifies `code`, which may import the modules `others`, and defers modules of Node.js. */
  minify(code: string, others?: readonly string[]): Promise<string>;
}

/** Bundles the sources for `use`. Parts to defer can be recognised only before minifying. */
export async function bundleProgram<T>(use: (bundle: ProgramBundle) => Promise<T>): Promise<T> {
  const directory = await Deno.makeTempDir({ prefix: "climax-" });
  try {
    const root = new URL("../../", import.meta.url);
    await installPackages(root);
    const [configs, entry, whole, short] = ["configs.js", "entry.js", "whole.mjs", "short.mjs"]
      .map((name) => `${directory}/${name}`) as [string, string, string, string];
    const main = JSON.stringify(new URL("main.ts", root).href);
    // Config readers are loaded only where there is a bundle to make
    const { compiledConfigs, lazyTexts } = await import("./compiled_configs.ts");
    await Deno.writeTextFile(configs, zodSettings + await compiledConfigs());
    await Deno.writeTextFile(entry, `import "./configs.js";\nimport ${main};\n`);
    const minified = async (entry: string, output: string) => {
      await bundle(entry, output, { root, minify: true });
      await Deno.writeTextFile(output, placeless(await Deno.readTextFile(output), directory));
    };
    // In sequence: the first use downloads the bundler, which fails when two do it at once
    const packed = await packedModules(directory, minified);
    const threads = await packedThreads(directory, root, minified);
    const imports = `${directory}/imports.json`;
    const replaced = { ...packed, ...threads, ...await lazyTexts(directory, root) };
    await Deno.writeTextFile(
      imports,
      JSON.stringify({ imports: { ...manifest.imports, ...replaced } }),
    );
    await bundle(entry, whole, { root, imports });
    const text = placeless(await Deno.readTextFile(whole), directory);
    const code = lazySchemas(lazyValidator(text));
    return await use({
      code: await packedData(code),
      async minify(code, others = []) {
        await Deno.writeTextFile(whole, code);
        await bundle(whole, short, { root, minify: true, others });
        return asciiOf(lazyBuiltins(await Deno.readTextFile(short)));
      },
    });
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

/** Downloads every package: a start has what it used, and the bundler cannot resolve one that is missing. */
async function installPackages(root: URL): Promise<void> {
  await runDeno(["install", "--quiet", "--config", fileURLToPath(new URL("deno.json", root))], {
    cwd: fileURLToPath(root),
    hint: "A build from source takes all packages of the project: look at the way to the registry",
  });
}

/**
 * Removes the temporary `directory` and the folder of packages from the names of modules in `code`, so that
 * builds are the same, and tell nothing of the machine.
 */
function placeless(code: string, directory: string): string {
  return code.replaceAll(new RegExp(`"[^"\\n]*/${basename(directory)}/`, "g"), '"')
    .replaceAll(/"(?:\.\.\/)+[^"\n]*?\/npm\/[^"/\n]+\//g, '"npm/');
}

interface BundleOptions {
  readonly root: URL;
  readonly minify?: boolean;
  /** Path of an import map that replaces the project's. */
  readonly imports?: string;
  /** Modules that stay imports. */
  readonly others?: readonly string[];
}

async function bundle(
  entry: string,
  output: string,
  { root, minify = false, imports, others = [] }: BundleOptions,
): Promise<void> {
  const config = fileURLToPath(new URL("deno.json", root));
  const flags = [
    "--quiet",
    "--config",
    config,
    ...(minify ? ["--minify"] : []),
    ...(imports === undefined ? [] : ["--import-map", imports]),
    ...others.flatMap((name) => ["--external", name]),
  ];
  await runDeno(["bundle", ...flags, "--output", output, entry], {
    cwd: fileURLToPath(root),
    hint: "The bundler (npm:esbuild) is downloaded when it is used for the first time",
  });
}

/** The file of the parts with the program as one module, compressed. */
export const packedCodeFile = "program.mjs.br";

async function unpackedCode(parts: URL): Promise<string> {
  const { brotliDecompressSync } = await import("node:zlib");
  return brotliDecompressSync(await readOwn(new URL(packedCodeFile, parts), Deno.readFile))
    .toString();
}

async function readSelf(): Promise<string> {
  return await readOwn(new URL(import.meta.url), Deno.readTextFile);
}

async function readOwn<T>(url: URL, read: (path: string) => Promise<T>): Promise<T> {
  try {
    return await read(fileURLToPath(url));
  } catch (error) {
    const message = `The program cannot read its own code: ${messageOf(error)}`;
    const hint = "Use the portable form (climax.mjs) or the source to build a server";
    throw new ClimaxError("Nothing was built", ExitCode.file, [{ message, hint }]);
  }
}
