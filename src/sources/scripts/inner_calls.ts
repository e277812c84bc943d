/** The calls and searches of a running script, with the options of its own call. They are measured before parsing. */

import { FairSemaphore } from "../../async/semaphore.ts";
import { call, refuseCall } from "../../call/call.ts";
import type { CallContext } from "../../call/context.ts";
import type { CallOptions, CallRequest } from "../../call/pipeline.ts";
import { answer } from "../../catalog/answer.ts";
import { toolIndexOf } from "../../catalog/first_search.ts";
import { messageOf } from "../../errors.ts";
import { log } from "../../log.ts";
import { describeValue, excerpt } from "../../text/excerpt.ts";
import { isObject } from "../../text/own_property.ts";
import { excessOf, scanMessage } from "../../text/message_scan.ts";
import { effectOf, exceeds } from "../../tool/annotations.ts";
import type { CallResult } from "../../tool/result.ts";
import type { Ask, PlanOptions } from "../../tool/runner.ts";
import type { Effect, Tool } from "../../tool/tool.ts";
import { signatureOf } from "../../tool/signature.ts";
import { type CallValue, callValue, errorValue } from "./call_value.ts";
import type { DryRun } from "./dry_run.ts";
import type { ScriptLimits } from "./limits.ts";
import type { RoomRequest } from "./room.ts";
import { isScript } from "./script_tools.ts";
import { maskValues, renameAliases } from "../../tool/value.ts";

interface InnerCallsOptions {
  readonly context: CallContext;
  /** Of the call that runs the script. */
  readonly options: PlanOptions;
  /** The id of the script in the audit log. */
  readonly id: string;
  readonly limits: ScriptLimits;
  /** Absent: calls that write are made. */
  readonly dryRun?: DryRun | undefined;
  /** The worst effect that a call may have; absent: any. */
  readonly most?: Effect | undefined;
}

/** The tools that were called, each with how often. */
export type CallCounts = ReadonlyMap<string, number>;

/** Most results of a search. */
const maxFound = 50;

export class InnerCalls {
  readonly #options: InnerCallsOptions;
  readonly #context: CallContext;
  readonly #permits: FairSemaphore;
  readonly #ended = new AbortController();
  readonly #running = new Set<Promise<unknown>>();
  readonly #reads = new Map<string, number>();
  readonly #writes = new Map<string, number>();
  #lastQuestion: Promise<unknown> = Promise.resolve();
  #requests = 0;

