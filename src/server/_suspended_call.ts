/**
 * Runs a call that asks a person a question by its response. The client repeats the request with the answer: the call
 * then starts again, or continues if it has waited.
 */

import type { ClientCapabilities, ServerContext } from "@modelcontextprotocol/server";
import type { CancelTimer, Clock } from "../async/clock.ts";
import { sha256 } from "../text/hash.ts";
import type { CallResult } from "../tool/result.ts";
import type { Answer, Ask, Caller, Question } from "../tool/runner.ts";
import { type ClientLogs, logOf, progressOf, signalOf, type StartCall } from "./requests.ts";

/** A person has this many milliseconds to answer a question: ten minutes. */
export const answerMs = 10 * 60 * 1000;

export const maxSuspended = 64;

const maxKeyLength = 64;

interface SuspendedCallOptions {
  readonly client: string;
  readonly capabilities: ClientCapabilities | undefined;
  readonly logs: ClientLogs;
  readonly caller: Pick<Caller, "logLevel" | "inputResponses" | "elicitationScope">;
  readonly whyNot: (waits: boolean) => string | undefined;
  readonly given: readonly GivenAnswer[];
  readonly clock: Clock;
}

export interface GivenAnswer {
  readonly answer: Answer;
  readonly planHash: string;
}

interface OpenQuestion {
  readonly question: Question;
  /** The hash of the plan that a yes allows; absent if the call itself waits for the answer and is not repeated. */
  readonly planHash: string | undefined;
  readonly resolve: (answer: Answer) => void;
}

export function whyNotAsked(
  { mode }: Question,
  capabilities: ClientCapabilities | undefined,
): string | undefined {
  const elicitation = capabilities?.elicitation;
  if (elicitation === undefined) return "the client does not support elicitation";
  const { form, url } = elicitation;
  const takesForms = form !== undefined || url === undefined;
  const can = mode === "url" ? url !== undefined : takesForms;
  return can ? undefined : `the client does not support elicitation by ${mode}`;
}

export class SuspendedCall {
  readonly client: string;
  readonly #running: Promise<CallResult>;
  readonly #stop = new AbortController();
  readonly #open = new Map<string, OpenQuestion>();
  #hasQuestions = Promise.withResolvers<void>();
  #questions = 0;
  #context: ServerContext | undefined;
  readonly #clock: Clock;
  #cancelTimer: CancelTimer | undefined;

  constructor(start: StartCall, options: SuspendedCallOptions) {
    const { client, capabilities, logs, caller, whyNot, given, clock } = options;
    const left = [...given];
    this.#clock = clock;
    this.client = client;
    const ask: Ask = async (question, key, about) => {
      const planHash = about === undefined ? undefined : sha256(about);
      const next = planHash === undefined ? undefined : left.shift();
      if (next !== undefined) {
        const reason = "what would be run has changed since the person was asked";
        return planHash === next.planHash ? next.answer : { action: "unasked", reason };
      }
      const reason = whyNotAsked(question, capabilities) ?? whyNot(planHash === undefined);
      if (reason !== undefined) return { action: "unasked", reason };
      return await new Promise((resolve) => {
        this.#open.set(this.#idOf(key), { question, planHash, resolve });
        this.#hasQuestions.resolve();
      });
    };
    this.#running = start({
      signal: this.#stop.signal,
      onProgress: (event) => this.#context && progressOf(this.#context)?.(event),
      onLog: (message) => this.#context && logOf(this.#context, logs).onLog?.(message),
      ...caller,
      answer: given.at(-1)?.answer,
      ask: capabilities?.elicitation === undefined ? undefined : ask,
    });
    // The method `next` reports an error of the call; without this handler, the error would end climax first
    this.#running.catch(() => {});
  }

  /** Returns the name that the server has given the question, unless another open question has that name. */
  #idOf(key: string | undefined): string {
    let id = key?.slice(0, maxKeyLength) || `q${++this.#questions}`;
    while (this.#open.has(id)) id = `q${++this.#questions}`;
    return id;
  }

  async next(context: ServerContext) {
    this.#context = context;
    const signal = signalOf(context);
    const onAbort = () => this.#stop.abort(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      const result = await Promise.race([this.#running, this.#hasQuestions.promise]);
      if (result !== undefined) return result;
      const questions = new Map([...this.#open].map(([key, each]) => [key, each.question]));
      const [first] = this.#open.values();
      return { questions, planHash: this.#open.size === 1 ? first?.planHash : undefined };
    } finally {
      this.#context = undefined;
      signal.removeEventListener("abort", onAbort);
    }
  }

  answer(answerTo: (key: string) => Answer): void {
    this.#cancelTimer?.();
    this.#hasQuestions = Promise.withResolvers();
    for (const [key, { resolve }] of this.#open) resolve(answerTo(key));
    this.#open.clear();
  }

  async defer(): Promise<void> {
    this.answer(() => ({ action: "deferred" }));
    await this.#running.catch(() => {});
  }

  expireIn(ms: number, onOver: () => void): void {
    this.#cancelTimer = this.#clock.after(ms, () => this.cancel("no answer in time"));
    const over = () => {
      this.#cancelTimer?.();
      onOver();
    };
    this.#running.then(over, over);
  }

  cancel(reason: string): void {
    this.answer(() => ({ action: "unasked", reason }));
    this.#stop.abort();
  }
}
