/**
 * A bundle whose large lists are packed. A start reads and hashes the whole file, though the 200,000
 * tokens of `climax stats` are three quarters of it and no server looks at them.
 */

/** Characters from which a list is packed. */
const minLength = 100_000;

/** How a list begins that a module of an unminified bundle assigns, and how it ends. */
const beginning = /^ {4}\w+ = (?=\[$)/gm;
const end = "\n    ];\n";

/** `code`, an unminified bundle, with its large lists unpacked only when their modules are run. */
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

/** The text in what {@linkcode packedExpression} makes. */
const packedText = /\bfromBase64\("[A-Za-z0-9+/=]{100000,}"\)/g;

/**
 * `code`, with what is packed in it left out. A sealed server asks no model and counts no tokens.
 */
export function withoutPacked(code: string): string {
  return code.replace(packedText, 'fromBase64("")');
}

/** The value of a list of literals, which is code that the bundler wrote. */
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

/** An expression that comes to the bytes of `text`. */
export async function packedExpression(text: string): Promise<string> {
  return `process.getBuiltinModule("node:zlib").brotliDecompressSync(` +
    `Uint8Array.fromBase64("${(await brotli(text)).toBase64()}"))`;
}

/** `text`, packed. */
export async function brotli(text: string): Promise<Uint8Array> {
  // Named at the top, it would be loaded by every start
  const { brotliCompressSync, constants } = await import("node:zlib");
  // Its highest takes twenty times as long for a tenth less
  const params = { [constants.BROTLI_PARAM_QUALITY]: 9 };
  return brotliCompressSync(text, { params });
}
