/** Runs the script of one call, and makes a result of how it ended. */

import { type Clock, systemClock } from "../../async/clock.ts";
import type { CallContext } from "../../call/context.ts";
import { plural } from "../../text/plural.ts";
import { type CallResult, type ContentBlock, textResult } from "../../tool/result.ts";
import type { PlanOptions } from "../../tool/runner.ts";
import type { Effect } from "../../tool/tool.ts";
import { fileName } from "./script_tools.ts";
import { DryRun } from "./dry_run.ts";
import { type CallCounts, InnerCalls } from "./inner_calls.ts";
import type { Tape } from "./recording.ts";
import type { ScriptLimits } from "./limits.ts";
import { type RoomFailure, type RoomOutcome, runInRoom } from "./room.ts";

/** A script to be run. */
export interface ScriptCall {
  /** In the audit log, and the parent of its calls. */
  readonly id: string;
  readonly code: string;
  /** JSON. */
  readonly input?: string | undefined;
  /** Calls that change something are collected, shown to the person, and made after a yes. */
  readonly isDryRun: boolean;
  /** The worst effect that its calls may have; absent: any. */
  readonly most?: Effect | undefined;
}

export interface ScriptRunOptions {
  readonly limits: ScriptLimits;
  readonly clock?: Clock | undefined;
  /** Called once when nothing of the script computes any more. */
  readonly onEnd: () => void;
  readonly tape?: Tape | undefined;
}

/** Lines of the stack in a failure. */
const maxPlaces = 3;

export async function runScript(
  { id, code, input, isDryRun, most }: ScriptCall,
  options: PlanOptions,
  { limits, clock = systemClock, tape, onEnd }: ScriptRunOptions,
): Promise<CallResult> {
  const context = options.callerContext as CallContext;
  const dryRun = isDryRun ? new DryRun(context) : undefined;
  const calls = new InnerCalls({ context, options, id, limits, dryRun, most });
  const logged: string[] = [];
  const start = tape?.start ?? { seed: Number.parseInt(id.slice(0, 8), 16), now: clock.now() };
  tape?.onStart?.(start);
  const outcome = await runInRoom({
    ...start,
    code,
    input,
    limits,
    clock,
    onEnd,
    signal: options.signal,
    answer: async (request) => {
      const make = async () => ({ ...await calls.answer(request), now: clock.now() });
      return await (tape === undefined ? make() : tape.answer(request, make));
    },
    onLog: (line) => void logged.push(line),
  });
  const notes = logged.length === 0 ? [] : [`[log]\n${logged.join("\n")}`];
  if ("returned" in outcome && dryRun !== undefined) {
    const done = await dryRun.finish(options.ask, (request, agreed) => {
      return calls.callAgreed(request, agreed);
    });
    notes.push(done.text);
    await calls.close();
    return resultOf(outcome, notes, done.isError);
  }
  await calls.close();
  if (!("failure" in outcome)) return resultOf(outcome, notes, false);
  const failure = outcome.failure + moduleHint(code, outcome.failure);
  return resultOf({ ...outcome, failure }, [...notes, countsText(calls)], true);
}

function resultOf(
  outcome: RoomOutcome,
  notes: readonly string[],
  isError: boolean,
): CallResult {
  const blocks = notes.map((text): ContentBlock => ({ type: "text", text }));
  const record = { ending: isError ? "failed" : "returned" };
  if ("failure" in outcome) {
    const { content } = textResult(failureText(outcome));
    return { content: [...content, ...blocks], isError, record };
  }
  const { content } = textResult(textIn(outcome.returned));
  return { content: [...content, ...blocks], isError, record };
}

/** A text without its quotes; JSON otherwise. */
function textIn(json: string): string {
  if (!json.startsWith('"')) return json;
  try {
    return JSON.parse(json) as string;
  } catch {
    // Only a script that takes the function of its room writes this
    return json;
  }
}

/** Says what to use instead of `import` and `require`, which the room does not have. */
function moduleHint(code: string, failure: string): string {
  const isOfModules = /^(?:Syntax|Reference)Error: /.test(failure) &&
    /^\s*import\b|\b(?:import|require)\s*\(/m.test(code);
  return isOfModules ? "\nA script has no modules: call(tool, args) calls a tool" : "";
}

function failureText({ failure, stack = "" }: RoomFailure): string {
  const places = stack.split("\n").map((line) => line.trim()).filter((line) => {
    return line.includes(fileName);
  });
  return [`Script failed: ${failure}`, ...places.slice(0, maxPlaces).map((line) => `  ${line}`)]
    .join("\n");
}

/** After a failure: an agent has to know what was done already. */
function countsText({ counts: { reads, writes } }: InnerCalls): string {
  const sum = (counts: CallCounts) => counts.values().reduce((all, count) => all + count, 0);
  const changed = sum(writes) === 0
    ? "none of them changes anything"
    : `these may have changed something: ${
      writes.entries().map(([name, count]) => `${name} ${count}×`).toArray().join(", ")
    }`;
  return `[${plural(sum(reads) + sum(writes), "call")} made; ${changed}]`;
}
