/** Plans calls of the built-in tools: they start no program and need no permit. */

import { delay, yieldToEventLoop } from "../../async/deadline.ts";
import type { Jobs } from "../../jobs/jobs.ts";
import type { Outputs } from "../../jobs/outputs.ts";
import type { CallResult } from "../../tool/result.ts";
import type { Plan, Runner } from "../../tool/runner.ts";
import type { ArgValues, Tool } from "../../tool/tool.ts";
import { builtinSourceOf } from "./source.ts";
import { maskValues } from "../../tool/value.ts";

/** Most tokens of a result if results have no bound. */
const tokensWithoutBound = 20_000;
/** Most tokens of the last line. */
const tokensOfNote = 200;

interface BuiltinRunnerOptions {
  /** Returns nothing while no output is stored, as in a command that does not serve. */
  readonly outputs: () => Outputs | undefined;
  /** Absent: there are no background jobs. */
  readonly jobs?: Jobs | undefined;
  /** Most tokens of a result; 0: no bound. */
  readonly maxResultTokens: number;
}

export function builtinRunner(options: BuiltinRunnerOptions): Runner {
  const queue = new PerOwnerQueue();
  return {
    prepare: (tool, values) => planOf(tool, values, { ...options, queue }),
    permissions: () => Promise.resolve({}),
    check: () => Promise.resolve({ problems: [], warnings: [] }),
    close: () => Promise.resolve(),
  };
}

/** Runs one call of a client at a time: they block the event loop, and need no permit. */
class PerOwnerQueue {
  readonly #last = new Map<string | undefined, Promise<unknown>>();

  async run(
    owner: string | undefined,
    work: () => CallResult | Promise<CallResult>,
  ): Promise<CallResult> {
    const before = this.#last.get(owner);
    // Lets requests that have arrived be read first, which `setImmediate` would not do
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
