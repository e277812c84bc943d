/** Runs the plan of a command line to its result. */

import type { Invocation, RunOutcome } from "../../exec/invocation.ts";
import { run, type RunOptions } from "../../exec/run.ts";
import { maskUrlCredentials } from "../../text/url_credentials.ts";
import type { CallResult, FullText } from "../../tool/result.ts";
import type { PlanOptions } from "../../tool/runner.ts";
import type { Tool } from "../../tool/tool.ts";
import { OverflowStore, type Spooling } from "./_overflow_store.ts";
import { recordOf } from "./_run_record.ts";
import { formatOutcome, isFailure } from "./output.ts";
import { ProgressReporter } from "./progress.ts";
import { maxImageBytes, resultOf } from "./result.ts";
import { sourceOf, type Structure } from "./source.ts";

export interface RunPlanOptions extends Pick<RunOptions, "graceMs" | "keepBytes" | "clock"> {
  /** Keeps terminal control sequences in results. @default false */
  readonly keepAnsi?: boolean | undefined;
  /** Stores outputs that are longer than `keepBytes`; absent: they are truncated. */
  readonly spool?: Spooling;
}

/** Runs the program of `invocation`; the result is what the config makes of its output. */
export async function runPlan(
  tool: Tool,
  invocation: Invocation,
  options: RunPlanOptions & PlanOptions,
): Promise<CallResult> {
  const { onProgress, spool, owner } = options;
  const { output, masksUrlCredentials = false } = sourceOf(tool);
  const mask = masksUrlCredentials ? maskUrlCredentials : (text: string) => text;
  const progress = onProgress && new ProgressReporter(onProgress, mask, options.clock);
  const structure = typeof output === "object" ? output : undefined;
  const needsWhole = structure?.select !== undefined;
  // With a bound of the policy, nothing more is stored
  const spools = new OverflowStore({
    spool,
    owner,
    needsWhole,
    mayKeep: tool.keepBytes === undefined,
  });
  const outcome = await run(invocation, {
    ...options,
    overflow: spools.overflow,
    // An image cannot lose its middle
    keepBytes: tool.keepBytes ?? (output === "image" ? maxImageBytes : options.keepBytes),
    onOutput: progress?.onOutput,
  });
  progress?.stop();
  const formatOptions = { keepAnsi: options.keepAnsi, mask };
  const format = (of: RunOutcome) => mask(formatOutcome(of, invocation, formatOptions));
  const runRecord = recordOf(outcome);
  const uncut = spools.fullText(outcome, format);
  if (structure === undefined) {
    const result = resultOf(outcome, invocation, { ...formatOptions, output });
    return { ...result, ...uncutAt(result.content.length - 1, uncut), record: runRecord };
  }
  const { structuredResult } = await import("./structured.ts");
  const { isSelected, ...result } = await structuredResult(outcome, invocation, {
    ...formatOptions,
    structure,
    schema: tool.output,
    masksUrlCredentials,
    waiter: options,
    whole: () => spools.stdout(outcome.stdout),
  });
  const record = result.isError && !isFailure(outcome, invocation)
    ? { ...runRecord, fits: false as const }
    : runRecord;
  if (!isSelected) return { ...result, ...uncutAt(0, uncut), record };
  if (isAll(structure)) {
    uncut?.discard();
    return { ...result, record };
  }
  const whole = uncut ?? { lines: 0, bytes: 0, read: () => format(outcome), discard: () => {} };
  const path = structure.format === "csv" ? {} : { path: structure.select?.items ?? "$" };
  return { ...result, ...uncutAt(0, { ...whole, isSource: true, ...path }), record };
}

function uncutAt(at: number, uncut: FullText | undefined): Pick<CallResult, "uncut"> {
  return uncut === undefined ? {} : { uncut: new Map([[at, uncut]]) };
}

/** True if the whole value is selected. */
function isAll({ select = {} }: Structure): boolean {
  return (select.items ?? "$") === "$" && select.columns === undefined;
}
