/**
 * Bundles the sources into one module. A start reads and runs less of it: large parts are compressed, and what
 * few functions use is made or loaded on first use. Each change of the code fails where the text that it
 * changes is no longer there.
 */

import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import manifest from "../deno.json" with { type: "json" };
import { bundledNames } from "../src/sources/command/bundled.ts";
import { builtConfigs } from "./_compiled_configs.ts";
import { runDeno } from "./_deno.ts";
import { requireDisposal } from "./_disposal.ts";
import { lazyBuiltins } from "./_lazy_builtins.ts";
import { lazySchemas } from "./_lazy_schemas.ts";
import { lazyValidator } from "./_lazy_validator.ts";
import { packedModules, packedText } from "./_packed_modules.ts";
import { packedThreads, threads } from "./_packed_thread.ts";
import { notBuilt } from "./_problems.ts";
import { asciiOf } from "./_script.ts";

/** Returns the program as one minified module. @throws {ClimaxError} when it cannot be bundled */
export async function minifiedProgram({ code, minify }: ProgramBundle): Promise<string> {
  const short = await minify(code);
  requireDisposal(code, short);
  return short;
}

/**
 * Zod generates code for each schema it uses, which takes longer than using the schema as often as most
 * servers do: 3 ms of a start, against 15 µs of a call.
 */
export const zodSettings = "globalThis.__zod_globalConfig={jitless:true};\n";

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
    const root = new URL("../", import.meta.url);
    await installPackages(root);
    const [settings, entry, whole, short] = ["settings.js", "entry.js", "whole.mjs", "short.mjs"]
      .map((name) => `${directory}/${name}`) as [string, string, string, string];
    const main = JSON.stringify(new URL("main.ts", root).href);
    await Deno.writeTextFile(settings, zodSettings);
    await Deno.writeTextFile(entry, `import "./settings.js";\nimport ${main};\n`);
    const minified = async (entry: string, output: string) => {
      await bundle(entry, output, { root, minify: true });
      await Deno.writeTextFile(output, placeless(await Deno.readTextFile(output), directory));
    };
    // In sequence: the first use downloads the bundler, which fails when two do it at once
    const packed = await packedModules(directory, minified);
    const threads = await packedThreads(directory, root, minified);
    const imports = `${directory}/imports.json`;
    const replaced = { ...packed, ...threads, ...await builtConfigs(directory, root) };
    await Deno.writeTextFile(
      imports,
      JSON.stringify({ imports: { ...manifest.imports, ...replaced } }),
    );
    await bundle(entry, whole, { root, imports });
    const text = placeless(await Deno.readTextFile(whole), directory);
    requireModules(text);
    return await use({
      code: lazySchemas(lazyValidator(text)),
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

/** Checks that `code` has the modules that stand for others. @throws {ClimaxError} when one is missing */
function requireModules(code: string): void {
  const texts: [what: string, text: RegExp, count: number][] = [
    ["libraries for language models", packedText, 1],
    ["threads", /"data:text\/javascript;base64,"/g, threads.length],
    ["configs", /\{\\?"text\\?":/g, bundledNames.size],
  ];
  for (const [what, text, count] of texts) {
    const found = code.match(text)?.length ?? 0;
    if (found !== count) {
      throw notBuilt(`The bundle has ${found} of ${count} compressed: ${what}`);
    }
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
