/** Quotes a text as one word of a command line, for a person to copy. */

/** The system whose quoting rules apply. */
export type System = "posix" | "windows";

/** The system that this program runs on. */
export const ownSystem: System = Deno.build.os === "windows" ? "windows" : "posix";

/** Quotes `text` as one word for a POSIX shell, or for the command line of Windows. */
export function shellWord(text: string, system: System = "posix"): string {
  if (isPlain(text)) return text;
  if (system === "windows") return /[\s&^]/.test(text) ? `"${text}"` : text;
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** True when `text` is one word for a POSIX shell without quotes. */
export function isPlain(text: string): boolean {
  return /^[\w\-=,./:@%+]+$/.test(text);
}
