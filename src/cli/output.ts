/** Prints to stdout: text unchanged, JSON, and tables that fit the terminal. Formats messages with coloured labels. */

import { io } from "../io.ts";
import { FileError, formatProblem, messageOf, type Problem } from "../errors.ts";
import { say } from "../log.ts";
import {
  type Colour,
  columnsOf,
  hideStatus,
  paint,
  plainText,
  type Stream,
  wrapText,
} from "../terminal.ts";
import { escapeJson, inOneLine } from "../text/escape.ts";
import { cellWidth, wrap } from "../text/wrap.ts";
import type { Effect } from "../tool/tool.ts";

const colours = {
  ...{ error: "red", problem: "red", warning: "yellow", ok: "green", note: "cyan", hint: "cyan" },
} as const satisfies Record<string, Colour>;

export function label(word: keyof typeof colours, stream: Stream): string {
  return paint(`${word}:`, colours[word], stream);
}

export function problemText({ hint, ...problem }: Problem, stream: Stream): string {
  const text = formatProblem(problem);
  return hint === undefined ? text : `${text}\n  ${label("hint", stream)} ${hint}`;
}

export function sayHint(text: string): void {
  say(`  ${label("hint", "stderr")} ${text}`);
}

export const effectColours: Readonly<Record<Effect, Colour>> = {
  read: "green",
  write: "yellow",
  destructive: "red",
};

/** Writes `text` to stdout; on a terminal only harmless characters unless `isRaw`. @throws {ClimaxError} */
export async function print(text: string, isRaw = false): Promise<void> {
  const shown = isRaw || !io().stdout.isTerminal()
    ? text
    : plainText(text.replaceAll("\r\n", "\n"), "stdout");
  let bytes = new TextEncoder().encode(`${shown}\n`);
  hideStatus();
  try {
    while (bytes.length > 0) bytes = bytes.subarray(await io().stdout.write(bytes));
  } catch (error) {
    // A reader such as `head` closes the pipe when it has enough; a command that writes a file then goes on
    if (error instanceof Deno.errors.BrokenPipe) {
      if (outlivesReader) return;
      throw error;
    }
    const message = `Standard output cannot be written: ${messageOf(error)}`;
    throw new FileError("Not everything was printed", { message });
  }
}

let outlivesReader = false;

/** Sets whether a command that writes a file continues when the reader of its stdout has left. */
export function outliveReader(isWriter: boolean): void {
  outlivesReader = isWriter;
}

/** Writes text for a person to stdout, wrapped on a terminal. A string is one line: its line feeds are escaped. */
export async function printText(text: string | readonly string[]): Promise<void> {
  const lines = typeof text === "string" ? [text.replaceAll("\n", "\\x0a")] : text;
  await print(wrapText(lines.join("\n"), "stdout"), true);
}

export async function printNote(text: string): Promise<void> {
  await printText(`${label("note", "stdout")} ${text}`);
}

export async function printProblem(problem: Problem, introduction = ""): Promise<void> {
  await printText(`${introduction}${problemText(problem, "stdout")}`.split("\n"));
}

/** Writes JSON with invisible characters escaped, on one line if `indent` is 0 and stdout is not a terminal. */
export async function printJson(value: unknown, indent = 2): Promise<void> {
  const text = JSON.stringify(value, null, io().stdout.isTerminal() ? 2 : indent);
  await print(escapeJson(text), true);
}

export async function printTable(...parts: Parameters<typeof table>): Promise<void> {
  await print(table(...parts));
}

export type Cell = string | { readonly text: string; readonly colour: Colour };

const gap = 2;

/** If less room than this many character cells is left for the last column, its texts go under their rows instead. */
const narrowest = 36;

const indent = "    ";

/** Formats rows under a header: wrapped or cut on a terminal, elsewhere one line each. */
function table(
  header: readonly string[],
  rows: readonly (readonly Cell[])[],
  below: readonly (readonly string[])[] = [],
): string {
  const cells = [header, ...rows].map((row) => row.map(plainCell));
  const last = header.length - 1;
  const room = columnsOf("stdout");
  const columns = header.map((_, at) => cells.map((row) => row[at]?.text ?? ""));
  const natural = columns.map((texts) => Math.max(...texts.map(cellWidth)));
  const taken = natural.slice(0, last).reduce((sum, width) => sum + width + gap, 0);
  const isUnder = room - taken < Math.min(natural[last]!, narrowest);
  const widths = isUnder
    ? natural.slice(0, last)
    : natural.with(last, Math.min(natural[last]!, room - taken));
  const isNumeric = columns.map(([, ...texts]) => {
    return texts.length > 0 && texts.every((text) => /^[\d,.]*$/.test(text));
  });
  return cells.flatMap((row, index) => {
    const lines = rowLines(row, widths, isNumeric);
    if (index === 0) return lines.map((line) => paint(line, "bold", "stdout"));
    const { text = "", colour } = row[last] ?? {};
    const description = indentLines(isUnder ? text : "", room).map((line) =>
      inColour(line, colour)
    );
    const under = (below[index - 1] ?? []).flatMap((each) => indentLines(inOneLine(each), room));
    return [...lines, ...description, ...under.map((each) => paint(each, "dim", "stdout"))];
  }).join("\n");
}

function plainCell(cell: Cell): { readonly text: string; readonly colour?: Colour } {
  return typeof cell === "string"
    ? { text: inOneLine(cell) }
    : { ...cell, text: inOneLine(cell.text) };
}

function inColour(text: string, colour: Colour | undefined): string {
  return colour === undefined ? text : paint(text, colour, "stdout");
}

function rowLines(
  row: readonly ReturnType<typeof plainCell>[],
  widths: readonly number[],
  isNumeric: readonly boolean[],
): string[] {
  const texts = row.slice(0, widths.length).map(({ text }, column) => {
    return wrap(text, widths[column]!, { widthOf: cellWidth });
  });
  const height = Math.max(1, ...texts.map(({ length }) => length));
  return Array.from({ length: height }, (_, line) => {
    return texts.map((lines, column) => {
      const text = lines[line] ?? "";
      const space = " ".repeat(Math.max(0, widths[column]! - cellWidth(text)));
      const shown = inColour(text, row[column]!.colour);
      return isNumeric[column] ? space + shown : shown + space;
    }).join(" ".repeat(gap)).trimEnd();
  });
}

function indentLines(text: string, room: number): string[] {
  const wrapped = wrap(text, room - indent.length, { widthOf: cellWidth });
  return text === "" ? [] : wrapped.map((line) => indent + line);
}

/** Cuts `text` to `width` character cells, of which the last is `…`. */
export function cutToWidth(text: string, width: number): string {
  if (cellWidth(text) <= width) return text;
  let kept = "";
  for (const character of text) {
    if (cellWidth(kept + character) > width - 1) break;
    kept += character;
  }
  return `${kept}…`;
}
