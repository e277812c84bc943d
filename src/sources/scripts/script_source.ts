/**
 * START HERE for scripts, which make many calls in one. A script runs in a VM and reaches only calls, searches and its
 * log. QuickJS is imported when the first script runs.
 */

import type { Clock } from "../../async/clock.ts";
import { abortable } from "../../async/deadline.ts";
import { type AcquireFailure, FairSemaphore } from "../../async/semaphore.ts";
import { type PolicyChoice, readPolicyText } from "../../policy/policy_file.ts";
import { type CallResult, textResult } from "../../tool/result.ts";
import {
  argumentStage,
  type Plan,
  type PlanOptions,
  type PlanPreview,
  type Refusal,
  type Runner,
} from "../../tool/runner.ts";
import type { ArgValues, Tool } from "../../tool/tool.ts";
import { maskValues } from "../../tool/value.ts";
import type { LoadResult, ToolSource } from "../source.ts";
import { type ScriptLimits, scriptLimits, scriptsAtOnce } from "./limits.ts";
import type { ScriptCall } from "./script_run.ts";
import { runTool, scriptKind, scriptTool } from "./script_tools.ts";

interface ScriptSourceOptions {
  /** True with `--scripts`. Without that option, `script_run` is served only if the policy names it. */
  readonly isOn: boolean;
  readonly policy: PolicyChoice;
  readonly clock?: Clock | undefined;
}

export class ScriptToolSource implements ToolSource {
  readonly kind = scriptKind;
  readonly runner: Runner;
  readonly #options: ScriptSourceOptions;

  constructor(options: ScriptSourceOptions) {
    this.#options = options;
    this.runner = scriptRunner(options.clock);
  }

  async load(taken: readonly Tool[]): Promise<LoadResult> {
    const { isOn, policy } = this.#options;
    const isTaken = taken.some(({ name, aliases = [] }) => [name, ...aliases].includes(runTool));
    const isServed = !isTaken && (isOn || await isNamed(policy));
    const tools = isServed ? [scriptTool(taken)] : [];
    return { tools, warnings: [], problems: [], unreadable: false };
  }
}

/** Returns whether a policy names `script_run`, even to deny it. A pattern such as `*` must not turn scripts on. */
async function isNamed(policy: PolicyChoice): Promise<boolean> {
  const read = await readPolicyText(policy);
  if (typeof read !== "object" || !read.text.includes(runTool)) return false;
  const { readPolicy } = await import("../../policy/load.ts");
  const document = await readPolicy(read);
  if (!document.ok) return false;
  const { tools, deny } = document.policy;
  return Object.hasOwn(tools ?? {}, runTool) || deny?.includes(runTool) === true;
}

export function scriptRunner(clock?: Clock, limits: ScriptLimits = scriptLimits): Runner {
  const queue = new ScriptQueue();
  let close = () => Promise.resolve();
  const run = async (script: ScriptCall, options: PlanOptions) => {
    const { runScript } = await import("./script_run.ts");
    close = (await import("./vm.ts")).closeVms;
    const inTurn = (work: Parameters<typeof queue.run>[1]) => queue.run(options, work);
    return await runScript(script, options, { limits, clock, inTurn });
  };
  return {
    keepsOrder: true,
    async prepare(tool, values): Promise<Plan | Refusal> {
      const script = await scriptOf(tool, values);
      const reasons = [
        ...(script.code.trim() === "" ? ["Argument 'code' is empty: expected JavaScript"] : []),
        ...((script.input?.length ?? 0) > limits.valueLength
          ? [`Its input is over ${limits.valueLength} characters`]
          : []),
      ];
      if (reasons.length > 0) {
        return { ok: false, stage: argumentStage, reasons, rule: "arguments" };
      }
      return {
        ok: true,
        // A script holds no permit, since its own calls need permits: with few permits, it would wait for itself
        needsPermit: false,
        preview: script.preview,
        run: (options) => run(script, options),
      };
    },
    close: () => close(),
  };
}

async function scriptOf(tool: Tool, values: ArgValues): Promise<ScriptCall> {
  // node:crypto takes long to load, so it is loaded when the first script runs
  const { sha256 } = await import("../../text/hash.ts");
  const id = crypto.randomUUID();
  const code = String(values.get("code"));
  const given = values.get("input");
  const isDryRun = values.get("dry_run") === true;
  const { code: shown, input } = maskValues(tool, values);
  const lineOfInput = given === undefined ? "" : ` with the input ${JSON.stringify(input)}`;
  const preview: PlanPreview = {
    record: {
      script: id,
      sha256: sha256(code),
      ...(isDryRun ? { dry_run: true } : {}),
      ...(given === undefined ? {} : { arguments: { input } }),
    },
    generated: id,
    line: `${tool.name}${isDryRun ? " (dry run)" : ""}${lineOfInput}`,
    input: String(shown),
    inputTitle: "The script:",
  };
  const json = given === undefined ? undefined : JSON.stringify(given);
  return { id, code, input: json, isDryRun, most: tool.policyEffect, tool, values, preview };
}

class ScriptQueue {
  readonly #permits = new FairSemaphore(scriptsAtOnce);
  readonly #last = new Map<unknown, Promise<void>>();

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
  const isFull = reason === "full";
  const why = isFull ? "too many others wait, try again later" : "the call was cancelled";
  const record = { ending: "not started: other" };
  return { ...textResult(`Script not run: ${why}`, true), record };
}
