/** Prints to stdout: text unchanged, JSON, and tables that fit the terminal. */

import { io } from "../io.ts";
import { ClimaxError, ExitCode, messageOf } from "../errors.ts";
import { hideStatus, plainText, wrapped } from "../terminal.ts";
import { escapedJson } from "../text/escape.ts";
import type { Cell } from "./table.ts";

/**
 * Writes `text` and a line feed to stdout, unchanged unless a person reads it; `isRaw`: also then.
 *
 * @throws {ClimaxError} when stdout takes no more
 */
export async function print(text: string, isRaw = false): Promise<void> {
  const shown = isRaw || !io().stdout.isTerminal()
    ? text
    : plainText(text.replaceAll("\r\n", "\n"), "stdout");
  let bytes = new TextEncoder().encode(`${shown}\n`);
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

/**
 * Writes for a person to stdout, wrapped at words on a terminal. A string is one line, whatever is in it: no name of a
 * stranger makes two of it.
 */
export async function printText(text: string | readonly string[]): Promise<void> {
  const lines = typeof text === "string" ? [text.replaceAll("\n", "\\x0a")] : text;
  await print(wrapped(lines.join("\n"), "stdout"), true);
}

/**
 * Writes `value` to stdout as JSON: on many lines unless `indent` is 0, and always on a terminal. No character
 * of it is invisible.
 */
export async function printJson(value: unknown, indent = 2): Promise<void> {
  const text = JSON.stringify(value, null, io().stdout.isTerminal() ? 2 : indent);
  await print(escapedJson(text), true);
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
