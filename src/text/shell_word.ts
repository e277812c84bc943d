/** Writes a command line for a person to copy, or the call of a tool as an agent writes it. */

type System = "posix" | "windows";

const ownSystem: System = Deno.build.os === "windows" ? "windows" : "posix";

/** Quotes `text` as one word of a command line. @default system the shell of this computer's system */
export function shellWord(text: string, system: System = ownSystem): string {
  if (isPlain(text)) return text;
  if (system === "windows") return windowsWord(text);
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Returns the command line of `argv` for a shell; `undefined` if `argv` is no list. */
export function shellLine(argv: unknown): string | undefined {
  return Array.isArray(argv) ? argv.map((word) => shellWord(String(word))).join(" ") : undefined;
}

/** Quotes a word as C programs on Windows read it. The shells there ignore `&`, `|`, `<` and `>` in quotes. */
function windowsWord(text: string): string {
  if (/^[\w\-=,./:@%+\\~]+$/.test(text)) return text;
  const escaped = text.replaceAll(/(?<!\\)(\\*)("|$)/g, (_, slashes, quote) => {
    return slashes + slashes + (quote && '\\"');
  });
  return `"${escaped}"`;
}

/** Returns whether a POSIX shell reads `text` as one word without quotes. */
export function isPlain(text: string): boolean {
  return /^[\w\-=,./:@%+]+$/.test(text);
}

type Args = Readonly<Record<string, string | number>>;

/** Formats a call as an agent writes it, such as `output_read {"id": "k1", "from_line": 3}`. */
export function formatCall(tool: string, args: Args): string {
  return `${tool} {${formatArguments(args)}}`;
}

export function formatArguments(args: Args): string {
  const pairs = Object.entries(args).map((pair) => {
    return pair.map((part) => JSON.stringify(part)).join(": ");
  });
  return pairs.join(", ");
}
