/** Turns the output of a program into a result: parses it, selects from it, and checks it against a schema. */

import { maskUrlCredentials } from "../text/url_credentials.ts";
import { compileSchema, isDeeper, type SchemaCheck } from "./json_schema.ts";
import { BudgetClock, BudgetExceeded, type WorkBudget, workerBudget } from "./work_budget.ts";
import type { CsvFormat, RecordFormat } from "./select_file.ts";
import { exactNumber, maskTexts, parseExactly } from "./json.ts";
import { compileSelect, type Select } from "./selection.ts";
import { isObject } from "../text/own_property.ts";
import { CsvError, parse } from "csv-parse/sync";
import { messageOf } from "../errors.ts";
import { excerpt } from "../text/excerpt.ts";

export interface ShapeInput extends RecordFormat {
  readonly text: string;
  readonly masksUrlCredentials: boolean;
  /** The part of the value that is returned; absent for the whole. */
  readonly select?: Select;
  /** The schema that clients were promised. */
  readonly schema?: object;
}

export interface Shape {
  /** The reason why the result has no value, or why none was selected. */
  readonly reason?: string;
  /** The selection as an agent reads it; absent when there is none. */
  readonly selected?: string;
  readonly notes?: readonly string[];
  /** The structured result as JSON; absent when there is none. */
  readonly json?: string;
  /** The reason why the value does not match the schema. */
  readonly misfit?: string;
}

/** Makes the result of one text. @throws {BudgetExceeded} when a larger budget may be enough */
export async function shape(
  { text, masksUrlCredentials, select, schema, ...format }: ShapeInput,
  budget: WorkBudget,
): Promise<Shape> {
  // Each step has a budget of its own, which it may exceed by a second: this budget bounds all steps together
  const ms = budget.isHere ? budget.ms : 2 * budget.ms;
  const clock = new BudgetClock({ ...budget, ms }, 1);
  const read = readRecordValue(text, format, budget);
  if ("reason" in read) return read;
  if (clock.isOver()) return tooLong;
  const whole = masksUrlCredentials ? maskTexts(read.value, maskUrlCredentials) : read.value;
  const taken = select === undefined ? { value: whole } : selectShape(whole, select, budget);
  if ("reason" in taken) return taken;
  if (clock.isOver()) return tooLong;
  const own = "text" in taken ? { selected: taken.text, notes: taken.notes } : {};
  const exact = withNumbers(taken.value);
  if ("inexact" in exact) {
    const misfit = `${exact.inexact} is not a number that JSON readers keep exactly`;
    return schema === undefined ? own : { ...own, misfit };
  }
  if (exact.value === undefined) {
    return schema === undefined ? own : { ...own, misfit: "nothing was selected" };
  }
  const value = isObject(exact.value) ? exact.value : { result: exact.value };
  if (clock.isOver()) return tooLong;
  const misfit = schema && (await checkOf(schema, budget))(value);
  return misfit === undefined ? { ...own, json: JSON.stringify(value) } : { ...own, misfit };
}

const tooLong: Shape = { reason: "the output takes too long to read" };

function selectShape(value: unknown, select: Select, budget: WorkBudget) {
  const selector = compileSelect(select, budget);
  return typeof selector === "function" ? selector(value) : selector;
}

const checks = new WeakMap<object, Promise<SchemaCheck>>();

/** Compiles the check of a schema once; all callers have the same budget. */
function checkOf(schema: object, budget: WorkBudget): Promise<SchemaCheck> {
  return checks.getOrInsertComputed(schema, async () => {
    const compiled = await compileSchema(schema, budget);
    return typeof compiled === "function" ? compiled : () => compiled.reason;
  });
}

const maxLevels = 200;

/** The clock is read after this many JSON values; the text is the reason when the time is over. */
const valuesBetween = 256;
const unreadInTime = { reason: "takes too long to read" };

class TooLong extends Error {}

const linesBetween = 256;

type ReadValue = { readonly value: unknown } | { readonly reason: string };

