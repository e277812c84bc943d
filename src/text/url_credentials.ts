/** Masks credentials in URLs, such as `https://TOKEN@host/`, which programs print. */

/** The URL up to the `@`; matches cannot overlap, so the time is linear. JSON may escape the slashes. */
const userInfo = /(https?:\\?\/\\?\/)[^\s\/@"'<>]+@/gi;

/** A URL that begins in front of an omitted part of an output, or ends behind it. */
const beforeCut = /(https?:\\?\/\\?\/)[^\s\/@"'<>]+(?=\n\[… [\d,]+ bytes omitted …\](?:\n|$))/gi;
const behindCut = /(?<=\n\[… [\d,]+ bytes omitted …\]\n)[^\s@"'<>]+@/g;

/**
 * Replaces the user and password of every http URL (RFC 3986, section 3.2.1) with `***`.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * assert.equal(maskUrlCredentials("https://x:secret@host/a"), "https://***@host/a");
 * assert.equal(maskUrlCredentials("ssh://git@host/a"), "ssh://git@host/a");
 * const cut = "https://x:sec\n[… 9 bytes omitted …]\nret@host/a";
 * assert.equal(maskUrlCredentials(cut), "https://***\n[… 9 bytes omitted …]\n***@host/a");
 * ```
 */
export function maskUrlCredentials(text: string): string {
  const masked = text.includes("@") ? text.replace(userInfo, "$1***@") : text;
  if (!masked.includes(" bytes omitted …]")) return masked;
  return masked.replace(beforeCut, "$1***").replace(behindCut, "***@");
}
