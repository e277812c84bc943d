/**
 * Reads CSV (RFC 4180) as records. Every value stays a text: CSV has no types, and a leading zero or a long
 * number would be lost in a number.
 */

import { CsvError, parse } from "csv-parse/sync";
import { BudgetClock, type WorkBudget, workerBudget } from "./work_budget.ts";

/** Cells that a row may have. */
const mostColumns = 1_000;

/** Characters of a row: the clock is not read within one. */
const longestRow = 256 * 1024;

/** Rows between two reads of the clock: a row with another number of cells costs the parser an error. */
const rowsBetween = 64;

/** The format of a CSV text. */
export interface CsvFormat {
  /** One character. */
  readonly delimiter: string;
  /** Names of the columns when the first line does not have them. */
  readonly columns?: readonly string[];
}

/** The records of a text, or the reason why it has none. */
export type CsvRecords =
  | { readonly records: readonly Readonly<Record<string, string>>[] }
  | { readonly reason: string };

/**
 * Reads the records of `text`. Cells that a row lacks are absent. A column without a name, or with the
 * name of another one, is named by its position.
 */
export function parseCsv(
  text: string,
  { delimiter, columns }: CsvFormat,
  budget: WorkBudget = workerBudget,
): CsvRecords {
  const rows = rowsOf(text, delimiter, budget);
  if ("reason" in rows) return rows;
  const [first = [], ...others] = rows.rows;
  const body = columns === undefined ? others : rows.rows;
  const width = rows.rows.reduce((most, row) => Math.max(most, row.length), 0);
  if (width > mostColumns) {
    const most = mostColumns.toLocaleString("en-US");
    return { reason: `a row has more than ${most} columns` };
  }
  const names = namesOf(columns ?? first, width);
  return {
    records: body.map((row) => Object.fromEntries(row.map((cell, at) => [names[at]!, cell]))),
  };
}

function rowsOf(
  text: string,
  delimiter: string,
  budget: WorkBudget,
): { readonly rows: readonly (readonly string[])[] } | { readonly reason: string } {
  const clock = new BudgetClock(budget, rowsBetween);
  clock.start();
  try {
    const rows = parse(text, {
      bom: true,
      delimiter,
      // A quote within an unquoted cell is a character
      relax_quotes: true,
      relax_column_count: true,
      skip_empty_lines: true,
      max_record_size: longestRow,
      on_record(row) {
        if (clock.isOver()) throw new TooLong();
        return row;
      },
    }) as unknown as string[][];
    return { rows };
  } catch (error) {
    if (error instanceof TooLong) {
      return { reason: `its rows take more than ${budget.ms / 1000} seconds to read` };
    }
    if (!(error instanceof CsvError)) throw error;
    if (error.code === "CSV_MAX_RECORD_SIZE") {
      return { reason: `a row has more than ${longestRow.toLocaleString("en-US")} characters` };
    }
    const { lines } = error as { lines?: number };
    const what = error.code === "CSV_QUOTE_NOT_CLOSED"
      ? "a quote is not closed up to the end"
      : error.code.toLowerCase();
    return {
      reason: lines === undefined ? what : `${what}, line ${lines.toLocaleString("en-US")}`,
    };
  }
}

class TooLong extends Error {}

/** Names each column, no two the same. */
function namesOf(written: readonly string[], width: number): string[] {
  const taken = new Set(written);
  const seen = new Set<string>();
  return Array.from({ length: Math.max(width, written.length) }, (_, at) => {
    const own = written[at]?.trim() ?? "";
    if (own !== "" && !seen.has(own)) {
      seen.add(own);
      return own;
    }
    let name = own === "" ? `column_${at + 1}` : `${own}_${at + 1}`;
    while (taken.has(name) || seen.has(name)) name += "_";
    seen.add(name);
    return name;
  });
}
