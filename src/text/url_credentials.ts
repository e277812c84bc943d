/** Masks credentials in URLs, such as `https://TOKEN@host/`, which programs print. */

/**
 * Matches the start of a URL: http, or the last character of another scheme. JSON may escape its slashes, and git
 * accepts more than two.
 */
const start = String.raw`((?:https?|[a-z\d+.-]):(?:\\?\/){2,})`;

/** Matches a quote or bracket within a password, which git accepts, but not one that ends a text, as in JSON. */
const inner = String.raw`["'<>](?![,:;)\]}>\s]|$)`;

const cut = String.raw`\n\[… [\d,]+ bytes omitted …\]`;

/** Matches the user and password of a URL up to its last `@`; matches cannot overlap, so the time is linear. */
const userInfo = new RegExp(String.raw`${start}((?:[^\s\/"'<>]|${inner})+)@`, "gi");

/** Matches a password with blanks, on one line; `host:8080` is no password. */
const withBlanks = new RegExp(
  String.raw`${start}[^\s\/:@"'<>]*:(?=\S)(?!\d{1,5}\s)[^\n\/"'<>]*@`,
  "gi",
);

const rest = new RegExp(String.raw`${start}[^\s"'<>]*`, "gi");

/** Matches words in names of parameters that hold a credential. */
const credential = "token|secret|passw|pwd|key|auth(?!or)|sig(?:nature)?(?==)|credential|jwt";

/** Matches a parameter with such a name, in one expression: a text may have millions of other parameters. */
const parameter = new RegExp(
  String.raw`([?&;#]|\\u0026)(?=[\w.%~-]+=)([\w.%~-]*?(?:${credential})[\w.%~-]*)=[^&;#\\]+`,
  "gi",
);

/** Match the parts of a URL, cut by the middle of an output that was left out, before and behind the cut. */
const beforeCut = new RegExp(String.raw`${start}(?:[^\s\/"'<>]|${inner})+(?=${cut}(?:\n|$))`, "gi");
const behindCut = new RegExp(String.raw`(?<=${cut}\n)(?:[^\s"'<>]|${inner})+@`, "g");
const restBehindCut = new RegExp(String.raw`(?<=${cut}\n)[^\s"'<>]+`, "g");

/**
 * Replaces user and password of every URL (RFC 3986, section 3.2.1) by `***`, and values of parameters with names of
 * credentials. A user without a password is masked in http(s) only, where it may be a token.
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
