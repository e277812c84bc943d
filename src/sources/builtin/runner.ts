/** Calls of the tools that are built in as plans: they start nothing, and take no place. */

import { delay } from "../../async/deadline.ts";
import { yieldToEventLoop } from "../../exec/event_loop.ts";
import type { Jobs } from "../../jobs/jobs.ts";
import type { OutputStore } from "../../jobs/outputs.ts";
import type { CallResult } from "../../tool/result.ts";
import type { Plan, Runner } from "../../tool/runner.ts";
import type { ArgValues, Tool } from "../../tool/tool.ts";
import { sourceOf } from "./source.ts";

/** Tokens of an answer where results have no bound. */
const tokensWithoutBound = 20_000;
/** Tokens that the line at the end may take. */
const tokensOfNote = 200;

/** Settings of {@linkcode builtinRunner}. */
export interface BuiltinRunnerOptions {
  /** Absent: nothing is kept, since nothing is served. */
  readonly outputs?: OutputStore | undefined;
  /** Absent: there are no background jobs. */
  readonly jobs?: Jobs | undefined;
  /** Tokens that a result may cost; 0: as many as there are. */
  readonly maxResultTokens: number;
}

/** A runner of the tools that are built in. */
export function builtinRunner(options: BuiltinRunnerOptions): Runner {
  const turns = new PerOwnerQueue();
  return {
    prepare: (tool, values) => planOf(tool, values, { ...options, turns }),
    permissions: () => Promise.resolve({}),
    check: () => Promise.resolve({ problems: [], warnings: [] }),
    close: () => Promise.resolve(),
  };
}

/**
 * What reads outputs holds the process up for as long as it works, and takes no place: each client has one
 * such call at a time, and everybody else comes in between any two.
 */
class PerOwnerQueue {
  readonly #last = new Map<string | undefined, Promise<unknown>>();

  async take(
    owner: string | undefined,
    work: () => CallResult | Promise<CallResult>,
  ): Promise<CallResult> {
    const before = this.#last.get(owner);
    // What has arrived meanwhile is read in between, which an immediate does not wait for
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
  { outputs, jobs, maxResultTokens, turns }: BuiltinRunnerOptions & {
    readonly turns: PerOwnerQueue;
  },
): Plan {
  const record = Object.fromEntries(tool.args.flatMap(({ name, constraint }) => {
    if (!values.has(name)) return [];
    return [[name, constraint?.secret ? "***" : values.get(name)]];
  }));
  const maxTokens = maxResultTokens === 0 ? tokensWithoutBound : maxResultTokens;
  return {
    ok: true,
    needsPermit: false,
    preview: { record: { arguments: record }, line: `${tool.name} ${JSON.stringify(record)}` },
    async run({ owner, signal }) {
      const desk = {
        read: (id: string) => outputs?.read(id, owner),
        maxTokens: Math.max(maxTokens / 2, maxTokens - tokensOfNote),
        jobs,
        owner,
        signal,
      };
      const { about, work } = sourceOf(tool);
      const result = about === "outputs"
        ? await turns.take(owner, () => work(desk, values))
        : await work(desk, values);
      return { ...result, record: { ending: result.isError ? "error" : "answered" } };
    },
  };
}
