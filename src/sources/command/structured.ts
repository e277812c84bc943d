/** Makes a structured result of an output in a format such as JSON, whole or only the values that a config selects. */

import { runTask } from "../../worker/run_task.ts";
import type { Waiter } from "../../async/semaphore.ts";
import type { Shape } from "../../files/shape.ts";
import type { Captured, Invocation, RunOutcome } from "../../exec/invocation.ts";
import { type CallResult, textResult, withNotes } from "../../tool/result.ts";
import type { ObjectSchema } from "../../tool/tool.ts";
import { type FormatOptions, formatOutcome, isFailure } from "./output.ts";
import type { Structure } from "./source.ts";

interface StructuredOptions extends FormatOptions {
  readonly structure: Structure;
  readonly schema: ObjectSchema | undefined;
  readonly mask: (text: string) => string;
  readonly masksUrlCredentials: boolean;
  readonly waiter: Waiter;
  readonly whole: () => Captured;
}

interface StructuredResult extends CallResult {
  readonly isSelected: boolean;
}

export async function parseStructured(
  outcome: RunOutcome,
  invocation: Invocation,
  options: StructuredOptions,
): Promise<StructuredResult> {
  const { structure: { format, select }, schema, mask } = options;
  const textOf = (run: RunOutcome) => mask(formatOutcome(run, invocation, options));
  const isError = isFailure(outcome, invocation);
  const own = { ...textResult(textOf(outcome)), isError, isSelected: false };
  if (own.isError) {
    return select === undefined ? own : withNotes(own, "[not selected: the program has failed]");
  }
  const shape = await shapeOf(select === undefined ? outcome.stdout : options.whole(), options);
  if (shape.reason !== undefined) {
    if (schema !== undefined) return withMisfit(own, shape.reason);
    if (select !== undefined) return withNotes(own, `[not selected: ${shape.reason}]`);
    // A program with `output: json` may print plain text for some calls, which is no fault, so there is no note
    return format === "json" && !shape.isGivenUp
      ? own
      : withNotes(own, `[no structured result: ${shape.reason}]`);
  }
  let result: StructuredResult = own;
  if (shape.selected !== undefined) {
    const stdout = { text: shape.selected, bytes: shape.selected.length };
    const content = textResult(textOf({ ...outcome, stdout })).content;
    result = { ...own, content, isSelected: true };
  }
  const noted = withNotes(result, ...(shape.notes ?? []).map((note) => `[${note}]`));
  if (shape.misfit !== undefined) return withMisfit(noted, shape.misfit);
  return shape.json === undefined ? noted : { ...noted, structuredJson: shape.json };
}

async function shapeOf(
  captured: Captured,
  { structure, schema, masksUrlCredentials, waiter }: StructuredOptions,
): Promise<Shape & { readonly isGivenUp?: boolean }> {
  if (captured.binary !== undefined) return { reason: "the output is not text" };
  if (captured.isCut) return { reason: "the output is longer than what is kept of one" };
  const shape = await runTask("shape", {
    ...structure,
    text: captured.text,
    masksUrlCredentials,
    ...(schema === undefined ? {} : { schema }),
  }, waiter);
  return "timeoutReason" in shape ? { reason: shape.timeoutReason, isGivenUp: true } : shape;
}

function withMisfit(result: StructuredResult, reason: string): StructuredResult {
  const note = `[the result does not fit the tool's output_schema: ${reason}; ` +
    "the call itself has succeeded: do not repeat it for this]";
  return withNotes({ ...result, isError: true }, note);
}
