/** Masks credentials in URLs, such as `https://TOKEN@host/`, which programs print. */

/** The start of a URL. JSON may escape the slashes, and git takes more than two. */
const start = String.raw`(https?:(?:\\?\/){2,})`;

/** A quote or bracket, which git takes in a password; not one that ends a text, as in JSON. */
const inner = String.raw`["'<>](?![,:;)\]}>\s]|$)`;

const cut = String.raw`\n\[… [\d,]+ bytes omitted …\]`;

/** The URL up to its last `@`; matches cannot overlap, so the time is linear. */
const userInfo = new RegExp(String.raw`${start}(?:[^\s\/"'<>]|${inner})+@`, "gi");

/** A URL that begins in front of an omitted part of an output, or ends behind it. */
const beforeCut = new RegExp(String.raw`${start}(?:[^\s\/"'<>]|${inner})+(?=${cut}(?:\n|$))`, "gi");
const behindCut = new RegExp(String.raw`(?<=${cut}\n)(?:[^\s"'<>]|${inner})+@`, "g");

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
