/**
 * What a run came to where the program prints values: the values for programs, and for agents the
 * text, or what was selected. Apart, since most tools have neither.
 */

import { runTask } from "../../worker/run_task.ts";
import type { Waiter } from "../../async/semaphore.ts";
import type { Shape } from "../../files/shape.ts";
import type { Captured, Invocation, RunOutcome } from "../../exec/invocation.ts";
import { stripControlSequences } from "../../text/control_sequences.ts";
import type { CallResult, ContentBlock } from "../../tool/result.ts";
import type { ObjectSchema } from "../../tool/tool.ts";
import { type FormatOptions, formatOutcome, isFailure, readable } from "./output.ts";
import type { Structure } from "./source.ts";

/** Settings of {@linkcode structuredResult}. */
export interface StructuredOptions extends FormatOptions {
  readonly structure: Structure;
  /** What clients were promised. */
  readonly schema: ObjectSchema | undefined;
  /** Takes out what nobody is to see. */
  readonly mask: (text: string) => string;
  /** Whether that takes credentials out of URLs. */
  readonly masksUrlCredentials: boolean;
  /** Who waits for it. */
  readonly asker: Waiter;
  /** All of what the program printed that there is, of which the outcome may have a part. */
  readonly whole: () => Captured;
}

/** A result, of which the first part is the program's text, or what was selected of it. */
export interface StructuredResult extends CallResult {
  readonly isSelected: boolean;
}

/** The content of an answer, its values, and whether it is an error. */
export async function structuredResult(
  outcome: RunOutcome,
  invocation: Invocation,
  options: StructuredOptions,
): Promise<StructuredResult> {
  const { structure: { format, select }, schema, mask } = options;
  const textOf = (run: RunOutcome) => mask(formatOutcome(run, invocation, options));
  const own = {
    content: [textBlock(textOf(outcome))],
    isError: isFailure(outcome),
    isSelected: false,
  };
  if (own.isError) {
    return select === undefined ? own : withNote(own, "not selected: the program has failed");
  }
  const shape = await shapeOf(select === undefined ? outcome.stdout : options.whole(), options);
  if (shape.reason !== undefined) {
    if (schema !== undefined) return misfit(own, shape.reason);
    if (select !== undefined) return withNote(own, `not selected: ${shape.reason}`);
    // What has no JSON at times says so by itself
    return format === "json" && !shape.isGivenUp
      ? own
      : withNote(own, `no structured result: ${shape.reason}`);
  }
  const result = shape.selected === undefined
    ? own
    : selected(own, shape.selected, textOf, outcome);
  const noted = (shape.notes ?? []).reduce(withNote, result);
  if (shape.misfit !== undefined) return misfit(noted, shape.misfit);
  return shape.json === undefined ? noted : { ...noted, structuredJson: shape.json };
}

async function shapeOf(
  captured: Captured,
  { structure, schema, masksUrlCredentials, asker, ...options }: StructuredOptions,
): Promise<Shape & { readonly isGivenUp?: boolean }> {
  if (captured.binary !== undefined) return { reason: "the output is not text" };
  if (captured.isCut) return { reason: "the output is longer than what is kept of one" };
  const shape = await runTask("shape", {
    ...structure,
    text: structure.format === "csv" ? csvTextOf(captured, options) : readable(captured, options),
    masksUrlCredentials,
    ...(schema === undefined ? {} : { schema }),
  }, asker);
  return "timeoutReason" in shape ? { reason: shape.timeoutReason, isGivenUp: true } : shape;
}

/** White space is a value of CSV, also at the end. */
function csvTextOf({ text }: Captured, { keepAnsi = false }: FormatOptions): string {
  return keepAnsi ? text : stripControlSequences(text);
}

function selected(
  own: StructuredResult,
  text: string,
  textOf: (outcome: RunOutcome) => string,
  outcome: RunOutcome,
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
