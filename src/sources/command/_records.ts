/** What a program printed, as the values that it says it is. */

import { exactNumber, parseExactly } from "../../document/exact_json.ts";
import { messageOf } from "../../errors.ts";
import type { Captured } from "../../exec/invocation.ts";
import { stripControlSequences } from "../../text/control_sequences.ts";
import { excerpt } from "../../text/excerpt.ts";
import { type FormatOptions, readable } from "./output.ts";
import type { Structure } from "./source.ts";

/** Levels of a value. */
const mostLevels = 200;

/** Settings of {@linkcode readValue}. */
export interface ReadOptions extends FormatOptions {
  /** Takes out what nobody is to see. */
  readonly mask: (text: string) => string;
}

/** A value, or why there is none. */
export type ReadValue = { readonly value: unknown } | { readonly reason: string };

/** The value in `captured`: of JSON lines and CSV a list. Numbers stay what they were written as. */
export async function readValue(
  captured: Captured,
  { format, csv }: Structure,
  { mask, ...options }: ReadOptions,
): Promise<ReadValue> {
  if (captured.binary !== undefined) return { reason: "the output is no text" };
  if (captured.isCut) return { reason: "the output is longer than what is kept of one" };
  const read = format === "csv"
    ? await readCsv(captured.text, { ...options, ...csv })
    : readJson(readable(captured, options), format === "jsonl");
  if ("reason" in read) return read;
  if (isDeeper(read.value, mostLevels)) {
    return { reason: `the output is nested deeper than ${mostLevels} levels` };
  }
  return { value: masked(read.value, mask) };
}

async function readCsv(
  text: string,
  { keepAnsi = false, delimiter = ",", columns }: FormatOptions & NonNullable<Structure["csv"]>,
): Promise<ReadValue> {
  const { parseCsv } = await import("../../document/csv.ts");
  // White space is a value, also at the end
  const plain = keepAnsi ? text : stripControlSequences(text);
  const read = parseCsv(plain, { delimiter, ...(columns === undefined ? {} : { columns }) });
  return "reason" in read
    ? { reason: `the output is no CSV: ${read.reason}` }
    : { value: read.records };
}

function readJson(text: string, isLines: boolean): ReadValue {
  if (!isLines) return readJsonText(text, "the output");
  const values: unknown[] = [];
  for (const [at, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue;
    const read = readJsonText(line, `line ${(at + 1).toLocaleString("en-US")} of the output`);
    if ("reason" in read) return read;
    values.push(read.value);
  }
  return { value: values };
}

function readJsonText(text: string, what: string): ReadValue {
  if (text === "") return { reason: `${what} is empty` };
  try {
    return { value: parseExactly(text) };
  } catch (error) {
    if (error instanceof RangeError) return { reason: `${what} is nested too deep` };
    const reason = excerpt(messageOf(error).split("\n", 1)[0]!, 200);
    return { reason: `${what} is no JSON: ${reason}` };
  }
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1));
}

/** `value` with every text in it masked, names of keys too. */
function masked(value: unknown, mask: ReadOptions["mask"]): unknown {
  if (typeof value === "string") return mask(value);
  if (typeof value !== "object" || value === null || exactNumber(value) !== undefined) return value;
  if (Array.isArray(value)) return value.map((inner) => masked(inner, mask));
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [mask(key), masked(inner, mask)]),
  );
}

/**
 * `value` with the numbers of JavaScript, or the number in it that would become another one. That a
 * fraction has more digits than are kept makes it no other.
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
