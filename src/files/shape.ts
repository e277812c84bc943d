/** Turns the output of a program into a result: parses it, selects from it, and checks it against a schema. */

import { maskUrlCredentials } from "../text/url_credentials.ts";
import { compileSchema, type SchemaCheck } from "./json_schema.ts";
import { BudgetClock, type WorkBudget } from "./work_budget.ts";
import type { RecordFormat } from "./record_format.ts";
import { maskTexts } from "./json.ts";
import { readRecordValue, withNumbers } from "./records.ts";
import { compileSelect, type Select } from "./selection.ts";
import { isObject } from "../text/own_property.ts";

export interface ShapeInput extends RecordFormat {
  readonly text: string;
  /** True when credentials in URLs are masked. */
  readonly masksUrlCredentials: boolean;
  /** Absent: everything. */
  readonly select?: Select;
  /** The schema that clients were promised. */
  readonly schema?: object;
}

export interface Shape {
  /** The reason why there is no value for a result, or none that was selected. */
  readonly reason?: string;
  /** The selection as an agent reads it; absent when nothing was selected, or nothing is to be. */
  readonly selected?: string;
  readonly notes?: readonly string[];
  /** The structured result, as JSON; absent where there is none. */
  readonly json?: string;
  /** The reason why the value is not what clients were promised. */
  readonly misfit?: string;
}

/** Shapes one text. @throws {BudgetExceeded} when a larger budget may do */
export async function shape(
  { text, masksUrlCredentials, select, schema, ...format }: ShapeInput,
  budget: WorkBudget,
): Promise<Shape> {
  // Each step takes up to a second without reading the clock, and has a budget of its own in addition
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
  const value = objectOf(exact.value);
  if (clock.isOver()) return tooLong;
  const misfit = schema && (await checkOf(schema, budget))(value);
  return misfit === undefined ? { ...own, json: JSON.stringify(value) } : { ...own, misfit };
}

const tooLong: Shape = { reason: "the output takes too long to read" };

function selectShape(value: unknown, select: Select, budget: WorkBudget) {
  const selector = compileSelect(select, budget);
  return typeof selector === "function" ? selector(value) : selector;
}

/** The value if it is an object, else an object with it as its only `result`. */
function objectOf(value: unknown): object {
  return isObject(value) ? value : { result: value };
}

const checks = new WeakMap<object, Promise<SchemaCheck>>();

/** Compiles the check of a schema once; all callers have the same budget. */
function checkOf(schema: object, budget: WorkBudget): Promise<SchemaCheck> {
  const known = checks.get(schema);
  if (known !== undefined) return known;
  const check = compileSchema(schema, budget).then((compiled) => {
    return typeof compiled === "function" ? compiled : () => compiled.reason;
  });
  checks.set(schema, check);
  return check;
}
