/**
 * Compresses the code of a worker into a bundle: a worker loads a URL, and there is no second file beside a
 * bundle. A sealed server keeps it, since every server needs it.
 */

import { pathToFileURL } from "node:url";
import { brotli } from "./packed_data.ts";
import { lazyBuiltins } from "./lazy_builtins.ts";
import type { Bundler } from "./packed_modules.ts";

/** The module in the sources, and its replacement. */
const inSource = "src/worker/_worker_code.ts";
const entry = "src/worker/_worker.ts";

/**
 * Writes a module with the code of a worker into `directory`; `root` has the sources.
 *
 * @returns its path, for an import map
 */
export async function packedThread(
  directory: string,
  root: URL,
  bundle: Bundler,
): Promise<Record<string, string>> {
  const [code, path] = [`${directory}/thread.mjs`, `${directory}/thread.js`];
  await bundle(new URL(entry, root).href, code);
  await Deno.writeTextFile(path, await moduleOf(lazyBuiltins(await Deno.readTextFile(code))));
  return { [new URL(inSource, root).href]: pathToFileURL(path).href };
}

/** A module with `code` as a data URL: a worker with a bounded heap does not load a blob URL. */
async function moduleOf(code: string): Promise<string> {
  const base64 = (await brotli(code)).toBase64();
  return `const unpack=()=>process.getBuiltinModule("node:zlib").brotliDecompressSync(` +
    `process.getBuiltinModule("node:buffer").Buffer.from("${base64}","base64")).toString("base64");\n` +
    `let url;\n` +
    `export const threadUrl=()=>url??="data:text/javascript;base64,"+unpack();\n`;
}
