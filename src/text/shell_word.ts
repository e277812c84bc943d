/** Quotes a text as one word of a command line, for a person to copy. */

/** Whose words a command line is made of: those of a POSIX shell, or of Windows. */
export type System = "posix" | "windows";

/** The one that this program runs on. */
export const ownSystem: System = Deno.build.os === "windows" ? "windows" : "posix";

/** `text` as one word for a POSIX shell, or for the command line of Windows. */
export function shellWord(text: string, system: System = "posix"): string {
  if (isPlain(text)) return text;
  if (system === "windows") return /[\s&^]/.test(text) ? `"${text}"` : text;
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Returns whether `text` is one word to a POSIX shell without quotes. */
export function isPlain(text: string): boolean {
  return /^[\w\-=,./:@%+]+$/.test(text);
}
