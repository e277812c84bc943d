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
import { thousands } from "../text/plural.ts";

export interface ShapeInput extends RecordFormat {
  readonly text: string;
  readonly masksUrlCredentials: boolean;
  readonly select?: Select;
  readonly schema?: object;
}

export interface Shape {
  readonly reason?: string;
  readonly selected?: string;
  readonly notes?: readonly string[];
  readonly json?: string;
  readonly misfit?: string;
}

/** The output of a program cannot be parsed or selected from; the error's message says why. */
export class NoValue extends Error {}

/** Parses a program's output, and selects from it. @throws {BudgetExceeded} when a larger budget may be enough */
export async function shape(input: ShapeInput, budget: WorkBudget): Promise<Shape> {
  try {
    return await shapeOf(input, budget);
  } catch (error) {
    if (error instanceof NoValue) return { reason: error.message };
    throw error;
  }
}

async function shapeOf(
  { text, masksUrlCredentials, select, schema, ...format }: ShapeInput,
  budget: WorkBudget,
): Promise<Shape> {
  const ms = budget.isHere ? budget.ms : 2 * budget.ms;
  const look = lookAt(new BudgetClock({ ...budget, ms }, 1));
  const read = readRecordValue(text, format, budget);
  look();
  const whole = masksUrlCredentials ? maskTexts(read, maskUrlCredentials) : read;
  const taken = select === undefined ? { value: whole } : selectShape(whole, select, budget);
  look();
  const own = "text" in taken ? { selected: taken.text, notes: taken.notes } : {};
  let exact: unknown;
  try {
    exact = withoutRaw(taken.value);
  } catch (error) {
    if (!(error instanceof InexactNumber)) throw error;
    const misfit = `${error.message} is not a number that JSON readers keep exactly`;
    return schema === undefined ? own : { ...own, misfit };
  }
  if (exact === undefined) {
    return schema === undefined ? own : { ...own, misfit: "nothing was selected" };
  }
  const value = isObject(exact) ? exact : { result: exact };
  const misfit = schema && (await checkOf(schema, budget))(value);
  return misfit === undefined ? { ...own, json: JSON.stringify(value) } : { ...own, misfit };
}

function lookAt(clock: BudgetClock): () => void {
  return () => {
    if (clock.isOver()) throw new NoValue("the output takes too long to read");
  };
}

function selectShape(value: unknown, select: Select, budget: WorkBudget) {
  const selector = compileSelect(select, budget);
  const taken = typeof selector === "function" ? selector(value) : selector;
  if ("reason" in taken) throw new NoValue(taken.reason);
  return taken;
}

const checks = new WeakMap<object, Promise<SchemaCheck>>();

function checkOf(schema: object, budget: WorkBudget): Promise<SchemaCheck> {
  return checks.getOrInsertComputed(schema, async () => {
    const compiled = await compileSchema(schema, budget);
    return typeof compiled === "function" ? compiled : () => compiled.reason;
  });
}

const maxLevels = 200;
/** The time limit is checked after this many JSON values or lines. */
const valuesBetween = 256;

/** Parses `text`; JSON lines and CSV become a list. Numbers keep all their digits. @throws {NoValue} */
function readRecordValue(
  text: string,
  { format, csv: { delimiter = ",", ...csv } = {} }: RecordFormat,
  budget: WorkBudget,
): unknown {
  const look = lookAt(new BudgetClock(budget, valuesBetween));
  const value = format === "csv"
    ? parseCsv(text, { delimiter, ...csv }, budget)
    : format === "json"
    ? readJson(text, () => "the output", look)
    : readLines(text, look);
  if (isDeeper(value, maxLevels)) {
    throw new NoValue(`the output is nested deeper than ${maxLevels} levels`);
  }
  return value;
}

function readLines(text: string, look: () => void): unknown[] {
  return text.split("\n").flatMap((line, at) => {
    look();
    const place = () => `line ${thousands(at + 1)} of the output`;
    return line.trim() === "" ? [] : [readJson(line, place, look)];
  });
}

function readJson(text: string, place: () => string, look: () => void): unknown {
  if (text.trim() === "") throw new NoValue(`${place()} is empty`);
  try {
    return parseExactly(text, look);
  } catch (error) {
    if (error instanceof BudgetExceeded || error instanceof NoValue) throw error;
    if (error instanceof RangeError) throw new NoValue(`${place()} is nested too deep`);
    const reason = excerpt(messageOf(error).split("\n", 1)[0]!, 200);
    throw new NoValue(`${place()} is not JSON: ${reason}`);
  }
}

/** JavaScript would change a number; the error's message is the number as it is written. */
class InexactNumber extends Error {}

/** Converts numbers that were kept as text to JavaScript's. @throws {InexactNumber} if that would change one */
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
/** A row may have this many characters, since the time limit is not checked within a row. */
const maxRowLength = 256 * 1024;
/** The time limit is checked after this many rows. */
const rowsBetween = 64;

/** Reads CSV of RFC 4180. Every value stays a text, since a number would lose leading zeros. @throws {NoValue} */
export function parseCsv(
  text: string,
  { delimiter, columns }: CsvFormat,
  budget: WorkBudget = workerBudget,
): Readonly<Record<string, string>>[] {
  const rows = rowsOf(text, delimiter, budget);
  const [first = [], ...others] = rows;
  const width = rows.reduce((most, row) => Math.max(most, row.length), 0);
  if (width > maxColumns) {
    const most = thousands(maxColumns);
    throw new NoValue(`the output is not CSV: a row has more than ${most} columns`);
  }
  const names = namesOf(columns ?? first, width);
  return (columns === undefined ? others : rows).map((row) => {
    return Object.fromEntries(row.map((cell, at) => [names[at]!, cell]));
  });
}

function rowsOf(text: string, delimiter: string, budget: WorkBudget): string[][] {
  const look = lookAt(new BudgetClock(budget, rowsBetween));
  try {
    return parse(text, {
      bom: true,
      delimiter,
      relax_quotes: true, // a quote within an unquoted cell is a character
      relax_column_count: true,
      skip_empty_lines: true,
      max_record_size: maxRowLength,
      on_record(row) {
        look();
        return row;
      },
    }) as unknown as string[][];
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const reason = error.code === "CSV_MAX_RECORD_SIZE"
      ? `a row has more than ${thousands(maxRowLength)} characters`
      : excerpt(error.message, 200);
    throw new NoValue(`the output is not CSV: ${reason}`);
  }
}

function namesOf(written: readonly string[], width: number): string[] {
  const taken = new Set(written);
  const seen = new Set<string>();
  return Array.from({ length: Math.max(width, written.length) }, (_, at) => {
    const own = written[at]?.trim() ?? "";
    let name = own;
    if (own === "" || seen.has(own)) {
      name = `${own === "" ? "column" : own}_${at + 1}`;
      while (taken.has(name) || seen.has(name)) name += "_";
    }
    seen.add(name);
    return name;
  });
}
