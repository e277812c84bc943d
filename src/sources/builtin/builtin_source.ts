/** START HERE for the built-in tools, which read stored outputs and manage background jobs. */

import type { BackgroundJobs } from "../../call/background.ts";
import type { SelectableOutput } from "../../call/truncate_result.ts";
import { type Jobs, resultTool, statusTool } from "../../jobs/jobs.ts";
import { type Outputs, readTool, searchTool, selectTool } from "../../jobs/outputs.ts";
import type { CallResult, WholeOutput } from "../../tool/result.ts";
import type { Plan, Runner } from "../../tool/runner.ts";
import { type ArgValues, builtinKind, type Tool } from "../../tool/tool.ts";
import type { LoadResult, ToolSource } from "../source.ts";
import { type BuiltinGroup, builtinSourceOf, builtinTools } from "./tools.ts";
import { delay, yieldToEventLoop } from "../../async/deadline.ts";
import { maskValues } from "../../tool/value.ts";

interface BuiltinOptions {
  readonly jobs?: Jobs | undefined;
  readonly outputs?: Outputs | undefined;
  /** A result has at most this many tokens; 0 means that there is no bound. */
  readonly maxResultTokens: number;
}

export class BuiltinToolSource implements ToolSource {
  readonly kind = builtinKind;
  readonly runner: Runner;
  readonly #options: BuiltinOptions;
  /** The built-in tools that the policy allows; `undefined` until the first load is done. */
  #allowed: readonly Tool[] | undefined;
  #outputs: Outputs | undefined;
  /** Names and aliases of the tools from other sources. A built-in tool with one of these names is not served. */
  #taken: ReadonlySet<string> = new Set();
  readonly #shown: Set<BuiltinGroup>;
  #onShow: (() => void) | undefined;

  constructor(options: BuiltinOptions) {
    this.#options = options;
    this.runner = builtinRunner({ ...options, outputs: () => this.#outputs });
    // A store that instances share may have outputs and jobs already, so the tools for them are listed at once
    this.#shown = new Set([
      ...options.outputs?.isShared ? ["outputs" as const] : [],
      ...options.jobs?.isShared ? ["jobs" as const] : [],
    ]);
  }

  /** Where long outputs are stored; `undefined` unless the policy allows a tool that reads them. */
  get outputs(): Outputs | undefined {
    return this.#outputs;
  }

  load(taken: readonly Tool[]): Promise<LoadResult> {
    const tools = builtinTools(taken);
    return Promise.resolve({ tools, problems: [], unreadable: false, warnings: [] });
  }

  /** Sets the tools that the policy allows. Outputs are only stored if the first call allows `output_read`. */
  permit(allowed: readonly Tool[]): void {
    const canRead = allowed.some(({ name }) => name === readTool);
    if (this.#allowed === undefined && canRead) this.#outputs = this.#options.outputs;
    this.#allowed = allowed;
  }

  subscribeShown(onShow: () => void): void {
    this.#onShow = onShow;
  }

  /** Returns `own`, the tools of other sources, with the built-in tools for which there are stored outputs or jobs. */
  withTools(own: readonly Tool[]): readonly Tool[] {
    this.#taken = new Set(own.flatMap(({ name, aliases = [] }) => [name, ...aliases]));
    if (this.#shown.size === 0) return own;
    const shown = this.#usable().filter((tool) => this.#shown.has(builtinSourceOf(tool).about));
    return [...own, ...shown.filter(({ name }) => !this.#taken.has(name))];
  }

  async keep(
    text: string | WholeOutput,
    owner: string | undefined,
  ): Promise<SelectableOutput | undefined> {
    if (!this.isAllowed(readTool)) return undefined;
    const stored = await this.#outputs?.store(text, owner);
    if (stored === undefined) return undefined;
    this.#show("outputs");
    return {
      ...stored,
      isSelectable: [searchTool, selectTool].every((tool) => this.isAllowed(tool)),
    };
  }

  backgroundJobs(jobs: Jobs, softTimeoutMs: number): BackgroundJobs {
    return {
      jobs,
      softTimeoutMs,
      isAvailable: () => this.isAllowed(statusTool) && this.isAllowed(resultTool),
      expose: () => this.#show("jobs"),
    };
  }

  isAllowed(toolName: string): boolean {
    return !this.#taken.has(toolName) && this.#usable().some(({ name }) => name === toolName);
  }

  #usable(): readonly Tool[] {
    const isOpen = {
      outputs: this.#outputs !== undefined,
      jobs: this.#options.jobs?.isOpen ?? false,
    };
    return this.#allowed?.filter((tool) => isOpen[builtinSourceOf(tool).about]) ?? [];
  }

  #show(group: BuiltinGroup): void {
    if (this.#shown.has(group)) return;
    this.#shown.add(group);
    this.#onShow?.();
  }
}

/** A built-in tool's result has at most this many tokens if the results of other tools have no bound. */
const tokensWithoutBound = 10_000;
/** This many tokens are kept free for the last line of a result, which says how to read on. */
const tokensOfNote = 200;

interface BuiltinRunnerOptions extends Omit<BuiltinOptions, "outputs"> {
  readonly outputs: () => Outputs | undefined;
}

export function builtinRunner(options: BuiltinRunnerOptions): Runner {
  const queue = new PerOwnerQueue();
  return { prepare: (tool, values) => planOf(tool, values, { ...options, queue }) };
}

/** Runs the built-in calls of each client one after the other, as a built-in call may block all other work. */
class PerOwnerQueue {
  readonly #last = new Map<string | undefined, Promise<unknown>>();

  async run(
    owner: string | undefined,
    work: () => CallResult | Promise<CallResult>,
  ): Promise<CallResult> {
    const before = this.#last.get(owner);
    // Messages that have arrived, such as a cancellation, are read before the work blocks the event loop
    const own = Promise.resolve(before).then(() => delay(1)).then(yieldToEventLoop).then(work);
    const ended = own.catch(() => {});
    this.#last.set(owner, ended);
    try {
      return await own;
    } finally {
      if (this.#last.get(owner) === ended) this.#last.delete(owner);
    }
  }
}

function planOf(
  tool: Tool,
  values: ArgValues,
  { outputs, jobs, maxResultTokens, queue }: BuiltinRunnerOptions & {
    readonly queue: PerOwnerQueue;
  },
): Plan {
  const given = tool.args.flatMap(({ name }) => {
    return values.has(name) ? [[name, values.get(name)] as const] : [];
  });
  const record = maskValues(tool, given);
  const maxTokens = maxResultTokens === 0 ? tokensWithoutBound : maxResultTokens;
  return {
    ok: true,
    needsPermit: false,
    preview: { record: { arguments: record }, line: `${tool.name} ${JSON.stringify(record)}` },
    async run({ owner, signal }) {
      const services = {
        open: (id: string) => outputs()?.open(id, owner),
        maxTokens: Math.max(maxTokens / 2, maxTokens - tokensOfNote),
        jobs,
        owner,
        signal,
      };
      const { about, work } = builtinSourceOf(tool);
      const result = about === "outputs"
        ? await queue.run(owner, () => work(services, values))
        : await work(services, values);
      return { ...result, record: { ending: result.isError ? "error" : "answered" } };
    },
  };
}
