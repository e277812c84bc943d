/** A call whose questions are sent as responses: it continues while its client sends one request after the other. */

import type { ClientCapabilities, ServerContext } from "@modelcontextprotocol/server";
import type { CancelTimer, Clock } from "../async/clock.ts";
import type { CallResult } from "../tool/result.ts";
import type { Answer, Ask, PlanOptions, Question } from "../tool/runner.ts";
import { logOf, progressOf, type StartCall, whyNot } from "./_client.ts";
import type { ClientLogs } from "./client_logs.ts";

/** Most calls that wait for answers. */
export const maxSuspended = 64;

/** Most characters of the name of a question. */
const maxKeyLength = 64;

export interface SuspendedCallOptions {
  /** Empty without authentication. */
  readonly client: string;
  readonly capabilities: ClientCapabilities | undefined;
  readonly logs: ClientLogs;
  readonly logLevel: PlanOptions["logLevel"];
  readonly inputResponses: PlanOptions["inputResponses"];
  /** Returns whether one more call may wait for an answer. */
  readonly hasRoom: () => boolean;
  readonly clock: Clock;
}

export class SuspendedCall {
  readonly client: string;
  readonly #running: Promise<CallResult>;
  readonly #stop = new AbortController();
  readonly #open = new Map<string, { question: Question; resolve: (answer: Answer) => void }>();
  #hasQuestions = Promise.withResolvers<void>();
  #questions = 0;
  #context: ServerContext | undefined;
  readonly #clock: Clock;
  #cancelTimer: CancelTimer | undefined;

  constructor(
    start: StartCall,
    person: object,
    { client, capabilities, hasRoom, logs, clock, ...given }: SuspendedCallOptions,
  ) {
    this.#clock = clock;
    this.client = client;
    const ask: Ask = (question, key) => {
      const reason = whyNot(question, capabilities) ??
        (hasRoom() ? undefined : `${maxSuspended} calls are already waiting for an answer`);
      if (reason !== undefined) return Promise.resolve({ action: "unasked", reason });
      return new Promise((resolve) => {
        this.#open.set(this.#idOf(key), { question, resolve });
        this.#hasQuestions.resolve();
      });
    };
    this.#running = start({
      signal: this.#stop.signal,
      onProgress: (event) => this.#context && progressOf(this.#context)(event),
      onLog: (message) => this.#context && logOf(this.#context, logs).onLog?.(message),
      ...given,
      ask: capabilities?.elicitation === undefined ? undefined : ask,
      elicitationScope: person,
    });
    // The error is reported by `next`
    this.#running.catch(() => {});
  }

  /** The name of a question for the client: that of its server, if it is free. */
  #idOf(key: string | undefined): string {
    let id = key?.slice(0, maxKeyLength) || `q${++this.#questions}`;
    while (this.#open.has(id)) id = `q${++this.#questions}`;
    return id;
  }

  /** The result, or the open questions, whichever comes first; `context` is the waiting request. */
  async next(
    context: ServerContext,
  ): Promise<CallResult | { questions: Map<string, Question> }> {
    this.#context = context;
    const { signal } = context.mcpReq;
    const onAbort = () => this.#stop.abort();
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      const result = await Promise.race([this.#running, this.#hasQuestions.promise]);
      if (result !== undefined) return result;
      return { questions: new Map([...this.#open].map(([key, each]) => [key, each.question])) };
    } finally {
      this.#context = undefined;
      signal.removeEventListener("abort", onAbort);
    }
  }

  /** Passes the answers to the call. */
  answer(answerTo: (key: string) => Answer): void {
    this.#cancelTimer?.();
    this.#hasQuestions = Promise.withResolvers();
    for (const [key, { resolve }] of this.#open) resolve(answerTo(key));
    this.#open.clear();
  }

  /** Cancels the call after `ms`; calls `onOver` when it has ended. */
  expireIn(ms: number, onOver: () => void): void {
    this.#cancelTimer = this.#clock.after(ms, () => this.cancel("no answer in time"));
    const over = () => {
      this.#cancelTimer?.();
      onOver();
    };
    this.#running.then(over, over);
  }

  /** Cancels the call and its open questions. */
  cancel(reason: string): void {
    this.answer(() => ({ action: "unasked", reason }));
    this.#stop.abort();
  }
}
