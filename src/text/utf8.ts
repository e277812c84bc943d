/** Finds the places where UTF-8 (RFC 3629) can be cut: between characters. */

/** The end of the last whole character among the first `most` bytes. */
export function endWithin(bytes: Uint8Array, most = bytes.length): number {
  const end = Math.min(most, bytes.length);
  for (let back = 1; back <= Math.min(4, end); back++) {
    const byte = bytes[end - back]!;
    if (isContinuation(byte)) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? end - back : end;
  }
  return end;
}

/** The start of the first whole character from byte `from` on. */
export function startFrom(bytes: Uint8Array, from = 0): number {
  let start = from;
  while (start < Math.min(from + 3, bytes.length) && isContinuation(bytes[start]!)) start++;
  return start;
}

function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}
