/**
 * CSV (RFC 4180) as records: every value is the text it was, for CSV has no types, and a leading zero
 * or a long number is one only as a text.
 */

import { CsvError, parse } from "csv-parse/sync";
import { BudgetClock, type WorkBudget, workerBudget } from "./work_budget.ts";

/** Cells that a row may have. */
const mostColumns = 1_000;

/** Characters of a row, within which nobody looks at the clock. */
const longestRow = 256 * 1024;

/** Rows from one look at the clock to the next: one of another length costs the parser an error. */
const rowsBetween = 64;

/** How a text is to be read. */
export interface CsvFormat {
  /** One character. */
  readonly delimiter: string;
  /** Names of the columns of a text that has no line with them; absent: the first line has. */
  readonly columns?: readonly string[];
}

/** The records of a text, or why it has none. */
export type CsvRecords =
  | { readonly records: readonly Readonly<Record<string, string>>[] }
  | { readonly reason: string };

/**
 * The records of `text`. Where a row has fewer cells than there are columns, the others are absent; what
 * has no name, or one that another has, gets one by its position.
 */
export function parseCsv(
  text: string,
  { delimiter, columns }: CsvFormat,
  patience: WorkBudget = workerBudget,
): CsvRecords {
  const rows = rowsOf(text, delimiter, patience);
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
  patience: WorkBudget,
): { readonly rows: readonly (readonly string[])[] } | { readonly reason: string } {
  const clock = new BudgetClock(patience, rowsBetween);
  clock.start();
  try {
    const rows = parse(text, {
      bom: true,
      delimiter,
      // A quote within an unquoted cell is itself
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
      return { reason: `its rows take more than ${patience.ms / 1000} seconds to read` };
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

/** A name for each column, no two the same. */
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
