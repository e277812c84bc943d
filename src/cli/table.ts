/** Formats tables of text by their width on a screen. */

import { io } from "../io.ts";
import { cellWidth as stringWidth } from "../text/cell_width.ts";
import { inOneLine } from "../text/escape.ts";
import { coloured } from "./colour.ts";

/**
 * Formats rows under a header, columns two spaces apart. On a terminal each row is one line: the last
 * column, and then the widest, are truncated; elsewhere nothing is. The texts `below` a row are indented
 * and wrapped at the terminal's width.
 */
export function table(
  header: readonly string[],
  rows: readonly (readonly string[])[],
  below: readonly (readonly string[])[] = [],
): string {
  const cells = [header, ...rows].map((row) => row.map(inOneLine));
  const widths = header.map((_, column) => {
    return Math.max(...cells.map((row) => stringWidth(row[column] ?? "")));
  });
  const room = io().stdout.isTerminal() ? widthOf() : Infinity;
  fit(widths, room - 2 * (widths.length - 1));
  return cells.flatMap((row, index) => {
    const line = row.map((cell, column) => pad(cut(cell, widths[column]!), widths[column]!))
      .join("  ").trimEnd();
    if (index === 0) return [coloured(line, "bold", "stdout")];
    const under = (below[index - 1] ?? []).flatMap((text) => wrapped(inOneLine(text), room));
    return [line, ...under.map((each) => coloured(each, "dim", "stdout"))];
  }).join("\n");
}

/** Columns of the terminal; one of unknown width says 0. */
function widthOf(): number {
  return io().consoleSize().columns || Infinity;
}

const indent = "    ";

/** Wraps `text` to indented lines of `room` cells. */
function wrapped(text: string, room: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ").filter((each) => each !== "")) {
    const last = lines.at(-1);
    if (last !== undefined && stringWidth(`${last} ${word}`) <= room) {
      lines[lines.length - 1] = `${last} ${word}`;
    } else {
      lines.push(indent + word);
    }
  }
  return lines;
}

/** Narrows columns, the last first, until they fit; none below eight cells. */
function fit(widths: number[], room: number): void {
  const order = widths.keys().toArray().reverse();
  for (const column of order) {
    const excess = widths.reduce((sum, width) => sum + width, 0) - room;
    if (excess <= 0) return;
    widths[column] = Math.max(Math.min(8, widths[column]!), widths[column]! - excess);
  }
}

function cut(text: string, width: number): string {
  if (stringWidth(text) <= width) return text;
  let kept = "";
  for (const character of text) {
    if (stringWidth(kept + character) > width - 1) break;
    kept += character;
  }
  return `${kept}…`;
}

function pad(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - stringWidth(text)));
}
