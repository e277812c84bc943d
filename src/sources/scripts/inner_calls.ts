/** Makes the calls and searches of a script, as a client would, or collects calls for one question. */

import type { CallContext } from "../../call/context.ts";
import type { CallResult } from "../../tool/result.ts";
import type { PlanOptions, Refusal } from "../../tool/runner.ts";
import type { Effect, Tool } from "../../tool/tool.ts";
import { isScript } from "./script_tools.ts";
import type { CollectedCalls } from "./collected_calls.ts";
import type { ScriptLimits } from "./limits.ts";
import type { VmRequest } from "./vm.ts";
import { FairSemaphore } from "../../async/semaphore.ts";
import { CallQueue, type Ticket } from "../../call/call_queue.ts";
import { call } from "../../call/call.ts";
import { reasonToConfirm } from "../../call/confirm.ts";
import { standingOf } from "../../call/consent.ts";
import { prepareCall, resolve } from "../../call/prepare.ts";
import { refusal } from "../../call/refusal.ts";
import type { AgreedCalls, CallOptions, CallRequest } from "../../call/pipeline.ts";
import { answer } from "../../catalog/answer.ts";
import { toolIndexOf } from "../../catalog/tool_index.ts";
import { messageOf } from "../../errors.ts";
import { log } from "../../log.ts";
import { describeValue, excerpt } from "../../text/excerpt.ts";
import { isObject } from "../../text/own_property.ts";
import { plural } from "../../text/plural.ts";
import { excessOf, scanMessage } from "../../text/message_scan.ts";
import { effectOf, exceeds } from "../../tool/annotations.ts";
import { signatureOf } from "../../tool/signature.ts";
import { type CallValue, callValue, errorValue } from "./call_value.ts";
import { renameAliases } from "../../tool/aliases.ts";
import { maskValues } from "../../tool/value.ts";

interface InnerCallsOptions {
  readonly context: CallContext;
  readonly options: PlanOptions;
  readonly id: string;
  readonly limits: ScriptLimits;
  /** Where calls that change something are collected, once a call needs a yes. @default none: all calls are made */
  readonly collected?: CollectedCalls | undefined;
  /** True in a dry run, which collects every call that changes something, even if it needs no yes. @default false */
  readonly isDryRun?: boolean;
  readonly agreed?: AgreedCalls | undefined;
  readonly most?: Effect | undefined;
}

const maxFound = 50;

export class InnerCalls {
  readonly #options: InnerCallsOptions;
  readonly #context: CallContext;
  readonly #permits: FairSemaphore;
  readonly #ended = new AbortController();
  readonly #running = new Set<Promise<unknown>>();
  #reads = 0;
  readonly #writes = new Map<string, number>();
  readonly #queue = new CallQueue(undefined);
  /** The texts of failed calls. They must not be logged, as they may have outputs of programs. */
  readonly errors: string[] = [];
  #requests = 0;
  #hasLoss = false;
  /** True once a call may have changed something: a second run of the script could then change it twice. */
  #hasWritten = false;
  #isCollecting = false;

