/**
 * The code of a thread in a bundle: one file of its own, packed, for a thread loads a URL and there is no
 * second file beside a bundle. Every server needs it, so that it is not among what is left out of a sealed one.
 */

import { pathToFileURL } from "node:url";
import { brotli } from "./packed_data.ts";
import { lazyBuiltins } from "./lazy_builtins.ts";
import type { Bundler } from "./packed_modules.ts";

/** The module of the source, and what stands in its place. */
const inSource = "src/worker/_worker_code.ts";
const entry = "src/worker/_worker.ts";

/**
 * Writes a module into `directory` that has the code of a thread, below `root` in the source.
 *
 * @returns where it is, for an import map
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

/** A module with `code` as a URL: one of a blob is none for a thread with a bounded heap. */
async function moduleOf(code: string): Promise<string> {
  const base64 = (await brotli(code)).toBase64();
  return `const unpack=()=>process.getBuiltinModule("node:zlib").brotliDecompressSync(` +
    `process.getBuiltinModule("node:buffer").Buffer.from("${base64}","base64")).toString("base64");\n` +
    `let url;\n` +
    `export const threadUrl=()=>url??="data:text/javascript;base64,"+unpack();\n`;
}
