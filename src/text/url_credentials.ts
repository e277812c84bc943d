/** Credentials that stand in URLs, such as `https://TOKEN@host/`, which programs print as they are. */

/** Characters a user and a password may have together; the bound keeps the time linear. */
const userInfo = /(https?:\/\/)[^\s\/@"'<>]{1,1024}@/gi;

/**
 * `text` with `***` for the user and password of every http URL (RFC 3986, section 3.2.1).
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * assert.equal(maskUrlCredentials("https://x:secret@host/a"), "https://***@host/a");
 * assert.equal(maskUrlCredentials("ssh://git@host/a"), "ssh://git@host/a");
 * ```
 */
export function maskUrlCredentials(text: string): string {
  return text.includes("@") ? text.replace(userInfo, "$1***@") : text;
}