  constructor(options: InnerCallsOptions) {
    this.#options = options;
    const { context } = options;
    // A call of a script must not become a background job, whose result the script could not read
    this.#context = {
      ...context,
      background: undefined,
      get index() {
        return context.index;
      },
    };
    this.#permits = new FairSemaphore(options.limits.callsAtOnce);
  }

  /** Tells an agent after a failure which calls may have changed something. */
  describeCalls(): string {
    const names = [...this.#writes].map(([name, count]) => `${name} ${count}×`).join(", ");
    const count = this.#writes.values().reduce((all, each) => all + each, this.#reads);
    const changed = names === ""
      ? "none of them changes anything"
      : `these may have changed something: ${names}`;
    return `[${plural(count, "call")} made; ${changed}]`;
  }

  /** Answers a call or search of a script, and never rejects. */
  async answer(request: VmRequest): Promise<CallValue> {
    const ticket = this.#queue.enter();
    const answering = this.#answer(request, ticket).catch((error) => {
      log("error", `a call of a script failed: ${messageOf(error)}`);
      return errorValue(`The call failed: ${messageOf(error)}`);
    });
    this.#running.add(answering);
    return await answering.finally(() => {
      ticket.leave();
      this.#running.delete(answering);
    });
  }

  async close(): Promise<void> {
    this.#ended.abort();
    await Promise.all(this.#running);
  }

  async #answer({ kind, text }: VmRequest, ticket: Ticket): Promise<CallValue> {
    const { limits } = this.#options;
    if (++this.#requests > limits.calls) return errorValue(`A script makes ${limits.calls} calls`);
    const excess = excessOf(scanMessage(new TextEncoder().encode(text)));
    if (excess !== undefined) return errorValue(`A value of the script has ${excess}`);
    const given = JSON.parse(text) as Readonly<Record<string, unknown>>;
    return kind === "call" ? await this.#callOf(given, ticket) : await this.#search(given);
  }

  async #callOf(
    { name, args, select }: Readonly<Record<string, unknown>>,
    ticket: Ticket,
  ): Promise<CallValue> {
    const { limits, options: { owner } } = this.#options;
    if (typeof name !== "string") {
      return errorValue(`call() takes the name of a tool, not ${describeValue(name)}`);
    }
    if (select !== undefined && typeof select !== "string") {
      return errorValue(`'select' is a JSONPath, not ${describeValue(select)}`);
    }
    const { signal } = this.#ended;
    const order = this.#requests;
    const release = await this.#permits.acquire({ signal });
    if (typeof release === "string") return errorValue("The script has ended");
    try {
      // A script would not notice that an unknown argument was ignored, so such a call is refused
      const request = { tool: name, args, refusesUnknown: true };
      const { tool } = await resolve({ context: this.#context, request });
      const isRead = tool !== undefined && effectOf(tool) === "read";
      // A read that asks a person would ask again in a second run of the script, so the script must not run twice
      if (isRead && tool.needsConsent && !this.#isCollecting) this.#hasWritten = true;
      if (!isRead && this.#hasLoss && JSON.stringify(args)?.includes("\ufffd")) {
        return errorValue(`${name} was not called: ${lossText}`);
      }
      const value = (isRead ? undefined : await this.#collect(request, tool, order)) ??
        await callValue(await this.#call(request, tool, ticket), select, { limits, signal, owner });
      if ("isLossy" in value) this.#hasLoss = true;
      if (!value.isError || tool === undefined) return value;
      this.errors.push(value.text);
      return errorValue(`${describeCall(tool, args)}: ${value.text}`);
    } finally {
      release();
    }
  }

  /** Collects a call in a dry run, or once a call needs a person's yes, unless a call has changed something already. */
  async #collect(
    request: CallRequest,
    tool: Tool | undefined,
    order: number,
  ): Promise<CallValue | undefined> {
    const { collected, isDryRun } = this.#options;
    if (collected === undefined) return undefined;
    const planned = await prepareCall(this.#context, request);
    if (!planned.ok || this.#refusalOf(planned.tool) !== undefined) return undefined;
    const call = {
      ...planned,
      context: this.#context,
      options: this.#callOptions(tool),
      receivedAt: performance.now(),
    };
    if (planned.plan.trial === "itself") return undefined;
    const reason = await reasonToConfirm(planned);
    const given = reason ? (await standingOf(call))?.approval?.choice : "yes";
    if (given === "no") return undefined;
    // Danger: with an `await` from here to where `#isCollecting` is set, another call of the script would run in
    // between
    this.#isCollecting ||= isDryRun || given === undefined && !this.#hasWritten;
    if (this.#isCollecting) {
      return await collected.collect({ ...call, ...(reason && { reason }) }, order);
    }
    this.#hasWritten = true;
  }

  #callOptions(tool: Tool | undefined): CallOptions {
    const { options, id, agreed } = this.#options;
    const isRead = tool !== undefined && effectOf(tool) === "read";
    const { owner, client, via, trace, ask, elicitationScope, forceSignal } = options;
    return {
      agreed: isRead ? undefined : agreed,
      owner,
      client,
      via,
      trace,
      elicitationScope,
      forceSignal,
      signal: this.#ended.signal,
      // A question of a script cannot be resumed later, since the script may already have changed something
      ask: ask && ((question, key) => ask(question, key)),
      parent: id,
      // A script may handle the failure of a call, so the call is logged as information; a failed script is a warning
      failureLevel: "info",
      refuses: (found) => this.#refusalOf(found),
    };
  }

  async #call(request: CallRequest, tool: Tool | undefined, ticket: Ticket): Promise<CallResult> {
    const result = await call(this.#context, request, { ...this.#callOptions(tool), ticket });
    this.#count(tool, result);
    return result;
  }

  /** Returns why a script must not call `tool`, even if its client may; `undefined` if it may. */
  #refusalOf(tool: Tool): Refusal | undefined {
    const { most } = this.#options;
    if (isScript(tool)) return refusal("Call refused: a script does not run a script", "script");
    if (most === undefined || !exceeds(effectOf(tool), most)) return undefined;
    const text = `Call refused: the effect of this script is '${most}' at most, and that of ` +
      `'${tool.name}' is '${effectOf(tool)}'`;
    return refusal(text, "script");
  }

  #count(tool: Tool | undefined, { record }: CallResult): void {
    if (record === undefined || tool === undefined) return;
    if (effectOf(tool) === "read") this.#reads++;
    else this.#writes.set(tool.name, (this.#writes.get(tool.name) ?? 0) + 1);
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

const lossText = "its arguments have U+FFFD, which stands for bytes of an output that is not UTF-8";

const maxShownArgs = 200;

function describeCall({ name, args: known }: Tool, args: unknown): string {
  if (!isObject(args)) return name;
  const { given } = renameAliases(known, args);
  const shown = JSON.stringify(maskValues({ args: known }, Object.entries(given)));
  return `${name} ${excerpt(shown, maxShownArgs)}`;
}
