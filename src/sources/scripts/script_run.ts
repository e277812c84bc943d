/** Runs the script of one call, makes its calls, and returns its ending as a result. */

import { type Clock, systemClock } from "../../async/clock.ts";
import type { CallContext } from "../../call/context.ts";
import { plural } from "../../text/plural.ts";
import { type CallResult, type ContentBlock, textResult } from "../../tool/result.ts";
import type { Ask, PlanOptions } from "../../tool/runner.ts";
import type { Effect, Tool } from "../../tool/tool.ts";
import { fileName } from "./_prelude.ts";
import { isScript } from "./script_tools.ts";
import { DryRun } from "./dry_run.ts";
import type { ScriptLimits } from "./limits.ts";
import { runInVm, type VmFailure, type VmOutcome, type VmRequest } from "./vm.ts";
import { FairSemaphore } from "../../async/semaphore.ts";
import { call, refuseCall } from "../../call/call.ts";
import { refusal } from "../../call/refusal.ts";
import type { CallOptions, CallRequest } from "../../call/pipeline.ts";
import { answer } from "../../catalog/answer.ts";
import { toolIndexOf } from "../../catalog/tool_index.ts";
import { messageOf } from "../../errors.ts";
import { log } from "../../log.ts";
import { describeValue, excerpt } from "../../text/excerpt.ts";
import { isObject } from "../../text/own_property.ts";
import { excessOf, scanMessage } from "../../text/message_scan.ts";
import { effectOf, exceeds } from "../../tool/annotations.ts";
import { signatureOf } from "../../tool/signature.ts";
import { type CallValue, callValue, errorValue } from "./call_value.ts";
import { maskValues, renameAliases } from "../../tool/value.ts";

/** A script to be run. */
export interface ScriptCall {
  /** The id of the script in the audit log, which its calls name as their parent. */
  readonly id: string;
  readonly code: string;
  /** JSON. */
  readonly input?: string | undefined;
  /** Calls that change something are collected, shown to the person, and made after a yes. */
  readonly isDryRun: boolean;
  /** The worst effect that its calls may have; absent: any. */
  readonly most?: Effect | undefined;
}

interface ScriptRunOptions {
  readonly limits: ScriptLimits;
  readonly clock?: Clock | undefined;
  /** Called once when the script does not compute any more. */
  readonly onEnd: () => void;
}

/** Most lines of the stack in a failure. */
const maxPlaces = 3;

export async function runScript(
  { id, code, input, isDryRun, most }: ScriptCall,
  options: PlanOptions,
  { limits, clock = systemClock, onEnd }: ScriptRunOptions,
): Promise<CallResult> {
  const context = options.callerContext as CallContext;
  const dryRun = isDryRun ? new DryRun(context) : undefined;
  const calls = new InnerCalls({ context, options, id, limits, dryRun, most });
  const logged: string[] = [];
  const outcome = await runInVm({
    seed: Number.parseInt(id.slice(0, 8), 16),
    now: clock.now(),
    code,
    input,
    limits,
    clock,
    onEnd,
    signal: options.signal,
    answer: async (request) => ({ ...await calls.answer(request), now: clock.now() }),
    onLog: (line) => void logged.push(line),
  });
  const notes = logged.length === 0 ? [] : [`[log]\n${logged.join("\n")}`];
  if ("returned" in outcome && dryRun !== undefined) {
    const done = await dryRun.finish(options.ask, (request, agreed) => {
      return calls.callAgreed(request, agreed);
    });
    notes.push(done.text);
    await calls.close();
    return resultOf(outcome, notes, done.isError);
  }
  await calls.close();
  if (!("failure" in outcome)) return resultOf(outcome, notes, false);
  const failure = outcome.failure + moduleHint(code, outcome.failure);
  return resultOf({ ...outcome, failure }, [...notes, countsText(calls)], true);
}

function resultOf(outcome: VmOutcome, notes: readonly string[], isError: boolean): CallResult {
  const blocks = notes.map((text): ContentBlock => ({ type: "text", text }));
  const record = { ending: isError ? "failed" : "returned" };
  const text = "failure" in outcome ? failureText(outcome) : unquote(outcome.returned);
  return { content: [...textResult(text).content, ...blocks], isError, record };
}

/** Returns a text without its quotes, and other values as JSON. */
function unquote(json: string): string {
  if (!json.startsWith('"')) return json;
  try {
    return JSON.parse(json) as string;
  } catch {
    // Only a script that calls the function of its VM itself sends this
    return json;
  }
}

