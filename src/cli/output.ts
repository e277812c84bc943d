/** Prints to stdout: text unchanged, JSON, and tables that fit the terminal. */

import { io } from "../io.ts";
import { ClimaxError, ExitCode, messageOf } from "../errors.ts";

/** Writes `text` and a line feed to stdout. @throws {ClimaxError} when it takes no more */
export async function print(text: string): Promise<void> {
  let bytes = new TextEncoder().encode(`${text}\n`);
  try {
    while (bytes.length > 0) bytes = bytes.subarray(await io().stdout.write(bytes));
  } catch (error) {
    // A reader that has enough, such as `head`, closes the pipe
    if (error instanceof Deno.errors.BrokenPipe) throw error;
    const message = `Standard output cannot be written: ${messageOf(error)}`;
    throw new ClimaxError("Not everything was printed", ExitCode.file, [{ message }]);
  }
}

/** Writes `value` to stdout as JSON, on many lines unless `indent` is 0. No character of it moves a cursor. */
export async function printJson(value: unknown, indent = 2): Promise<void> {
  const text = JSON.stringify(value, null, indent);
  await print(text.replace(/[\x7f-\x9f]/g, (character) => {
    return `\\u00${character.charCodeAt(0).toString(16)}`;
  }));
}

/**
 * Writes a table to stdout, truncated to the width of a terminal; the texts in `below` are printed under
 * each row, wrapped.
 */
export async function printTable(
  header: readonly string[],
  rows: readonly (readonly string[])[],
  below: readonly (readonly string[])[] = [],
): Promise<void> {
  const { table } = await import("./table.ts");
  const { prepareWidths } = await import("../text/cell_width.ts");
  await prepareWidths([header, ...rows, ...below].flat());
  await print(table(header, rows, below));
}
