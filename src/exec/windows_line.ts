/** The length of a command line of Windows, which gets arguments as one text. */

/** `CreateProcess` takes 32,767 units of UTF-16 with the NUL at the end. */
const maxUnits = 32_766;

/** `cmd.exe`, which runs batch files, takes 8,191 with what is put around the line. */
const maxBatchUnits = 8_191 - 64;

/** Returns whether Windows would not start `program` with `args`. Quotes and what escapes them are counted. */
export function isLineTooLong(program: string, args: readonly string[]): boolean {
  const limit = /\.(?:cmd|bat)$/i.test(program) ? maxBatchUnits : maxUnits;
  const units = [program, ...args].reduce((sum, word) => sum + word.length + escapes(word) + 3, 0);
  return units > limit;
}

function escapes(word: string): number {
  // A backslash is escaped only in front of a quote, so this may be more than is needed
  return word.includes('"') ? word.split(/["\\]/).length - 1 : 0;
}
