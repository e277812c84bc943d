/**
 * What a run came to where the program prints values: the values for programs, and for agents the
 * text, or what was selected. Apart, since most tools have neither.
 */

import type { Captured, Invocation, Outcome } from "../../exec/invocation.ts";
import { compileSchema, type SchemaCheck } from "../../document/json_schema.ts";
import type { CallResult, ContentBlock } from "../../tool/result.ts";
import type { ObjectSchema } from "../../tool/tool.ts";
import { formatOutcome, isFailure } from "./output.ts";
import { type ReadOptions, readValue, withNumbers } from "./_records.ts";
import { compileSelect, type Selection, type Selector } from "./_selection.ts";
import type { Select, Structure } from "./source.ts";

/** Settings of {@linkcode structuredResult}. */
export interface StructuredOptions extends ReadOptions {
  readonly structure: Structure;
  /** What clients were promised. */
  readonly schema: ObjectSchema | undefined;
  /** All of what the program printed that there is, of which the outcome may have a part. */
  readonly whole: () => Captured;
}

/** A result, of which the first part is the program's text, or what was selected of it. */
export interface StructuredResult extends CallResult {
  readonly isSelected: boolean;
}

/** The content of an answer, its values, and whether it is an error. */
export async function structuredResult(
  outcome: Outcome,
  invocation: Invocation,
  options: StructuredOptions,
): Promise<StructuredResult> {
  const { structure: { format, select }, schema, mask } = options;
  const textOf = (run: Outcome) => mask(formatOutcome(run, invocation, options));
  const own = {
    content: [textBlock(textOf(outcome))],
    isError: isFailure(outcome),
    isSelected: false,
  };
  if (own.isError) {
    return select === undefined ? own : withNote(own, "not selected: the program has failed");
  }
  const captured = select === undefined ? outcome.stdout : options.whole();
  const read = await readValue(captured, options.structure, options);
  const taken = "reason" in read || select === undefined ? read : selectorOf(select)(read.value);
  if ("reason" in taken) {
    if (schema !== undefined) return misfit(own, taken.reason);
    if (select !== undefined) return withNote(own, `not selected: ${taken.reason}`);
    // What has no JSON at times says so by itself
    return format === "json" ? own : withNote(own, `no structured result: ${taken.reason}`);
  }
  const result = "text" in taken ? selected(own, taken, textOf, outcome) : own;
  const exact = withNumbers(taken.value);
  if ("inexact" in exact) {
    const reason = `${exact.inexact} is no number that JSON readers keep as it is`;
    return schema === undefined ? result : misfit(result, reason);
  }
  const reason = await promiseOf(schema, exact.value);
  if (reason !== undefined) return misfit(result, reason);
  return exact.value === undefined ? result : { ...result, structured: objectOf(exact.value) };
}

function selected(
  own: StructuredResult,
  { text }: Selection,
  textOf: (outcome: Outcome) => string,
  outcome: Outcome,
): StructuredResult {
  const stdout = { text, bytes: text.length };
  return { ...own, content: [textBlock(textOf({ ...outcome, stdout }))], isSelected: true };
}

function textBlock(text: string): ContentBlock {
  return { type: "text", text };
}

/** A part of its own, which is not cut, and not in what is kept. */
function withNote(result: StructuredResult, note: string): StructuredResult {
  return { ...result, content: [...result.content, textBlock(`[${note}]`)] };
}

function misfit(result: StructuredResult, reason: string): StructuredResult {
  const note = `the result does not fit the tool's output_schema: ${reason}; ` +
    "the call itself has succeeded: do not repeat it for this";
  return withNote({ ...result, isError: true }, note);
}

/** Why `value` is not what clients were promised. */
async function promiseOf(
  schema: ObjectSchema | undefined,
  value: unknown,
): Promise<string | undefined> {
  if (schema === undefined) return undefined;
  if (value === undefined) return "nothing was selected";
  return (await checkOf(schema))(objectOf(value));
}

/** The object that a value is; another value as the only `result` of one. */
function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return isObject ? value as Readonly<Record<string, unknown>> : { result: value };
}

const selectors = new WeakMap<Select, Selector>();

function selectorOf(select: Select): Selector {
  const known = selectors.get(select);
  if (known !== undefined) return known;
  const compiled = compileSelect(select);
  const selector = typeof compiled === "function" ? compiled : () => compiled;
  selectors.set(select, selector);
  return selector;
}

const checks = new WeakMap<ObjectSchema, Promise<SchemaCheck>>();

function checkOf(schema: ObjectSchema): Promise<SchemaCheck> {
  const known = checks.get(schema);
  if (known !== undefined) return known;
  const check = compileSchema(schema).then((compiled) => {
    return typeof compiled === "function" ? compiled : () => compiled.reason;
  });
  checks.set(schema, check);
  return check;
}