/** Says what replaces `import` and `require`, which the VM does not have. */
function moduleHint(code: string, failure: string): string {
  const isOfModules = /^(?:Syntax|Reference)Error: /.test(failure) &&
    /^[^\S\n]*import\b|\b(?:import|require)\s*\(/m.test(code);
  return isOfModules ? "\nA script has no modules: call(tool, args) calls a tool" : "";
}

function failureText({ failure, stack = "" }: VmFailure): string {
  const places = stack.split("\n").map((line) => line.trim()).filter((line) => {
    return line.includes(fileName);
  });
  return [`Script failed: ${failure}`, ...places.slice(0, maxPlaces).map((line) => `  ${line}`)]
    .join("\n");
}

/** Says after a failure which calls were made: an agent has to know that. */
function countsText({ counts: { reads, writes } }: InnerCalls): string {
  const sum = (counts: CallCounts) => counts.values().reduce((all, count) => all + count, 0);
  const changed = sum(writes) === 0
    ? "none of them changes anything"
    : `these may have changed something: ${
      writes.entries().map(([name, count]) => `${name} ${count}×`).toArray().join(", ")
    }`;
  return `[${plural(sum(reads) + sum(writes), "call")} made; ${changed}]`;
}

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
type CallCounts = ReadonlyMap<string, number>;

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
  #hasLoss = false;

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

  /** How many calls were made that only read, and how many others. */
  get counts(): { readonly reads: CallCounts; readonly writes: CallCounts } {
    return { reads: this.#reads, writes: this.#writes };
  }

  /** Answers a request. Never rejects. */
  async answer(request: VmRequest): Promise<CallValue> {
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

  async #answer({ kind, text }: VmRequest): Promise<CallValue> {
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
      // A script would not notice that an argument was ignored
      const request = { tool: tool?.name ?? name, args, refusesUnknown: true };
      const isCollected = dryRun !== undefined && !isRead && this.#refusalOf(tool) === undefined;
      if (!isRead && this.#hasLoss && JSON.stringify(args)?.includes("\ufffd")) {
        return errorValue(`${name} was not called: ${lossText}`);
      }
      const value = isCollected
        ? await dryRun.collect(request)
        : await callValue(await this.#call(request), select, { limits, signal, owner });
      if ("isLossy" in value) this.#hasLoss = true;
      return value.isError && tool !== undefined
        ? errorValue(`${describeCall(tool, args)}: ${value.text}`)
        : value;
    } finally {
      release();
    }
  }

  async #call(request: CallRequest, more: Pick<CallOptions, "agreed"> = {}): Promise<CallResult> {
    const { options, id } = this.#options;
    const { owner, client, via, trace, ask, elicitationScope, forceSignal } = options;
    const inner: CallOptions = {
      ...more,
      owner,
      client,
      via,
      trace,
      elicitationScope,
      forceSignal,
      signal: this.#ended.signal,
      // No plan is bound to the question: the script may have changed something before
      ask: ask && ((question, key) => this.#ask(ask, [question, key])),
      parent: id,
      // The script may expect a failure. If it does not, it fails itself, which is a warning
      failureLevel: "info",
    };
    const tool = await this.#find(request);
    const text = this.#refusalOf(tool);
    if (text !== undefined) {
      return await refuseCall(this.#context, request, refusal(text, "script"), inner);
    }
    const result = await call(this.#context, request, inner);
    this.#count(tool, result);
    return result;
  }

  /** Finds the tool in the same way as a call does. */
  async #find({ tool, args }: CallRequest): Promise<Tool | undefined> {
    const { index, features } = this.#context;
    return index.get(tool) ?? (await features?.find(tool, args))?.tool ?? index.resolve(tool);
  }

  /** Says why the script must not call `tool`, though its client may. */
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

  /** Asks the person after the last question was answered. */
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
    const found = await answer(toolIndexOf(index), request);
    const names = found.mode === "search" ? found.results.map((each) => each.tool_name) : [];
    const tools = names.flatMap((name) => index.get(name) ?? []).filter((tool) => !isScript(tool));
    const lines = tools.map((tool) => {
      const { name, description, effect } = tool;
      return { name, description, effect, signature: signatureOf(tool) };
    });
    return { isError: false, text: JSON.stringify(lines) };
  }
}

/** The reason for a refusal: to write these arguments would lose letters of another encoding. */
const lossText = "its arguments have U+FFFD, which stands for bytes of an output that is not UTF-8";

/** Most characters of the arguments in the error of a call. */
const maxShownArgs = 200;

/** Describes a call in its error, without secrets. */
function describeCall({ name, args: known }: Tool, args: unknown): string {
  if (!isObject(args)) return name;
  const { given } = renameAliases(known, args);
  const shown = JSON.stringify(maskValues({ args: known }, Object.entries(given)));
  return `${name} ${excerpt(shown, maxShownArgs)}`;
}