  constructor(options: InnerCallsOptions) {
    this.#options = options;
    const { context } = options;
    // A script waits for its calls, and its client would not read their jobs
    this.#context = {
      ...context,
      background: undefined,
      get index() {
        return context.index;
      },
    };
    this.#permits = new FairSemaphore(options.limits.callsAtOnce);
  }

  /** The calls that only read, and the others. */
  get counts(): { readonly reads: CallCounts; readonly writes: CallCounts } {
    return { reads: this.#reads, writes: this.#writes };
  }

  /** Answers a request; never rejects. */
  async answer(request: RoomRequest): Promise<CallValue> {
    const answering = this.#answer(request).catch((error) => {
      log("error", `a call of a script failed: ${messageOf(error)}`);
      return errorValue(`The call failed: ${messageOf(error)}`);
    });
    this.#running.add(answering);
    return await answering.finally(() => this.#running.delete(answering));
  }

  /** Makes a call of the list that the person has agreed to. */
  async callAgreed(request: CallRequest, agreed: string): Promise<CallResult> {
    return await this.#call(request, { agreed });
  }

  /** Cancels the calls that still run. Resolves when they have ended. */
  async close(): Promise<void> {
    this.#ended.abort();
    await Promise.all(this.#running);
  }

  async #answer({ kind, text }: RoomRequest): Promise<CallValue> {
    const { limits } = this.#options;
    if (++this.#requests > limits.calls) return errorValue(`A script makes ${limits.calls} calls`);
    const excess = excessOf(scanMessage(new TextEncoder().encode(text)));
    if (excess !== undefined) return errorValue(`A value of the script has ${excess}`);
    const given = JSON.parse(text) as Readonly<Record<string, unknown>>;
    return kind === "call" ? await this.#callOf(given) : await this.#search(given);
  }

  async #callOf({ name, args, select }: Readonly<Record<string, unknown>>): Promise<CallValue> {
    const { limits, options: { owner }, dryRun } = this.#options;
    if (typeof name !== "string") {
      return errorValue(`call() takes the name of a tool, not ${describeValue(name)}`);
    }
    if (select !== undefined && typeof select !== "string") {
      return errorValue(`'select' is a JSONPath, not ${describeValue(select)}`);
    }
    const { signal } = this.#ended;
    const release = await this.#permits.acquire({ signal });
    if (typeof release === "string") return errorValue("The script has ended");
    try {
      const tool = await this.#find({ tool: name, args });
      const isRead = tool !== undefined && effectOf(tool) === "read";
      // An argument that is ignored would make a wrong answer that no one looks at
      const request = { tool: tool?.name ?? name, args, refusesUnknown: true };
      const isCollected = dryRun !== undefined && !isRead && this.#refusalOf(tool) === undefined;
      const value = isCollected
        ? await dryRun.collect(request)
        : await callValue(await this.#call(request), select, { limits, signal, owner });
      return value.isError && tool !== undefined
        ? errorValue(`${describeCall(tool, args)}: ${value.text}`)
        : value;
    } finally {
      release();
    }
  }

  async #call(request: CallRequest, more: Pick<CallOptions, "agreed"> = {}): Promise<CallResult> {
    const { options, id } = this.#options;
    const { owner, client, trace, ask, elicitationScope, forceSignal } = options;
    const inner: CallOptions = {
      ...more,
      owner,
      client,
      trace,
      elicitationScope,
      forceSignal,
      signal: this.#ended.signal,
      // Without a subject: the script may have changed something before
      ask: ask && ((question, key) => this.#ask(ask, [question, key])),
      parent: id,
      // The script may expect it; if not, its own failure is a warning
      failureLevel: "info",
    };
    const tool = await this.#find(request);
    const text = this.#refusalOf(tool);
    if (text !== undefined) {
      return await refuseCall(this.#context, request, { text, rule: "script" }, inner);
    }
    const result = await call(this.#context, request, inner);
    this.#count(tool, result);
    return result;
  }

  /** Finds the tool as a call does. */
  async #find({ tool, args }: CallRequest): Promise<Tool | undefined> {
    const { index, features } = this.#context;
    return index.get(tool) ?? (await features?.find(tool, args))?.tool ?? index.resolve(tool);
  }

  /** Why a script may not call `tool`, though its client may. */
  #refusalOf(tool: Tool | undefined): string | undefined {
    const { most } = this.#options;
    if (tool === undefined) return undefined;
    if (isScript(tool)) return "Call refused: a script does not run a script";
    if (most === undefined || !exceeds(effectOf(tool), most)) return undefined;
    return `Call refused: the effect of this script is '${most}' at most, and that of ` +
      `'${tool.name}' is '${effectOf(tool)}'`;
  }

  #count(tool: Tool | undefined, { record }: CallResult): void {
    if (record === undefined || tool === undefined) return;
    const counts = effectOf(tool) === "read" ? this.#reads : this.#writes;
    counts.set(tool.name, (counts.get(tool.name) ?? 0) + 1);
  }

  /** A person answers one question after the other. */
  async #ask(ask: Ask, question: Parameters<Ask>) {
    const before = this.#lastQuestion;
    const own = before.then(async () => {
      if (!this.#ended.signal.aborted) return await ask(...question);
      return { action: "unasked", reason: "the script has ended" } as const;
    });
    this.#lastQuestion = own;
    return await own;
  }

  async #search({ query, limit }: Readonly<Record<string, unknown>>): Promise<CallValue> {
    const { index } = this.#context;
    if (typeof query !== "string") {
      return errorValue(`search() takes a query, not ${describeValue(query)}`);
    }
    const most = typeof limit === "number" && limit >= 1 ? Math.min(limit, maxFound) : undefined;
    const request = { query, ...(most === undefined ? {} : { limit: Math.floor(most) }) };
    const found = await answer(await toolIndexOf(index), request);
    const names = found.mode === "search" ? found.results.map((each) => each.tool_name) : [];
    const tools = names.flatMap((name) => index.get(name) ?? []).filter((tool) => !isScript(tool));
    const lines = tools.map((tool) => {
      const { name, description, effect } = tool;
      return { name, description, effect, signature: signatureOf(tool) };
    });
    return { isError: false, text: JSON.stringify(lines) };
  }
}

/** Characters of the arguments in the error of a call. */
const maxShownArgs = 200;

/** A call as its error names it, without secrets. */
function describeCall({ name, args: known }: Tool, args: unknown): string {
  if (!isObject(args)) return name;
  const { given } = renameAliases(known, args);
  const shown = JSON.stringify(maskValues({ args: known }, Object.entries(given)));
  return `${name} ${excerpt(shown, maxShownArgs)}`;
}
