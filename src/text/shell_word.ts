/** Quotes a text as one word of a command line, for a person to copy. */

type System = "posix" | "windows";

const ownSystem: System = Deno.build.os === "windows" ? "windows" : "posix";

/** Quotes `text` as one word for a POSIX shell, or for the command line of Windows. @default system that of this process */
export function shellWord(text: string, system: System = ownSystem): string {
  if (isPlain(text)) return text;
  if (system === "windows") return windowsWord(text);
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** The command line of `argv` for a shell; absent for a call that starts no program. */
export function shellLine(argv: unknown): string | undefined {
  return Array.isArray(argv) ? argv.map((word) => shellWord(String(word))).join(" ") : undefined;
}

/** The rules of C programs there; inside of quotes, `cmd.exe` and PowerShell read `&`, `|`, `<`, `>` and `^` as text. */
function windowsWord(text: string): string {
  if (/^[\w\-=,./:@%+\\~]+$/.test(text)) return text;
  const escaped = text.replaceAll(/(?<!\\)(\\*)("|$)/g, (_, slashes, quote) => {
    return slashes + slashes + (quote && '\\"');
  });
  return `"${escaped}"`;
}

/** True when `text` is one word for a POSIX shell without quotes. */
export function isPlain(text: string): boolean {
  return /^[\w\-=,./:@%+]+$/.test(text);
}
