/** Masks credentials in URLs, such as `https://TOKEN@host/`, which programs print. */

/**
 * Matches the start of a URL: http, or the last letter of another scheme. JSON may escape slashes, and git takes more
 * than two.
 */
const start = String.raw`((?:https?|[a-z\d+.-]):(?:\\?\/){2,})`;

/** Matches a quote or bracket, which git takes in a password, unless it ends a text, as in JSON. */
const inner = String.raw`["'<>](?![,:;)\]}>\s]|$)`;

const cut = String.raw`\n\[… [\d,]+ bytes omitted …\]`;

/** Matches the user and password of a URL up to its last `@`; matches cannot overlap, so the time is linear. */
const userInfo = new RegExp(String.raw`${start}((?:[^\s\/"'<>]|${inner})+)@`, "gi");

/** Matches a password with blanks on one line; a host with its port does not match. */
const withBlanks = new RegExp(
  String.raw`${start}[^\s\/:@"'<>]*:(?=\S)(?!\d{1,5}\s)[^\n\/"'<>]*@`,
  "gi",
);

const rest = new RegExp(String.raw`${start}[^\s"'<>]*`, "gi");

/** Matches words in names of parameters that hold a credential. */
const credential = "token|secret|passw|pwd|key|auth(?!or)|sig(?:nature)?(?==)|credential|jwt";

/** Matches such a parameter. Nothing is called for each of the others, of which a text may have millions. */
const parameter = new RegExp(
  String.raw`([?&;#]|\\u0026)(?=[\w.%~-]+=)([\w.%~-]*?(?:${credential})[\w.%~-]*)=[^&;#\\]+`,
  "gi",
);

/** These match a URL that begins before an omitted part of an output, and one that ends after it. */
const beforeCut = new RegExp(String.raw`${start}(?:[^\s\/"'<>]|${inner})+(?=${cut}(?:\n|$))`, "gi");
const behindCut = new RegExp(String.raw`(?<=${cut}\n)(?:[^\s"'<>]|${inner})+@`, "g");
const restBehindCut = new RegExp(String.raw`(?<=${cut}\n)[^\s"'<>]+`, "g");

/**
 * Replaces the user and password of every URL (RFC 3986, section 3.2.1) with `***`, and the values of parameters that are
 * named like credentials. A user alone is a credential in http only.
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
  let masked = text;
  if (text.includes("@")) {
    masked = masked.replace(userInfo, (whole, start: string, user: string) => {
      return /https?:/i.test(start) || user.includes(":") ? `${start}***@` : whole;
    }).replace(withBlanks, "$1***@");
  }
  if (text.includes("=")) {
    masked = masked.replace(rest, maskParameters);
  }
  if (!masked.includes(" bytes omitted …]")) return masked;
  return masked.replace(beforeCut, "$1***").replace(behindCut, "***@")
    .replace(restBehindCut, maskParameters);
}

function maskParameters(url: string): string {
  return url.replace(parameter, "$1$2=***");
}
