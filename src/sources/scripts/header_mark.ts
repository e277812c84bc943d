/** The beginning of the header of a kept script, by which it is told from any other JavaScript in its folder. */

/** Characters in which the mark stands. */
export const markLength = 64;

/** Whether `text`, a file or its beginning, has a header. */
export function hasMark(text: string): boolean {
  return /^\ufeff?\s*\/\*\s*climax script\s/.test(text.slice(0, markLength));
}
