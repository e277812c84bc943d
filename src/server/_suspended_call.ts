/** A call of a client that gets its questions as answers: it runs here while the client comes and goes. */

import type { ClientCapabilities, ServerContext } from "@modelcontextprotocol/server";
import type { CallResult } from "../tool/result.ts";
import type { Answer, Ask, Question } from "../tool/runner.ts";
import { progressOf, type StartCall, whyNot } from "./_client.ts";

/** Calls that may wait for a person at once. */
export const maxSuspended = 64;

export interface SuspendedCallOptions {
  /** The client; empty without authentication. */
  readonly client: string;
  readonly capabilities: ClientCapabilities | undefined;
  /** Returns whether one more call may wait for a person. */
  readonly hasRoom: () => boolean;
}

/** A call whose client comes and goes. */
export class SuspendedCall {
  readonly client: string;
  readonly #running: Promise<CallResult>;
  readonly #stop = new AbortController();
  readonly #open = new Map<string, { question: Question; resolve: (answer: Answer) => void }>();
  #asked = Promise.withResolvers<void>();
  #questions = 0;
  #attached: ServerContext | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    start: StartCall,
    person: object,
    { client, capabilities, hasRoom }: SuspendedCallOptions,
  ) {
    this.client = client;
    const ask: Ask = (question) => {
      const reason = whyNot(question, capabilities) ??
        (hasRoom() ? undefined : `${maxSuspended} calls are already waiting for an answer`);
      if (reason !== undefined) return Promise.resolve({ action: "unasked", reason });
      return new Promise((resolve) => {
        this.#open.set(`q${++this.#questions}`, { question, resolve });
        this.#asked.resolve();
      });
    };
    this.#running = start({
      signal: this.#stop.signal,
      onProgress: (event) => this.#attached && progressOf(this.#attached)(event),
      ask: capabilities?.elicitation === undefined ? undefined : ask,
      elicitationScope: person,
    });
    // Whoever attends hears of it
    this.#running.catch(() => {});
  }

  /** The result, or the questions that are open, whichever comes first, while `context` waits. */
  async next(
    context: ServerContext,
  ): Promise<CallResult | { questions: Map<string, Question> }> {
    this.#attached = context;
    const { signal } = context.mcpReq;
    const onAbort = () => this.#stop.abort();
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      const result = await Promise.race([this.#running, this.#asked.promise]);
      if (result !== undefined) return result;
      return { questions: new Map([...this.#open].map(([key, each]) => [key, each.question])) };
    } finally {
      this.#attached = undefined;
      signal.removeEventListener("abort", onAbort);
    }
  }

  /** Hands the answers to the call. */
  answer(answerTo: (key: string) => Answer): void {
    clearTimeout(this.#timer);
    this.#asked = Promise.withResolvers();
    for (const [key, { resolve }] of this.#open) resolve(answerTo(key));
    this.#open.clear();
  }

  /** Ends the call without an answer after `ms`; `onOver` is called when it has ended. */
  expireIn(ms: number, onOver: () => void): void {
    this.#timer = setTimeout(() => this.giveUp("no answer in time"), ms);
    const over = () => {
      clearTimeout(this.#timer);
      onOver();
    };
    this.#running.then(over, over);
  }

  /** Ends the call without an answer. */
  giveUp(reason: string): void {
    this.answer(() => ({ action: "unasked", reason }));
    this.#stop.abort();
  }
}
