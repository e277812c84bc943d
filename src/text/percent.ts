/** Percent-encoding of addresses (RFC 3986, section 2.1). */

/** `text` with its bytes decoded; as it is written where they are not UTF-8, or `%` begins none. */
export function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
