/** Prints to stdout: text unchanged, JSON, and tables that fit the terminal. */

import { io } from "../io.ts";
import { ClimaxError, ExitCode, messageOf } from "../errors.ts";
import { hideStatus, wrapped } from "../terminal.ts";
import type { Cell } from "./table.ts";

/** Writes `text` and a line feed to stdout. @throws {ClimaxError} when it takes no more */
export async function print(text: string): Promise<void> {
  let bytes = new TextEncoder().encode(`${text}\n`);
  hideStatus();
  try {
    while (bytes.length > 0) bytes = bytes.subarray(await io().stdout.write(bytes));
  } catch (error) {
    // A reader that has enough, such as `head`, closes the pipe
    if (error instanceof Deno.errors.BrokenPipe) throw error;
    const message = `Standard output cannot be written: ${messageOf(error)}`;
    throw new ClimaxError("Not everything was printed", ExitCode.file, [{ message }]);
  }
}

/** Writes `text` for a person to stdout, wrapped at words on a terminal. */
export async function printText(text: string): Promise<void> {
  await print(wrapped(text, "stdout"));
}

/**
 * Writes `value` to stdout as JSON: on many lines unless `indent` is 0, and always on a terminal. No character
 * of it moves a cursor.
 */
export async function printJson(value: unknown, indent = 2): Promise<void> {
  const text = JSON.stringify(value, null, io().stdout.isTerminal() ? 2 : indent);
  await print(text.replace(/[\x7f-\x9f]/g, (character) => {
    return `\\u00${character.charCodeAt(0).toString(16)}`;
  }));
}

/**
 * Writes a table to stdout, which on a terminal has its width; the texts in `below` are printed under each row.
 */
export async function printTable(
  header: readonly string[],
  rows: readonly (readonly Cell[])[],
  below: readonly (readonly string[])[] = [],
): Promise<void> {
  const { table } = await import("./table.ts");
  const { prepareWidths } = await import("../text/cell_width.ts");
  const texts = rows.flat().map((cell) => typeof cell === "string" ? cell : cell.text);
  await prepareWidths([...header, ...texts, ...below.flat()]);
  await print(table(header, rows, below));
}
