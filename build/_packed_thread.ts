/**
 * Compresses the code of each kind of thread into a bundle: a worker loads a URL, and there is no second file beside a
 * bundle.
 */

import { pathToFileURL } from "node:url";
import { lazyBuiltins } from "./_lazy_builtins.ts";
import { brotli, type Bundler } from "./_packed_modules.ts";

/** The modules in the sources that locate the code of a thread, each with that code. */
export const threads = [
  ["src/worker/_worker_code.ts", "src/worker/_worker.ts"],
  ["src/sources/scripts/_thread_code.ts", "src/sources/scripts/_thread.ts"],
] as const;

/**
 * Writes a module with the code of each kind of thread into `directory`; `root` has the sources.
 *
 * @returns their paths, for an import map
 */
export async function packedThreads(
  directory: string,
  root: URL,
  bundle: Bundler,
): Promise<Record<string, string>> {
  const places: Record<string, string> = {};
  for (const [index, [inSource, entry]] of threads.entries()) {
    const [code, path] = [`${directory}/thread_${index}.mjs`, `${directory}/thread_${index}.js`];
    await bundle(new URL(entry, root).href, code);
    await Deno.writeTextFile(path, moduleOf(lazyBuiltins(await Deno.readTextFile(code))));
    places[new URL(inSource, root).href] = pathToFileURL(path).href;
  }
  return places;
}

/** A module with `code` as a data URL: a worker with a bounded heap does not load a blob URL. */
function moduleOf(code: string): string {
  const base64 = brotli(code).toBase64();
  return `const unpack=()=>process.getBuiltinModule("node:zlib").brotliDecompressSync(` +
    `process.getBuiltinModule("node:buffer").Buffer.from("${base64}","base64")).toString("base64");\n` +
    `let url;\n` +
    `export const threadUrl=()=>url??="data:text/javascript;base64,"+unpack();\n`;
}
