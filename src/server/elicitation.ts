/**
 * Asks the user of a client during one of its calls, in either era of the protocol.
 *
 * A client of 2025 is sent a request. One of 2026-07-28 gets the question as the response to its call, and sends the
 * call again with the answer: until then the call is suspended. What that takes is loaded with the first such call.
 */

import type { InputRequiredResult, McpServer, ServerContext } from "@modelcontextprotocol/server";
import { type Clock, systemClock } from "../async/clock.ts";
import type { CallResult } from "../tool/result.ts";
import type { SharedState } from "../state/shared_state.ts";
import { type AskedCall, logOf, progressOf, type StartCall, whyNot } from "./_client.ts";
import type { SuspendedCalls } from "./_suspended_calls.ts";
import { messageOf } from "../errors.ts";
import type { Answer, Ask } from "../tool/runner.ts";

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
  /** What this instance shares with others. */
  readonly state?: SharedState | undefined;
}

/** The questions of a process. */
export class Elicitation {
  readonly #answerMs: number;
  readonly #isOneClient: boolean;
  readonly #stop: AbortSignal;
  readonly #clock: Clock;
  readonly #state: SharedState | undefined;
  #suspended: Promise<SuspendedCalls> | undefined;

  constructor(options: ElicitationOptions = {}) {
    const { answerMs = defaultAnswerMs, isOneClient = false, stop, clock = systemClock } = options;
    this.#clock = clock;
    this.#state = options.state;
    this.#answerMs = answerMs;
    this.#isOneClient = isOneClient;
    this.#stop = stop ?? new AbortController().signal;
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
    const suspended = await (this.#suspended ??= this.#suspendedCalls());
    return await suspended.serve(call, start);
  }

  async #suspendedCalls(): Promise<SuspendedCalls> {
    const { SuspendedCalls } = await import("./_suspended_calls.ts");
    return new SuspendedCalls({
      answerMs: this.#answerMs,
      stop: this.#stop,
      clock: this.#clock,
      state: this.#state,
      scope: (own) => this.#scope(own),
    });
  }

  /** For a client that can be sent a request. */
  async #serveDirectly(call: AskedCall, start: StartCall): Promise<CallResult> {
    const { context, mcp, logs } = call;
    return await start({
      signal: context.mcpReq.signal,
      onProgress: progressOf(context),
      ...logOf(context, logs),
      ask: directAsk(call, { ms: this.#answerMs, stop: this.#stop }),
      elicitationScope: this.#scope(mcp),
    });
  }

  #scope(other: object): object {
    return this.#isOneClient ? this : other;
  }
}

/** `ms` is the time to answer; `stop` aborts when serving ends. */
export function directAsk(
  { context: { mcpReq }, mcp }: { readonly context: ServerContext; readonly mcp: McpServer },
  { ms, stop }: { readonly ms: number; readonly stop: AbortSignal },
): Ask | undefined {
  const capabilities = mcp.server.getClientCapabilities();
  if (capabilities?.elicitation === undefined) return undefined;
  return async (question) => {
    const reason = whyNot(question, capabilities);
    if (reason !== undefined) return { action: "unasked", reason };
    try {
      const params = question.mode === "url"
        ? { ...question, elicitationId: crypto.randomUUID() }
        : question;
      const options = { timeout: ms, signal: AbortSignal.any([mcpReq.signal, stop]) };
      return await mcpReq.send(
        { method: "elicitation/create", params: { ...params } },
        options,
      ) as Answer;
    } catch (error) {
      return { action: "unasked", reason: `the request failed: ${messageOf(error)}` };
    }
  };
}
