/** Runs a script. Once a call needs a person's yes, the run is a trial: after one question, the script runs again. */

import { type Clock, systemClock } from "../../async/clock.ts";
import { approvalRecord } from "../../call/audit.ts";
import type { AgreedCalls } from "../../call/pipeline.ts";
import type { CallContext } from "../../call/context.ts";
import { formBounds } from "../../call/question.ts";
import { excerpt } from "../../text/excerpt.ts";
import { plural } from "../../text/plural.ts";
import { type CallResult, textOf, textResult, withNotes } from "../../tool/result.ts";
import type { PlanOptions, PlanPreview } from "../../tool/runner.ts";
import type { ArgValues, Effect, Tool } from "../../tool/tool.ts";
import { fileName } from "./_prelude.ts";
import { CollectedCalls } from "./collected_calls.ts";
import { InnerCalls } from "./inner_calls.ts";
import type { ScriptLimits } from "./limits.ts";
import { runInVm, type VmFailure, type VmOutcome } from "./vm.ts";

export interface ScriptCall {
  /** The id of the script's call in the audit log; the calls of the script name it as their `parent`. */
  readonly id: string;
  readonly code: string;
  readonly input?: string | undefined;
  /** True for a dry run: no call that changes something is made; all of them are only listed. */
  readonly isDryRun: boolean;
  readonly most?: Effect | undefined;
  readonly tool: Tool;
  readonly values: ArgValues;
  readonly preview: PlanPreview;
}

interface ScriptRunOptions {
  readonly limits: ScriptLimits;
  readonly clock?: Clock | undefined;
  readonly inTurn: (work: (onEnd: () => void) => Promise<CallResult>) => Promise<CallResult>;
}

const maxPlaces = 3;

export async function runScript(
  script: ScriptCall,
  options: PlanOptions,
  { limits, clock = systemClock, inTurn }: ScriptRunOptions,
): Promise<CallResult> {
  const { id, code, input, isDryRun, most, tool, values, preview } = script;
  const context = options.callerContext as CallContext;
  const collected = new CollectedCalls();
  // The trial and the second run see the same times, so that a script that reads the clock makes the same calls
  const [startedAt, times] = [clock.now(), [] as number[]];
  const run = (agreed?: AgreedCalls) => {
    return inTurn(async (onEnd) => {
      const calls = new InnerCalls({
        ...{ context, options, id, limits, most, agreed },
        ...(agreed === undefined ? { collected, isDryRun } : {}),
      });
      const logged: string[] = [];
      let answers = 0;
      const outcome = await runInVm({
        seed: Number.parseInt(id.slice(0, 8), 16),
        now: startedAt,
        code,
        input,
        limits,
        clock,
        onEnd,
        signal: options.signal,
        answer: async (request) => {
          const answer = await calls.answer(request);
          return { ...answer, now: times[answers++] ??= clock.now() };
        },
        onLog: (line) => void logged.push(line),
      });
      await calls.close();
      const notes = logged.length === 0 ? [] : [`[log]\n${logged.join("\n")}`];
      if (!("failure" in outcome)) return resultOf(outcome, notes, false);
      const failure = outcome.failure + moduleHint(code, outcome.failure);
      const failed = resultOf({ ...outcome, failure }, [...notes, calls.describeCalls()], true);
      const hasSecrets = tool.args.some(({ constraint }) => constraint?.secret);
      const error = hasSecrets ? "" : errorForLogs(outcome.failure, calls.errors);
      return { ...failed, record: { ending: "failed", ...(error && { error }) } };
    });
  };
  const trial = await run();
  if (collected.size === 0 || options.signal?.aborted) {
    return isDryRun ? withNotes(trial, "[dry run: nothing would be changed]") : trial;
  }
  const count = plural(collected.size, "call");
  const list = () => `[${count} not made]\n${collected.list(formBounds).join("\n")}`;
  if (isDryRun && options.ask === undefined) {
    return withNotes(trial, `[dry run: this client cannot ask a person]\n${list()}`);
  }
  const failure = trial.isError ? textOf({ content: trial.content.slice(0, 1) }) : undefined;
  const call = { context, options, tool, values, plan: { preview } };
  const { refusal, confirmation, approval } = await collected.ask(call, options.ask, failure);
  const answered = {
    calls: collected.records,
    confirmation,
    ...(approval === undefined ? {} : { approval: approvalRecord(approval) }),
  };
  const asked = { ending: "refused", ...answered };
  if (refusal !== undefined) {
    return isDryRun
      ? withNotes(trial, `[dry run] ${refusal}\n${list()}`)
      : { ...textResult(`${refusal}\n[${count} of the script not made]`, true), record: asked };
  }
  if (!await collected.isUnchanged(options.signal)) {
    return { ...textResult(`${changed}\n[${count} of the script not made]`, true), record: asked };
  }
  const agreed = collected.agreedTo(isDryRun, approval);
  const ended = await run(agreed);
  const record = { ...ended.record, ending: ended.record?.ending ?? "failed", ...answered };
  const result = { ...ended, record };
  if (agreed.left === 0) return result;
  const left = `[the person agreed to ${count}, of which ${agreed.left} were not made]`;
  return withNotes(result, left);
}

const changed = "Call refused: what its calls would do has changed since the person agreed to them";

function resultOf(outcome: VmOutcome, notes: readonly string[], isError: boolean): CallResult {
  const record = { ending: isError ? "failed" : "returned" };
  const text = "failure" in outcome ? failureText(outcome) : unquote(outcome.returned);
  return { ...withNotes(textResult(text, isError), ...notes), record };
}

function unquote(json: string): string {
  if (!json.startsWith('"')) return json;
  try {
    return JSON.parse(json) as string;
  } catch {
    // A script may send any text in place of JSON
    return json;
  }
}

function moduleHint(code: string, failure: string): string {
  const isOfModules = /^(?:Syntax|Reference)Error: /.test(failure) &&
    /^[^\S\n]*import\b|\b(?:import|require)\s*\(/m.test(code);
  return isOfModules ? "\nA script has no modules: call(tool, args) calls a tool" : "";
}

function failureText({ failure, stack = "" }: VmFailure): string {
  const places = stack.split("\n").map((line) => line.trim()).filter((line) => {
    return line.includes(fileName);
  });
  return [`Script failed: ${failure}`, ...places.slice(0, maxPlaces).map((line) => `  ${line}`)]
    .join("\n");
}

function errorForLogs(failure: string, outputs: readonly string[]): string {
  const places = outputs.map((text) => failure.indexOf(text)).filter((at) => at >= 0);
  const [line = ""] = failure.slice(0, Math.min(failure.length, ...places)).split("\n");
  return excerpt(line.trimEnd().replace(/:$/, ""), 200);
}
