/** Texts as the bytes they are. */

/** The most bytes of `bytes`, UTF-8, up to `most`, that end with a whole character. */
export function lengthWithin(bytes: Uint8Array, most: number): number {
  if (bytes.length <= most) return bytes.length;
  let end = most;
  while (end > 0 && (bytes[end]! & 0xc0) === 0x80) end--;
  return end;
}
