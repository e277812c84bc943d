/** Bundles the program into one module by esbuild. What a start puts off stands in `_plugins.ts`. */

import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build, type BuildFailure, type BuildOptions, stop } from "esbuild";
import manifest from "../deno.json" with { type: "json" };
import { runDeno } from "./_deno.ts";
import {
  builtConfigs,
  lazyBuiltins,
  lazySchemas,
  lazyValidator,
  packedLibraries,
  packedThreads,
} from "./_plugins.ts";
import { notBuilt } from "./_problems.ts";
import { asciiOf } from "./_script.ts";

const root = fileURLToPath(new URL("../", import.meta.url));

/**
 * Zod generates code for each schema it uses, which takes longer than using the schema as often as most
 * servers do: 3 ms of a start, against 15 µs of a call.
 */
const zodSettings = "globalThis.__zod_globalConfig={jitless:true};\n";

/** Bundles the sources into the code of one module. @throws {ClimaxError} when esbuild or a plugin fails */
export async function bundleProgram(): Promise<string> {
  const plugins = [lazySchemas, lazyValidator, packedLibraries, packedThreads, builtConfigs];
  return await bundleModule(join(root, "main.ts"), { banner: { js: zodSettings }, plugins });
}

/** Bundles the module of `entry`, which runs on Deno without packages beside it. */
export async function bundleModule(entry: string, options: BuildOptions = {}): Promise<string> {
  const nodePaths = [await installPackages()];
  try {
    const { outputFiles } = await build({
      ...{ bundle: true, minify: true, write: false, format: "esm", platform: "node" },
      ...{ target: "esnext", conditions: ["deno"], logLevel: "silent" },
      // What packages have for "main" may hide what it requires
      mainFields: ["module", "main"],
      ...options,
      nodePaths,
      absWorkingDir: root,
      entryPoints: [entry],
      plugins: [lazyBuiltins, ...options.plugins ?? []],
    });
    return asciiOf(outputFiles![0]!.text);
  } catch (error) {
    const [first] = (error as BuildFailure).errors ?? [];
    if (first === undefined) throw error;
    const { file, line } = first.location ?? {};
    throw notBuilt(`${file === undefined ? "" : `${file}:${line}: `}${first.text}`);
  } finally {
    await stop();
  }
}

/** Installs the packages of the program where esbuild finds them, with the versions of the lock file. */
async function installPackages(): Promise<string> {
  const folder = join(root, "dist", "packages");
  await Deno.mkdir(folder, { recursive: true });
  const settings = { nodeModulesDir: "auto", imports: manifest.imports };
  await Deno.writeTextFile(join(folder, "deno.json"), JSON.stringify(settings));
  await Deno.copyFile(join(root, "deno.lock"), join(folder, "deno.lock"));
  await runDeno(["install", "--quiet", "--frozen"], {
    cwd: folder,
    hint: "A build from source takes all packages of the project: look at the way to the registry",
  });
  return join(folder, "node_modules");
}
