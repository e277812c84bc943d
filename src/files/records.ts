/** Parses the output of a program in the format that its config declares. */

import { messageOf } from "../errors.ts";
import { excerpt } from "../text/excerpt.ts";
import { type CsvFormat, parseCsv } from "./csv.ts";
import { isDeeper } from "./json_schema.ts";
import { exactNumber, parseExactly } from "./exact_json.ts";
import { BudgetClock, BudgetExceeded, type WorkBudget } from "./work_budget.ts";
import type { RecordFormat } from "./record_format.ts";

/** Nesting levels of a value. */
const mostLevels = 200;

/** JSON values between two reads of the clock, and the reason when time is up. */
const valuesBetween = 256;
const tooLong = { reason: "takes too long to read" };

class TooLong extends Error {}

/** JSON lines between two reads of the clock. */
const linesBetween = 256;

/** A value, or the reason why there is none. */
export type ReadValue = { readonly value: unknown } | { readonly reason: string };

/** Parses `text`; JSON lines and CSV become a list. Numbers keep the digits they were written with. */
export function readValue(
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
  if (isDeeper(read.value, mostLevels)) {
    return { reason: `the output is nested deeper than ${mostLevels} levels` };
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
  clock.start();
  const read = readJsonText(text, clock);
  return "reason" in read ? { reason: `the output ${read.reason}` } : read;
}

function readLines(text: string, budget: WorkBudget): ReadValue {
  const clock = new BudgetClock(budget, linesBetween);
  clock.start();
  const values: unknown[] = [];
  for (const [at, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue;
    const read = clock.isOver() ? tooLong : readJsonText(line, clock);
    if (read === tooLong) return { reason: `the output ${read.reason}` };
    if ("reason" in read) {
      return { reason: `line ${(at + 1).toLocaleString("en-US")} of the output ${read.reason}` };
    }
    values.push(read.value);
  }
  return { value: values };
}

function readJsonText(text: string, clock: BudgetClock): ReadValue {
  if (text === "") return { reason: "is empty" };
  const look = () => {
    if (clock.isOver()) throw new TooLong();
  };
  try {
    return { value: parseExactly(text, look) };
  } catch (error) {
    if (error instanceof BudgetExceeded) throw error;
    if (error instanceof TooLong) return tooLong;
    if (error instanceof RangeError) return { reason: "is nested too deep" };
    const reason = excerpt(messageOf(error).split("\n", 1)[0]!, 200);
    return { reason: `is not JSON: ${reason}` };
  }
}

/** Masks every text in `value`, also names of keys. */
export function masked(value: unknown, mask: (text: string) => string): unknown {
  if (typeof value === "string") return mask(value);
  if (typeof value !== "object" || value === null || exactNumber(value) !== undefined) return value;
  if (Array.isArray(value)) return value.map((inner) => masked(inner, mask));
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [mask(key), masked(inner, mask)]),
  );
}

/**
 * Converts the numbers in `value` to JavaScript's, or returns one that this would change. A fraction with
 * more digits than are kept counts as unchanged.
 */
export function withNumbers(
  value: unknown,
): { readonly value: unknown } | { readonly inexact: string } {
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