/** Parses `text`; JSON lines and CSV become a list. Numbers keep all their digits. */
function readRecordValue(
  text: string,
  { format, csv: { delimiter = ",", ...csv } = {} }: RecordFormat,
  budget: WorkBudget,
): ReadValue {
  const read = format === "csv"
    ? readCsv(text, { delimiter, ...csv }, budget)
    : format === "json"
    ? readJson(text, budget)
    : readLines(text, budget);
  if ("reason" in read) return read;
  if (isDeeper(read.value, maxLevels)) {
    return { reason: `the output is nested deeper than ${maxLevels} levels` };
  }
  return read;
}

function readCsv(text: string, format: CsvFormat, budget: WorkBudget): ReadValue {
  const read = parseCsv(text, format, budget);
  return "reason" in read
    ? { reason: `the output is not CSV: ${read.reason}` }
    : { value: read.records };
}

function readJson(text: string, budget: WorkBudget): ReadValue {
  const clock = new BudgetClock(budget, valuesBetween);
  const read = readJsonText(text, clock);
  return "reason" in read ? { reason: `the output ${read.reason}` } : read;
}

function readLines(text: string, budget: WorkBudget): ReadValue {
  const clock = new BudgetClock(budget, linesBetween);
  const values: unknown[] = [];
  for (const [at, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue;
    const read = clock.isOver() ? unreadInTime : readJsonText(line, clock);
    if (read === unreadInTime) return { reason: `the output ${read.reason}` };
    if ("reason" in read) {
      return { reason: `line ${(at + 1).toLocaleString("en-US")} of the output ${read.reason}` };
    }
    values.push(read.value);
  }
  return { value: values };
}

function readJsonText(text: string, clock: BudgetClock): ReadValue {
  if (text.trim() === "") return { reason: "is empty" };
  const look = () => {
    if (clock.isOver()) throw new TooLong();
  };
  try {
    return { value: parseExactly(text, look) };
  } catch (error) {
    if (error instanceof BudgetExceeded) throw error;
    if (error instanceof TooLong) return unreadInTime;
    if (error instanceof RangeError) return { reason: "is nested too deep" };
    const reason = excerpt(messageOf(error).split("\n", 1)[0]!, 200);
    return { reason: `is not JSON: ${reason}` };
  }
}

/** Converts the numbers in `value` to JavaScript's, or returns the text of a number that JavaScript would change. */
function withNumbers(value: unknown): { readonly value: unknown } | { readonly inexact: string } {
  try {
    return { value: withoutRaw(value) };
  } catch (error) {
    if (error instanceof InexactNumber) return { inexact: error.written };
    throw error;
  }
}

class InexactNumber extends Error {
  constructor(readonly written: string) {
    super();
  }
}

function withoutRaw(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  const written = exactNumber(value);
  if (written !== undefined) {
    const number = Number(written);
    if (!Number.isInteger(number) && Number.isFinite(number)) return number;
    throw new InexactNumber(written);
  }
  if (Array.isArray(value)) return value.map(withoutRaw);
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withoutRaw(inner)]));
}

const maxColumns = 1_000;

/** A row may have this many characters, since the clock is not read within one. */
const maxRowLength = 256 * 1024;

/** The clock is read after this many rows: a row with too many or too few cells costs the parser time for an error. */
const rowsBetween = 64;

type CsvRecords =
  | { readonly records: readonly Readonly<Record<string, string>>[] }
  | { readonly reason: string };

/**
 * Reads the records of `text`, CSV of RFC 4180. Every value stays a text: CSV has no types, and a number would lose
 * leading zeros and digits. Cells that a row lacks are absent. A column whose name is missing, or is that of another
 * column, is named by its position.
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
  if (width > maxColumns) {
    const most = maxColumns.toLocaleString("en-US");
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
  try {
    const rows = parse(text, {
      bom: true,
      delimiter,
      // A quote within an unquoted cell is a character
      relax_quotes: true,
      relax_column_count: true,
      skip_empty_lines: true,
      max_record_size: maxRowLength,
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
      return { reason: `a row has more than ${maxRowLength.toLocaleString("en-US")} characters` };
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

/** Returns a name for each column, no two of them the same. */
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
