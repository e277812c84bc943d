/**
 * START HERE for scripts, which make many calls in one. A script runs in a VM, from which it reaches only `call()`.
 * This source makes the tools that run scripts, and plans their calls. QuickJS is imported when the first script runs.
 */

import type { Clock } from "../../async/clock.ts";
import { abortable } from "../../async/deadline.ts";
import { type AcquireFailure, FairSemaphore } from "../../async/semaphore.ts";
import { type PolicyChoice, readPolicyText } from "../../policy/policy_file.ts";
import type { NamedText } from "../../text/named_text.ts";
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
import { maskValues } from "../../tool/value.ts";
import { trustFile } from "../../trust/accepted.ts";
import type { LoadResult, ToolSource } from "../source.ts";
import { findKeptFolders } from "./kept_files.ts";
import type { ArgReader, KeptTools } from "./kept_tools.ts";
import { type ScriptLimits, scriptLimits, scriptsAtOnce } from "./limits.ts";
import type { ScriptCall } from "./script_run.ts";
import {
  type KeptSource,
  runTool,
  scriptKind,
  scriptSourceOf,
  scriptTool,
} from "./script_tools.ts";

/** Kept scripts whose texts are given, in place of those in folders. */
export interface GivenScripts {
  readonly texts: readonly NamedText[];
  readonly isDryRun?: boolean | undefined;
}

interface ScriptSourceOptions {
  /** True with `--scripts`. Without it, `script_run` is served only if the policy names it. */
  readonly isOn: boolean;
  readonly policy: PolicyChoice;
  /** Returns the paths of the configs; known only after they are loaded. */
  readonly files: () => readonly string[];
  readonly given?: GivenScripts | undefined;
  /** Returns the reader of arguments in headers, imported only if there are kept scripts. */
  readonly argReader: () => Promise<ArgReader>;
  readonly clock?: Clock | undefined;
}

export class ScriptToolSource implements ToolSource {
  readonly kind = scriptKind;
  readonly runner: Runner;
  readonly #options: ScriptSourceOptions;
  /** The files and folders that are watched: kept scripts, and the list of accepted ones. */
  files: readonly string[] = [];

  constructor(options: ScriptSourceOptions) {
    this.#options = options;
    this.runner = scriptRunner({ clock: options.clock, isDryRun: options.given?.isDryRun });
  }

  async load(taken: readonly Tool[]): Promise<LoadResult> {
    const { tools: kept, ...found } = await this.#loadKept(taken);
    const tools = [...kept, ...await this.#toolsOfAgents([...taken, ...kept])];
    return { ...found, tools, problems: [], unreadable: false };
  }

  async #loadKept(taken: readonly Tool[]): Promise<Omit<KeptTools, "files">> {
    const { given, files, argReader } = this.#options;
    const folders = given === undefined ? findKeptFolders(files()) : [];
    if (folders.length + (given?.texts.length ?? 0) === 0) {
      return { tools: [], warnings: [], withheld: [] };
    }
    const { loadKeptTools, loadKeptToolsIn } = await import("./kept_tools.ts");
    if (given !== undefined) return await loadKeptTools(given.texts, taken, await argReader());
    const { files: read, ...found } = await loadKeptToolsIn(folders, taken, await argReader());
    // Missing files are watched too, since a script may return
    this.files = [...new Set([...this.files, ...folders, ...read, ...[trustFile() ?? []].flat()])];
    return found;
  }

  /** Returns the tool by which agents run code of their own, if it is on. */
  async #toolsOfAgents(taken: readonly Tool[]): Promise<readonly Tool[]> {
    const { isOn, policy } = this.#options;
    if (taken.some(({ name, aliases = [] }) => [name, ...aliases].includes(runTool))) return [];
    return isOn || await isNamed(policy) ? [scriptTool(taken)] : [];
  }
}

