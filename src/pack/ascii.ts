/**
 * JavaScript in ASCII alone. One character beyond it and V8 keeps the whole of a file as two bytes a
 * character, which costs a start of the portable form a tenth.
 */

/**
 * `code` with every character beyond ASCII as the escape that means the same in a string, a template,
 * a regular expression and a name. Only `String.raw` sees a difference.
 */
export function asciiOf(code: string): string {
  return code.replace(/[^\0-\x7f]/g, (unit) => {
    return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}
