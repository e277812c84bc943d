/** START HERE for the built-in tools, which read stored outputs and jobs, and are listed once there are some. */

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
  /** The background jobs of the session; absent if no call may continue in the background. */
  readonly jobs?: Jobs | undefined;
  /** The store of long outputs; absent if outputs are not stored. */
  readonly outputs?: Outputs | undefined;
  /** The bound of a result in tokens; 0 means none. */
  readonly maxResultTokens: number;
}

export class BuiltinToolSource implements ToolSource {
  readonly kind = builtinKind;
  readonly runner: Runner;
  readonly #options: BuiltinOptions;
  /** The built-in tools that the policy allows; absent before the first load. */
  #allowed: readonly Tool[] | undefined;
  #outputs: Outputs | undefined;
  /** The names and aliases of tools of other sources, which take precedence over built-in ones. */
  #taken: ReadonlySet<string> = new Set();
  readonly #shown: Set<BuiltinGroup>;
  #onShow: (() => void) | undefined;

  constructor(options: BuiltinOptions) {
    this.#options = options;
    this.runner = builtinRunner({ ...options, outputs: () => this.#outputs });
    // In a shared store, other instances may have put outputs and jobs, so the tools are listed at once
    this.#shown = new Set([
      ...options.outputs?.isShared ? ["outputs" as const] : [],
      ...options.jobs?.isShared ? ["jobs" as const] : [],
    ]);
  }

  /** The store of long outputs; absent until the policy allows a tool that reads it, since nothing else could. */
  get outputs(): Outputs | undefined {
    return this.#outputs;
  }

  load(taken: readonly Tool[]): Promise<LoadResult> {
    const tools = builtinTools(taken);
    return Promise.resolve({ tools, problems: [], unreadable: false, warnings: [] });
  }

  /** Tells the source which built-in tools the policy allows. The first load decides whether outputs are stored. */
  permit(allowed: readonly Tool[]): void {
    const canRead = allowed.some(({ name }) => name === readTool);
    if (this.#allowed === undefined && canRead) this.#outputs = this.#options.outputs;
    this.#allowed = allowed;
  }

  subscribeShown(onShow: () => void): void {
    this.#onShow = onShow;
  }

  /** Returns `own`, the tools of all other sources, and the built-in tools in use. Names of `own` take precedence. */
  withTools(own: readonly Tool[]): readonly Tool[] {
    this.#taken = new Set(own.flatMap(({ name, aliases = [] }) => [name, ...aliases]));
    if (this.#shown.size === 0) return own;
    const shown = this.#usable().filter((tool) => this.#shown.has(builtinSourceOf(tool).about));
    return [...own, ...shown.filter(({ name }) => !this.#taken.has(name))];
  }

  /** Stores `text` for the client `owner`, unless no allowed tool could read it. */
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

  /** Returns how calls continue as `jobs`, unless no allowed tool could read these. */
  backgroundJobs(jobs: Jobs, softTimeoutMs: number): BackgroundJobs {
    return {
      jobs,
      softTimeoutMs,
      isAvailable: () => this.isAllowed(statusTool) && this.isAllowed(resultTool),
      expose: () => this.#show("jobs"),
    };
  }

  /** Returns whether the policy allows this built-in tool, and no other tool has its name. */
  isAllowed(toolName: string): boolean {
    return !this.#taken.has(toolName) && this.#usable().some(({ name }) => name === toolName);
  }

  /** Returns the allowed tools whose store or jobs this session has. */
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

/** Results of built-in tools have at most this many tokens, even if other results have no bound. */
const tokensWithoutBound = 10_000;
/** This many tokens of a result are reserved for its last line, which says how to continue. */
const tokensOfNote = 200;

interface BuiltinRunnerOptions extends Omit<BuiltinOptions, "outputs"> {
  /** Returns the store; nothing in a command that does not serve, since it stores no output. */
  readonly outputs: () => Outputs | undefined;
}

export function builtinRunner(options: BuiltinRunnerOptions): Runner {
  const queue = new PerOwnerQueue();
  return { prepare: (tool, values) => planOf(tool, values, { ...options, queue }) };
}

/** Runs the calls of each client one at a time. They block the event loop, so they need no permit. */
class PerOwnerQueue {
  readonly #last = new Map<string | undefined, Promise<unknown>>();

  async run(
    owner: string | undefined,
    work: () => CallResult | Promise<CallResult>,
  ): Promise<CallResult> {
    const before = this.#last.get(owner);
    // Requests that have arrived are read first; `setImmediate` alone would not let them
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
