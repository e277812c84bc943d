/**
 * Asks the user of a client during one of its calls, in either era of the protocol.
 *
 * A client of 2025 is sent a request. One of 2026-07-28 gets the question as the response to its call, and sends the
 * call again with the answer: until then the call is suspended. Its answer must have a token that was made for this
 * call, is not expired and was not used.
 */

import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  inputRequired,
  type InputRequiredResult,
  inputResponse,
  type McpServer,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { type Clock, systemClock } from "../async/clock.ts";
import { heldBy, oldestOfLargest } from "../async/fair_share.ts";
import { messageOf } from "../errors.ts";
import { io } from "../io.ts";
import { canonicalJson } from "../text/canonical_json.ts";
import { type CallResult, textResult } from "../tool/result.ts";
import type { Answer, Ask } from "../tool/runner.ts";
import { logOf, progressOf, type StartCall, whyNot } from "./_client.ts";
import { maxSuspended, SuspendedCall } from "./_suspended_call.ts";
import type { ClientLogs } from "./client_logs.ts";
import { Tokens } from "./_tokens.ts";

/** Milliseconds to answer a question: ten minutes. */
export const defaultAnswerMs = 10 * 60 * 1000;

export interface ElicitationOptions {
  /** @default {@linkcode defaultAnswerMs} */
  readonly answerMs?: number;
  /** True if all calls come from one client, as over stdio. @default false */
  readonly isOneClient?: boolean;
  /** Aborts at the end of serving, which cancels all open questions. */
  readonly stop?: AbortSignal;
  /** For the time to answer. @default {@linkcode systemClock} */
  readonly clock?: Clock;
}

/** A `tools/call` and its request. */
export interface AskedCall {
  readonly name: string;
  readonly args: unknown;
  readonly context: ServerContext;
  readonly mcp: McpServer;
  /** The authenticated client; answers of others do not count. */
  readonly client?: string;
  readonly logs: ClientLogs;
}

/** The suspended calls of a process. */
export class Elicitation {
  readonly #answerMs: number;
  readonly #isOneClient: boolean;
  readonly #stop: AbortSignal;
  readonly #clock: Clock;
  readonly #tokens: Tokens;
  readonly #suspended = new Map<string, SuspendedCall>();

