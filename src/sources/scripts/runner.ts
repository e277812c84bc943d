/** Plans calls of scripts. The room is imported at the first run: a start must not load QuickJS. */

import type { Clock } from "../../async/clock.ts";
import { abortable } from "../../async/deadline.ts";
import { FairSemaphore } from "../../async/semaphore.ts";
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
    return await queue.run(options, () => runScript(script, options, { limits, clock, tape }));
  };
  return {
    prepare: (tool, values) => planOf(tool, values, { limits, run }),
    permissions: async () => {
      const { roomFiles } = await import("./room.ts");
      return { read: roomFiles() };
    },
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

/** A client runs one script at a time, and all together a few. */
class ScriptQueue {
  readonly #permits = new FairSemaphore(scriptsAtOnce);
  readonly #last = new Map<unknown, Promise<unknown>>();

  async run(options: PlanOptions, work: () => Promise<CallResult>): Promise<CallResult> {
    const { owner, elicitationScope, signal } = options;
    const client = owner ?? elicitationScope;
    const own = this.#inTurn(this.#last.get(client), { owner, signal }, work);
    const ended = own.catch(() => {});
    this.#last.set(client, ended);
    try {
      return await own;
    } finally {
      if (this.#last.get(client) === ended) this.#last.delete(client);
    }
  }

  async #inTurn(
    before: Promise<unknown> | undefined,
    waiter: Pick<PlanOptions, "owner" | "signal">,
    work: () => Promise<CallResult>,
  ): Promise<CallResult> {
    const turn = before === undefined ? undefined : await abortable(before, waiter.signal);
    const release = turn === "aborted" ? "cancelled" : await this.#permits.acquire(waiter);
    if (release === "cancelled") return notRun("the call was cancelled");
    if (release === "full") return notRun("too many others wait, try again later");
    try {
      return await work();
    } finally {
      release();
    }
  }
}

function notRun(reason: string): CallResult {
  return {
    ...textResult(`Script not run: ${reason}`, true),
    record: { ending: "not started: other" },
  };
}
