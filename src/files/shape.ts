/** What a program printed, as what a result has of it: read, selected from, and held against a schema. */

import { maskUrlCredentials } from "../text/url_credentials.ts";
import { compileSchema, type SchemaCheck } from "./json_schema.ts";
import { BudgetClock, type WorkBudget } from "./work_budget.ts";
import type { RecordFormat } from "./record_format.ts";
import { masked, readValue, withNumbers } from "./records.ts";
import { compileSelect, type Select } from "./selection.ts";
import { isObject } from "../text/own_property.ts";

/** A text, and what is to become of it. */
export interface ShapeInput extends RecordFormat {
  readonly text: string;
  /** Whether credentials in URLs are taken out. */
  readonly masksUrlCredentials: boolean;
  /** Absent: all of it. */
  readonly select?: Select;
  /** What clients were promised. */
  readonly schema?: object;
}

/** What a text came to. */
export interface Shape {
  /** Why there is no value that a result could have, or none that was selected. */
  readonly reason?: string;
  /** What was selected, as an agent reads it; absent where nothing is, or nothing was to be. */
  readonly selected?: string;
  /** What an agent is to know besides. */
  readonly notes?: readonly string[];
  /** The structured result, as JSON; absent where there is none. */
  readonly json?: string;
  /** Why it is not what clients were promised. */
  readonly misfit?: string;
}

/** Shapes one text. @throws {NotHere} where `patience` is at its end, and another might not be */
export async function shape(
  { text, masksUrlCredentials, select, schema, ...format }: ShapeInput,
  patience: WorkBudget,
): Promise<Shape> {
  // Each of these steps takes up to a second without a look at the time, and has its own patience beside
  const ms = patience.isHere ? patience.ms : 2 * patience.ms;
  const clock = new BudgetClock({ ...patience, ms }, 1);
  clock.start();
  const read = readValue(text, format, patience);
  if ("reason" in read) return read;
  if (clock.isOver()) return tooLong;
  const whole = masksUrlCredentials ? masked(read.value, maskUrlCredentials) : read.value;
  const taken = select === undefined ? { value: whole } : selected(whole, select, patience);
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
  const value = objectOf(exact.value);
  if (clock.isOver()) return tooLong;
  const misfit = schema && (await checkOf(schema, patience))(value);
  return misfit === undefined ? { ...own, json: JSON.stringify(value) } : { ...own, misfit };
}

const tooLong: Shape = { reason: "the output takes too long to read" };

function selected(value: unknown, select: Select, patience: WorkBudget) {
  const selector = compileSelect(select, patience);
  return typeof selector === "function" ? selector(value) : selector;
}

/** The object that a value is; another value as the only `result` of one. */
function objectOf(value: unknown): object {
  return isObject(value) ? value : { result: value };
}

const checks = new WeakMap<object, Promise<SchemaCheck>>();

/** The check of a schema, which is always asked for with the same patience. */
function checkOf(schema: object, patience: WorkBudget): Promise<SchemaCheck> {
  const known = checks.get(schema);
  if (known !== undefined) return known;
  const check = compileSchema(schema, patience).then((compiled) => {
    return typeof compiled === "function" ? compiled : () => compiled.reason;
  });
  checks.set(schema, check);
  return check;
}
