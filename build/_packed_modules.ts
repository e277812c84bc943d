/**
 * Compresses the libraries for language models in a bundle. They are a third of the code, which every start
 * would read, and are used only with a model, which takes a thousand times as long as decompressing them.
 * They form one bundle within the other, imported on first use.
 */

import { pathToFileURL } from "node:url";
import { brotliCompressSync, constants } from "node:zlib";
import { lazyBuiltins } from "./_lazy_builtins.ts";

/** The compressed libraries, and the names that the program imports of each. */
export const packedNames: Readonly<Record<string, readonly string[]>> = {
  "ai": [
    "NoObjectGeneratedError",
    "Output",
    "RetryError",
    "createGateway",
    "dynamicTool",
    "generateText",
    "isStepCount",
    "jsonSchema",
    "wrapLanguageModel",
  ],
  "@ai-sdk/amazon-bedrock": ["createAmazonBedrock"],
  "@ai-sdk/anthropic": ["createAnthropic"],
  "@ai-sdk/google": ["createGoogle"],
  "@ai-sdk/openai": ["createOpenAI"],
  "@aws-sdk/credential-provider-node": ["defaultProvider"],
  "@openrouter/ai-sdk-provider": ["createOpenRouter"],
};

/** Bundles `entry` into one JavaScript file. */
export type Bundler = (entry: string, output: string) => Promise<void>;

/**
 * Writes a module for each library into `directory`, which decompresses the library and exports its names.
 *
 * @returns their paths, for an import map
 */
export async function packedModules(
  directory: string,
  bundle: Bundler,
): Promise<Record<string, string>> {
  const [entry, pack, unpack] = ["libraries.js", "pack.mjs", "unpack.js"]
    .map((name) => `${directory}/${name}`) as [string, string, string];
  const libraries = Object.entries(packedNames);
  const loads = libraries.map(([id]) => `${JSON.stringify(id)}:()=>import(${JSON.stringify(id)})`);
  await Deno.writeTextFile(entry, `export const pack={${loads.join(",")}};\n`);
  await bundle(entry, pack);
  const code = selfless(lazyBuiltins(await Deno.readTextFile(pack)));
  await Deno.writeTextFile(unpack, unpacking(code));
  const places = await Promise.all(libraries.map(async ([id, names], index) => {
    const path = `${directory}/library_${index}.js`;
    await Deno.writeTextFile(path, standIn(id, names));
    return [id, pathToFileURL(path).href];
  }));
  return Object.fromEntries(places);
}

/** Removes the use of `import.meta` from `code`, since a bundle in a bundle has no URL. */
function selfless(code: string): string {
  return code.replaceAll("import.meta.url", '"file:///"');
}

function standIn(id: string, names: readonly string[]): string {
  return `import{unpacked}from"./unpack.js";\n` +
    `export const{${names.join(",")}}=await(await unpacked())[${JSON.stringify(id)}]();\n`;
}

/** Returns a module that imports `code` once. */
function unpacking(code: string): string {
  return `const unpack=async()=>{const bytes=${packedExpression(code)};` +
    `const url=URL.createObjectURL(new Blob([bytes],{type:"text/javascript"}));` +
    `try{return(await import(url)).pack}finally{URL.revokeObjectURL(url)}};\n` +
    `let all;export const unpacked=()=>all??=unpack();\n`;
}

/** Returns an expression for the bytes of `text`. */
function packedExpression(text: string): string {
  return `process.getBuiltinModule("node:zlib").brotliDecompressSync(` +
    `Uint8Array.fromBase64("${brotli(text).toBase64()}"))`;
}

/** Compresses `text`. */
export function brotli(text: string): Uint8Array {
  // The highest level takes twenty times as long for a tenth less
  const params = { [constants.BROTLI_PARAM_QUALITY]: 9 };
  return brotliCompressSync(text, { params });
}
