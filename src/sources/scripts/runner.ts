/** Plans calls of scripts. The room is imported at the first run: a start must not load QuickJS. */

import type { Clock } from "../../async/clock.ts";
import { abortable } from "../../async/deadline.ts";
import { type AcquireFailure, FairSemaphore } from "../../async/semaphore.ts";
import { sha256 } from "../../text/hash.ts";
import { type CallResult, textResult } from "../../tool/result.ts";
import {
  argumentStage,
  type Plan,
  type PlanOptions,
  type Refusal,
  type Runner,
} from "../../tool/runner.ts";
import type { ArgValues, Tool } from "../../tool/tool.ts";
import { type ScriptLimits, scriptLimits, scriptsAtOnce } from "./limits.ts";
import type { Tape } from "./recording.ts";
import type { ScriptCall } from "./script_run.ts";

export interface ScriptRunnerOptions {
  /** @default {@linkcode scriptLimits} */
  readonly limits?: ScriptLimits | undefined;
  readonly clock?: Clock | undefined;
  readonly tape?: Tape | undefined;
}

export function scriptRunner(
  { limits = scriptLimits, clock, tape }: ScriptRunnerOptions,
): Runner {
  const queue = new ScriptQueue();
  let close = () => Promise.resolve();
  const run = async (script: ScriptCall, options: PlanOptions): Promise<CallResult> => {
    const [{ runScript }, { closeRooms }] = await Promise.all([
      import("./script_run.ts"),
      import("./room.ts"),
    ]);
    close = closeRooms;
    return await queue.run(options, (onEnd) => {
      return runScript(script, options, { limits, clock, tape, onEnd });
    });
  };
  return {
    prepare: (tool, values) => planOf(tool, values, { limits, run }),
    permissions: () => Promise.resolve({}),
    check: () => Promise.resolve({ problems: [], warnings: [] }),
    close: () => close(),
  };
}

function planOf(tool: Tool, values: ArgValues, { limits, run }: {
  readonly limits: ScriptLimits;
  readonly run: (script: ScriptCall, options: PlanOptions) => Promise<CallResult>;
}): Plan | Refusal {
  const code = String(values.get("code"));
  const given = values.get("input");
  const input = given === undefined ? undefined : JSON.stringify(given);
  const reasons = [
    ...(code.trim() === "" ? ["Argument 'code' is empty: expected JavaScript"] : []),
    ...((input?.length ?? 0) > limits.valueLength
      ? [`Argument 'input' is over ${limits.valueLength} characters`]
      : []),
  ];
  if (reasons.length > 0) return { ok: false, stage: argumentStage, reasons, rule: "arguments" };
  const isDryRun = values.get("dry_run") === true;
  const id = crypto.randomUUID();
  const shown = input === undefined ? "" : `\nwith this input: ${input}`;
  return {
    ok: true,
    // It waits for its calls, which need permits: with a permit of its own it might wait for itself
    needsPermit: false,
    preview: {
      record: {
        script: id,
        sha256: sha256(code),
        ...(isDryRun ? { dry_run: true } : {}),
        ...(given === undefined ? {} : { arguments: { input: given } }),
      },
      line: `${tool.name}${isDryRun ? " (dry run)" : ""}: ${code}${shown}`,
    },
    run: (options) => run({ id, code, input, isDryRun }, options),
  };
}

/** A client runs one script at a time, and all together a few; one that still computes counts. */
class ScriptQueue {
  readonly #permits = new FairSemaphore(scriptsAtOnce);
  readonly #last = new Map<unknown, Promise<void>>();

  /** Calls `work` in turn, which calls `onEnd`. */
  async run(
    { owner, elicitationScope, signal }: PlanOptions,
    work: (onEnd: () => void) => Promise<CallResult>,
  ): Promise<CallResult> {
    const client = owner ?? elicitationScope;
    const before = this.#last.get(client);
    const { promise: ended, resolve: onEnd } = Promise.withResolvers<void>();
    const last = Promise.all([before, ended]).then(() => {
      if (this.#last.get(client) === last) this.#last.delete(client);
    });
    this.#last.set(client, last);
    try {
      const turn = before === undefined ? undefined : await abortable(before, signal);
      const release = turn === "aborted"
        ? "cancelled"
        : await this.#permits.acquire({ owner, signal });
      if (typeof release === "string") {
        onEnd();
        return notRun(release);
      }
      void ended.then(release);
      return await work(onEnd);
    } catch (error) {
      onEnd();
      throw error;
    }
  }
}

function notRun(reason: AcquireFailure): CallResult {
  const why = reason === "full"
    ? "too many others wait, try again later"
    : "the call was cancelled";
  return {
    ...textResult(`Script not run: ${why}`, true),
    record: { ending: "not started: other" },
  };
}
