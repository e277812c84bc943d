/**
 * Compresses the large lists in a bundle. A start reads and hashes the whole file, of which the 200,000
 * tokens for `climax stats` are three quarters, and no server uses them.
 */

/** Lists from this length in characters are compressed. */
const minLength = 100_000;

/** The start and the end of a list that a module of an unminified bundle assigns. */
const beginning = /^ {4}\w+ = (?=\[$)/gm;
const end = "\n    ];\n";

/** Compresses the large lists of `code`, an unminified bundle; each is decompressed when its module runs. */
export async function packedData(code: string): Promise<string> {
  const parts: string[] = [];
  let done = 0;
  for (const match of code.matchAll(beginning)) {
    const from = match.index + match[0].length;
    const to = code.indexOf(end, from) + end.length - ";\n".length;
    if (to - from < minLength) continue;
    const value = await valueOf(code.slice(from, to));
    const bytes = await packedExpression(JSON.stringify(value));
    parts.push(code.slice(done, from), `JSON.parse(${bytes}.toString())`);
    done = to;
  }
  return parts.join("") + code.slice(done);
}

/** The compressed text in the output of {@linkcode packedExpression}. */
export const packedText = /\bfromBase64\("[A-Za-z0-9+/=]{100000,}"\)/g;

/** Removes compressed texts from `code`. A sealed server asks no model and counts no tokens. */
export function withoutPacked(code: string): string {
  return code.replace(packedText, 'fromBase64("")');
}

/** The value of a list of literals; its code comes from the bundler. */
async function valueOf(text: string): Promise<unknown> {
  const url = URL.createObjectURL(
    new Blob([`export default ${text}`], { type: "text/javascript" }),
  );
  try {
    return (await import(url)).default;
  } finally {
    URL.revokeObjectURL(url);
  }
}

/** Returns an expression for the bytes of `text`. */
export async function packedExpression(text: string): Promise<string> {
  return `process.getBuiltinModule("node:zlib").brotliDecompressSync(` +
    `Uint8Array.fromBase64("${(await brotli(text)).toBase64()}"))`;
}

/** Compresses `text`. */
export async function brotli(text: string): Promise<Uint8Array> {
  // A static import would load it on every start
  const { brotliCompressSync, constants } = await import("node:zlib");
  // The highest level takes twenty times as long for a tenth less
  const params = { [constants.BROTLI_PARAM_QUALITY]: 9 };
  return brotliCompressSync(text, { params });
}
