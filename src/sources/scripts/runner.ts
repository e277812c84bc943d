/** Plans calls of scripts. The VM is imported at the first run: a start must not load QuickJS. */

import type { Clock } from "../../async/clock.ts";
import { abortable } from "../../async/deadline.ts";
import { type AcquireFailure, FairSemaphore } from "../../async/semaphore.ts";
import { sha256 } from "../../text/hash.ts";
import { effectOf, exceeds } from "../../tool/annotations.ts";
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
import type { ScriptCall } from "./script_run.ts";
import { type KeptSource, scriptSourceOf } from "./source.ts";
import { maskValues } from "../../tool/value.ts";

export interface ScriptRunnerOptions {
  /** @default {@linkcode scriptLimits} */
  readonly limits?: ScriptLimits | undefined;
  readonly clock?: Clock | undefined;
  /** Kept scripts collect the calls that change something, as with `dry_run` of `script_run`. @default false */
  readonly isDryRun?: boolean | undefined;
}

type RunScript = (script: ScriptCall, options: PlanOptions) => Promise<CallResult>;

export function scriptRunner(
  { limits = scriptLimits, clock, isDryRun = false }: ScriptRunnerOptions = {},
): Runner {
  const queue = new ScriptQueue();
  let close = () => Promise.resolve();
  const run: RunScript = async (script, options) => {
    const [{ runScript }, { closeVms }] = await Promise.all([
      import("./script_run.ts"),
      import("./vm.ts"),
    ]);
    close = closeVms;
    return await queue.run(options, (onEnd) => {
      return runScript(script, options, { limits, clock, onEnd });
    });
  };
  return {
    prepare(tool, values) {
      const source = scriptSourceOf(tool);
      const plan = source.task === "run"
        ? planOf(tool, values, { limits, run })
        : planOfKept(tool, values, { source, isDryRun, limits, run });
      return Promise.resolve(plan);
    },
    permissions: () => Promise.resolve({}),
    close: () => close(),
  };
}

function planOf(tool: Tool, values: ArgValues, { limits, run }: {
  readonly limits: ScriptLimits;
  readonly run: RunScript;
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
  if (reasons.length > 0) return wrongArguments(reasons);
  const isDryRun = values.get("dry_run") === true;
  const id = crypto.randomUUID();
  const masked = maskValues(tool, values);
  const shown = given === undefined ? "" : `\nwith this input: ${JSON.stringify(masked["input"])}`;
  return {
    ok: true,
    // It waits for its calls, which need permits: with a permit of its own it might wait for itself
    needsPermit: false,
    preview: {
      record: {
        script: id,
        sha256: sha256(code),
        ...(isDryRun ? { dry_run: true } : {}),
        ...(given === undefined ? {} : { arguments: { input: masked["input"] } }),
      },
      generated: id,
      line: `${tool.name}${isDryRun ? " (dry run)" : ""}: ${masked["code"]}${shown}`,
    },
    run: (options) => run({ id, code, input, isDryRun, most: tool.policyEffect }, options),
  };
}

function planOfKept(tool: Tool, values: ArgValues, { source, isDryRun, limits, run }: {
  readonly source: KeptSource;
  readonly isDryRun: boolean;
  readonly limits: ScriptLimits;
  readonly run: RunScript;
}): Plan | Refusal {
  const input = JSON.stringify(Object.fromEntries(values));
  if (input.length > limits.valueLength) {
    return wrongArguments([`The arguments are over ${limits.valueLength} characters`]);
  }
  const id = crypto.randomUUID();
  const shown = maskValues(tool, values);
  // The policy may give it a better effect than its header does, and not a worse one
  const most = exceeds(source.effect, effectOf(tool)) ? effectOf(tool) : source.effect;
  return {
    ok: true,
    needsPermit: false,
    preview: {
      record: { script: id, sha256: source.sha256, arguments: shown },
      generated: id,
      line: `script ${tool.name} ${JSON.stringify(shown)}`,
    },
    run: (options) => run({ id, code: source.code, input, isDryRun, most }, options),
  };
}

function wrongArguments(reasons: readonly string[]): Refusal {
  return { ok: false, stage: argumentStage, reasons, rule: "arguments" };
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
