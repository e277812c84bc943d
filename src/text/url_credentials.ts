/** Masks credentials in URLs, such as `https://TOKEN@host/`, which programs print. */

/** Matches the start of a URL. JSON may escape the slashes, and git accepts more than two slashes. */
const start = String.raw`((?:https?|[a-z\d+.-]):(?:\\?\/){2,})`;

const inner = String.raw`["'<>](?![,:;)\]}>\s]|$)`;

const cut = String.raw`\n\[… [\d,]+ bytes omitted …\]`;

/** Matches user and password of a URL, up to the last `@`. Matches cannot overlap, so they take linear time. */
const userInfo = new RegExp(String.raw`${start}((?:[^\s\/"'<>]|${inner})+)@`, "gi");

const withBlanks = new RegExp(
  String.raw`${start}[^\s\/:@"'<>]*:(?=\S)(?!\d{1,5}\s)[^\n\/"'<>]*@`,
  "gi",
);

const rest = new RegExp(String.raw`${start}[^\s"'<>]*`, "gi");

/** Matches names of URL parameters that hold a credential, such as `access_token`. */
const credential = "token|secret|passw|pwd|key|auth(?!or)|sig(?:nature)?(?==)|credential|jwt";

const parameter = new RegExp(
  String.raw`([?&;#]|\\u0026)(?=[\w.%~-]+=)([\w.%~-]*?(?:${credential})[\w.%~-]*)=[^&;#\\]+`,
  "gi",
);

const beforeCut = new RegExp(String.raw`${start}(?:[^\s\/"'<>]|${inner})+(?=${cut}(?:\n|$))`, "gi");
const behindCut = new RegExp(String.raw`(?<=${cut}\n)(?:[^\s"'<>]|${inner})+@`, "g");
const restBehindCut = new RegExp(String.raw`(?<=${cut}\n)[^\s"'<>]+`, "g");

/**
 * Replaces user and password of every URL (RFC 3986, section 3.2.1) by `***`, and values of parameters with names of
 * credentials. A user without a password is masked in http(s) only, where the user may be a token.
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