/** Returns whether the policy names the tool, even to deny it. A pattern would turn scripts on by chance. */
async function isNamed(policy: PolicyChoice): Promise<boolean> {
  const read = await readPolicyText(policy);
  if (typeof read !== "object" || !read.text.includes(runTool)) return false;
  const { readPolicy } = await import("../../policy/load.ts");
  const document = await readPolicy(read);
  if (!document.ok) return false;
  const { tools, deny } = document.policy;
  return Object.hasOwn(tools ?? {}, runTool) || deny?.includes(runTool) === true;
}

interface ScriptRunnerOptions {
  readonly limits?: ScriptLimits | undefined;
  readonly clock?: Clock | undefined;
  /** True if kept scripts only show what they would change, as with `dry_run` of `script_run`. @default false */
  readonly isDryRun?: boolean | undefined;
}

export function scriptRunner(
  { limits = scriptLimits, clock, isDryRun = false }: ScriptRunnerOptions = {},
): Runner {
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
      const prepared = scriptSourceOf(tool).task === "run"
        ? await scriptOfAgent(tool, values)
        : keptScript(tool, values, isDryRun);
      const { record, line, input } = prepared;
      const preview = {
        record: { script: prepared.script.id, ...record },
        generated: prepared.script.id,
        line,
        ...(input === undefined ? {} : { input, inputTitle: "The script:" }),
      };
      const script = { ...prepared.script, tool, values, preview };
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
        // The calls of a script need permits. With one of its own, the script could wait for itself
        needsPermit: false,
        preview,
        run: (options) => run(script, options),
      };
    },
    close: () => close(),
  };
}

/** A script to run, and how it is shown to a person. */
interface ShownScript {
  readonly script: Omit<ScriptCall, "tool" | "values" | "preview">;
  readonly record: Readonly<Record<string, unknown>>;
  readonly line: string;
  /** The code, if an agent wrote it; a person has already accepted the code of a kept script. */
  readonly input?: string;
}

async function scriptOfAgent(tool: Tool, values: ArgValues): Promise<ShownScript> {
  // Imported here, since node:crypto takes long to load and a start does not need it
  const { sha256 } = await import("../../text/hash.ts");
  const code = String(values.get("code"));
  const given = values.get("input");
  const isDryRun = values.get("dry_run") === true;
  const { code: shown, input } = maskValues(tool, values);
  const lineOfInput = given === undefined ? "" : ` with the input ${JSON.stringify(input)}`;
  return {
    script: {
      id: crypto.randomUUID(),
      code,
      input: given === undefined ? undefined : JSON.stringify(given),
      isDryRun,
      most: tool.policyEffect,
    },
    record: {
      sha256: sha256(code),
      ...(isDryRun ? { dry_run: true } : {}),
      ...(given === undefined ? {} : { arguments: { input } }),
    },
    line: `${tool.name}${isDryRun ? " (dry run)" : ""}${lineOfInput}`,
    input: String(shown),
  };
}

function keptScript(tool: Tool, values: ArgValues, isDryRun: boolean): ShownScript {
  const source = tool.source as KeptSource;
  const shown = maskValues(tool, values);
  // The policy may allow a script less than its header requests, but not more
  const most = exceeds(source.effect, effectOf(tool)) ? effectOf(tool) : source.effect;
  const input = JSON.stringify(Object.fromEntries(values));
  return {
    script: { id: crypto.randomUUID(), code: source.code, input, isDryRun, most },
    record: { sha256: source.sha256, arguments: shown },
    line: `script ${tool.name} ${JSON.stringify(shown)}`,
  };
}

/** Runs one script of each client at a time, and a few of all clients. A script counts until it computes no more. */
class ScriptQueue {
  readonly #permits = new FairSemaphore(scriptsAtOnce);
  readonly #last = new Map<unknown, Promise<void>>();

  /** Calls `work` when it is its turn. `work` calls `onEnd` when the script computes no more. */
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
