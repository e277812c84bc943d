/** Splits a byte stream into lines of bounded length. */

const newline = 10;

/**
 * Yields the lines of `reader` without their line feeds. A line longer than `maxBytes` is discarded as it
 * arrives and yields `"oversized"`; an unfinished last line is a line.
 */
export async function* splitLines(
  reader: Pick<ReadableStreamDefaultReader<Uint8Array>, "read">,
  maxBytes: number,
): AsyncGenerator<Uint8Array | "oversized"> {
  let parts: Uint8Array[] = [];
  let length = 0;
  const add = (part: Uint8Array): void => {
    length += part.length;
    if (length > maxBytes) parts = [];
    else if (part.length > 0) parts.push(part);
  };
  const take = (): Uint8Array | "oversized" => {
    const line = length > maxBytes ? "oversized" : concat(parts, length);
    parts = [];
    length = 0;
    return line;
  };

  while (true) {
    const { value, done } = await reader.read();
    if (done) break;
    let start = 0;
    for (let end = value.indexOf(newline); end !== -1; end = value.indexOf(newline, start)) {
      add(value.subarray(start, end));
      yield take();
      start = end + 1;
    }
    add(value.subarray(start));
  }
  if (length > 0) yield take();
}

/** Copies the bytes, as the chunks may be overwritten. */
export function concat(parts: readonly Uint8Array[], length: number): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** Counts the line feeds in `text`. */
export function lineFeedsIn(text: string): number {
  let count = 0;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) count++;
  return count;
}

/** Counts the line feeds in `bytes`; lines of one byte are as fast as long ones. */
export function lineFeedsAmong(bytes: Uint8Array): number {
  let count = 0;
  for (const byte of bytes) if (byte === newline) count++;
  return count;
}