  constructor(options: ElicitationOptions = {}) {
    const { answerMs = defaultAnswerMs, isOneClient = false, stop, clock = systemClock } = options;
    this.#clock = clock;
    this.#tokens = new Tokens(clock);
    this.#answerMs = answerMs;
    this.#isOneClient = isOneClient;
    this.#stop = stop ?? new AbortController().signal;
    this.#stop.addEventListener("abort", () => {
      for (const suspended of this.#suspended.values()) suspended.cancel("climax is ending");
    });
  }

  /** Runs a call, or resumes a suspended one with the answer in `call`. */
  async serve(call: AskedCall, start: StartCall): Promise<CallResult | InputRequiredResult> {
    const { envelope } = call.context.mcpReq;
    if (envelope === undefined) return await this.#serveDirectly(call, start);
    const stop = call.logs.during(logOf(call.context, call.logs).logLevel);
    return await this.#serveInRounds(call, start).finally(stop);
  }

  /** For a client that gets questions as responses. */
  async #serveInRounds(
    call: AskedCall,
    start: StartCall,
  ): Promise<CallResult | InputRequiredResult> {
    const { envelope } = call.context.mcpReq;
    const token = call.context.mcpReq.requestState<string>();
    if (token !== undefined) return await this.#resume(call, token);
    const capabilities = (envelope as Record<string, unknown>)[CLIENT_CAPABILITIES_META_KEY] as
      | ClientCapabilities
      | undefined;
    const { client = "", logs } = call;
    const { inputResponses } = call.context.mcpReq;
    const suspended = new SuspendedCall(start, this.#scope({}), {
      client,
      capabilities,
      logs,
      logLevel: logOf(call.context, logs).logLevel,
      inputResponses,
      hasRoom: () => this.#hasRoomFor(client),
      clock: this.#clock,
    });
    return await this.#next(call, suspended);
  }

  /** For a client that can be sent a request. */
  async #serveDirectly({ context, mcp, logs }: AskedCall, start: StartCall): Promise<CallResult> {
    const { mcpReq } = context;
    const capabilities = mcp.server.getClientCapabilities();
    const ask: Ask = async (question) => {
      const reason = whyNot(question, capabilities);
      if (reason !== undefined) return { action: "unasked", reason };
      try {
        const params = question.mode === "url"
          ? { ...question, elicitationId: crypto.randomUUID() }
          : question;
        const options = {
          timeout: this.#answerMs,
          signal: AbortSignal.any([mcpReq.signal, this.#stop]),
        };
        return await mcpReq.send(
          { method: "elicitation/create", params: { ...params } },
          options,
        ) as Answer;
      } catch (error) {
        return { action: "unasked", reason: `the request failed: ${messageOf(error)}` };
      }
    };
    return await start({
      signal: mcpReq.signal,
      onProgress: progressOf(context),
      ...logOf(context, logs),
      ask: capabilities?.elicitation === undefined ? undefined : ask,
      elicitationScope: this.#scope(mcp),
    });
  }

  /**
   * Returns whether one more call may wait. Cancels the oldest call of the client that has most, if that has more than
   * `client`.
   */
  #hasRoomFor(client: string): boolean {
    if (this.#suspended.size < maxSuspended) return true;
    const suspended = this.#suspended.entries().map(([id, call]) => ({
      id,
      call,
      owner: call.client,
    }));
    const all = suspended.toArray();
    const held = heldBy(all);
    const { id, owner, call: oldest } = oldestOfLargest(all, held)!;
    if (held.get(owner)! <= (held.get(client) ?? 0)) return false;
    this.#suspended.delete(id);
    oldest.cancel("too many calls are waiting for an answer");
    return true;
  }

  #scope(other: object): object {
    return this.#isOneClient ? this : other;
  }

  async #resume(call: AskedCall, token: string): Promise<CallResult | InputRequiredResult> {
    const id = this.#tokens.idOf(token, callText(call));
    const suspended = id === undefined ? undefined : this.#suspended.get(id);
    if (id === undefined || suspended === undefined) {
      const text = "Call refused: the answer matches no open question. It was used before, " +
        "came too late, or is for another call";
      return textResult(text, true);
    }
    this.#suspended.delete(id);
    suspended.answer((key) => answerFrom(call.context.mcpReq.inputResponses, key));
    return await this.#next(call, suspended);
  }

  /** Waits for the result of a call, or for its questions. */
  async #next(
    call: AskedCall,
    suspended: SuspendedCall,
  ): Promise<CallResult | InputRequiredResult> {
    const next = await suspended.next(call.context);
    if ("content" in next) return next;
    const { token, id } = this.#tokens.issue(callText(call), this.#answerMs);
    this.#suspended.set(id, suspended);
    suspended.expireIn(this.#answerMs, () => this.#suspended.delete(id));
    const inputRequests = Object.fromEntries(
      [...next.questions].map(([key, question]) => [
        key,
        question.mode === "url"
          ? inputRequired.elicitUrl({ message: question.message, url: question.url })
          : inputRequired.elicit(question as Parameters<typeof inputRequired.elicit>[0]),
      ]),
    );
    return inputRequired({ inputRequests, requestState: token });
  }
}

/** The data that a token is bound to. */
function callText({ name, args, client }: AskedCall): string {
  return canonicalJson([name, args ?? {}, client ?? null, io().profile ?? null]);
}

function answerFrom(responses: Record<string, unknown> | undefined, key: string): Answer {
  const view = inputResponse(responses, key);
  if (view.kind !== "elicit") return { action: "unasked", reason: "the client sent no answer" };
  if (view.action !== "accept") return { action: view.action };
  return { action: "accept", ...(view.content === undefined ? {} : { content: view.content }) };
}
