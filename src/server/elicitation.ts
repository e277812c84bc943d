/** Asks the user of a client during a call: by a request (2025), or as the response to the call (2026-07-28). */

import type { InputRequiredResult } from "@modelcontextprotocol/server";
import { type Clock, systemClock } from "../async/clock.ts";
import type { CallResult } from "../tool/result.ts";
import type { SharedState } from "../state/shared_state.ts";
import { answerMs, type AskedCall, logOf, progressOf, type StartCall, whyNot } from "./_client.ts";
import type { SuspendedCalls } from "./_suspended_calls.ts";
import { messageOf } from "../errors.ts";
import type { Answer, Ask } from "../tool/runner.ts";

export interface ElicitationOptions {
  /** True if all calls come from one client, as over stdio. @default false */
  readonly isOneClient?: boolean;
  /** Aborts at the end of serving, which cancels all open questions. */
  readonly stop?: AbortSignal;
  readonly clock?: Clock;
  readonly state?: SharedState | undefined;
}

/** Most questions that are open at a client of 2025. */
export const maxQuestions = 5;

/** The questions of a process. */
export class Elicitation {
  readonly #open = new Map<unknown, number>();
  readonly #stop: AbortSignal;
  readonly #person: object | undefined;
  readonly #loadSuspended: () => Promise<SuspendedCalls>;
  #suspended: Promise<SuspendedCalls> | undefined;

  constructor(options: ElicitationOptions = {}) {
    const { isOneClient, stop = new AbortController().signal, clock = systemClock, state } =
      options;
    this.#stop = stop;
    this.#person = isOneClient ? this : undefined;
    this.#loadSuspended = async () => {
      const { SuspendedCalls } = await import("./_suspended_calls.ts");
      return new SuspendedCalls({ stop, clock, state, person: this.#person });
    };
  }

  /** Runs a call, or resumes a suspended one with the answer in `call`. */
  async serve(call: AskedCall, start: StartCall): Promise<CallResult | InputRequiredResult> {
    const { context, logs, mcp } = call;
    const log = logOf(context, logs);
    if (context.mcpReq.envelope === undefined) {
      const elicitationScope = this.#person ?? mcp ?? call;
      const ask = directAsk(call, this.#stop);
      return await start({
        signal: context.mcpReq.signal,
        onProgress: progressOf(context),
        ...log,
        ask: ask && this.#bound(ask, call.client ?? elicitationScope),
        elicitationScope,
      });
    }
    const stop = logs.during(log.logLevel);
    try {
      const suspended = await (this.#suspended ??= this.#loadSuspended());
      return await suspended.serve(call, start);
    } finally {
      stop();
    }
  }

  /** A person cannot answer a flood of questions; what waits for `climax approve` has its own bound. */
  #bound(ask: Ask, client: unknown): Ask {
    return async (...asked) => {
      const count = this.#open.get(client) ?? 0;
      if (count >= maxQuestions) {
        const reason = `too many questions wait for a person: ${count} of this client`;
        return { action: "unasked", reason };
      }
      this.#open.set(client, count + 1);
      try {
        return await ask(...asked);
      } finally {
        const left = this.#open.get(client)! - 1;
        if (left > 0) this.#open.set(client, left);
        else this.#open.delete(client);
      }
    };
  }
}

function directAsk({ context: { mcpReq }, mcp }: AskedCall, stop: AbortSignal): Ask | undefined {
  const capabilities = mcp?.server.getClientCapabilities();
  if (capabilities?.elicitation === undefined) return undefined;
  return async (question, _key, _subject, elsewhere) => {
    const reason = whyNot(question, capabilities);
    if (reason !== undefined) return { action: "unasked", reason };
    const over = new AbortController();
    const signal = AbortSignal.any([mcpReq.signal, stop, over.signal]);
    let other: Promise<Answer | undefined> | undefined;
    try {
      const params = question.mode === "url"
        ? { ...question, elicitationId: crypto.randomUUID() }
        : question;
      const request = { method: "elicitation/create" as const, params: { ...params } };
      const sent = mcpReq.send(request, { timeout: answerMs, signal }) as Promise<Answer>;
      other = elsewhere?.(signal);
      return await Promise.race([sent, other?.then((answer) => answer ?? sent) ?? sent]);
    } catch (error) {
      return { action: "unasked", reason: `the request failed: ${messageOf(error)}` };
    } finally {
      over.abort();
      await other;
    }
  };
}
