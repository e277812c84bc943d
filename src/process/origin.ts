/** Reads which pages of browsers may send requests. */

import { UsageError } from "../errors.ts";
import { quote } from "../text/excerpt.ts";

/**
 * Parses a name, for pages of every scheme and port, or an origin (`https://app.example.org:8443`), for exactly that one.
 * Returns it as browsers write it (RFC 6454, section 6.1).
 *
 * @throws {UsageError} when it is neither
 */
export function parseOrigin(text: string): string {
  const isName = /^(?:\[[\da-f:.]+\]|[^\s/\\:@?#*]+)$/i.test(text);
  const url = isName ? URL.parse(`http://${text}`) : URL.parse(text);
  const isOrigin = /^[a-z][a-z\d+.-]*:\/\/[^\s/\\@?#*]+\/?$/i.test(text);
  // Sandboxed pages of every site have the origin `null`
  if (url === null || text.toLowerCase() === "null" || !isName && !isOrigin) {
    throw new UsageError(
      `Not a website for --allow-origin: ${quote(text)}`,
      "Expected a name or an origin, such as app.example.org or https://app.example.org:8443",
    );
  }
  if (isName) return url.hostname;
  return url.origin === "null" ? `${url.protocol}//${url.host}` : url.origin;
}
