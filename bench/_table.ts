/** Measurements as a table for people. */

import type { Interval, Row } from "./_stats.ts";

/** A row for each measurement; its ratio to the floor lies between `from` and `to` with 95 % probability. */
export function tableOf(rows: readonly Row[]): string {
  const cells = [
    ["", "unit", "climax", "floor", "", "ratio from", "median", "to", "aim", "pairs"],
    ...rows.map(({ name, unit, value, floor, ratio, aim, pairs }) => [
      name,
      unit,
      number(value.median),
      number(floor.median),
      floor.name,
      ...ratioCells(ratio),
      aim === undefined ? "" : `${aim} ${ratio.median <= aim ? "met" : "MISSED"}`,
      String(pairs),
    ]),
  ];
  return aligned(cells);
}

/** `cells` in columns. */
function aligned(cells: readonly (readonly string[])[]): string {
  const widths = cells[0]!.map((_, column) => Math.max(...cells.map((row) => row[column]!.length)));
  return cells.map((row) => {
    return row.map((cell, column) => cell.padEnd(widths[column]!)).join("  ").trimEnd();
  }).join("\n");
}

/** `cells` as a table in Markdown; the first row is its head. */
export function markdown([head, ...rows]: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(head!), `|${"---|".repeat(head!.length)}`, ...rows.map(line)].join("\n");
}

function ratioCells({ low, median, high }: Interval): string[] {
  return [low, median, high].map((ratio) => ratio.toFixed(2));
}

/** Three digits. */
export function number(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toPrecision(3);
}
