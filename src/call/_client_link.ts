/** Connects a call to its client, and detaches it when the call becomes a background job. */

import { excerpt } from "../text/excerpt.ts";
import type { Answer, Ask, PlanOptions, ProgressEvent } from "../tool/runner.ts";
import type { Job } from "../jobs/job.ts";

export class ClientLink<Options extends PlanOptions> {
  /** The options that the call runs with. */
  readonly options: Options;
  readonly #client: Options;
  readonly #own = new AbortController();
  readonly #questions = new Set<Promise<Answer>>();
  readonly #abort = () => this.#own.abort();
  #lastLine: string | undefined;
  #job: Job | undefined;

  constructor(client: Options) {
    const { signal, ask } = client;
    this.#client = client;
    this.options = {
      ...client,
      signal: this.#own.signal,
      onProgress: (event) => this.#report(event),
      ...(ask === undefined ? {} : { ask: (...question) => this.#ask(ask, question) }),
    };
    if (signal?.aborted) this.#abort();
    signal?.addEventListener("abort", this.#abort, { once: true });
  }

  get isEnding(): boolean {
    return this.#own.signal.aborted;
  }

  /** Detaches the call: the client no longer cancels it, and reads its progress from `job`. */
  detach(job: Job): void {
    this.#client.signal?.removeEventListener("abort", this.#abort);
    this.#job = job;
    job.hear(this.#lastLine);
  }

  stop(): void {
    this.#own.abort();
  }

  /** Resolves when the client's user has no open question. */
  async whenNoQuestionPending(): Promise<void> {
    while (this.#questions.size > 0) await Promise.all(this.#questions);
  }

  #report(event: ProgressEvent): void {
    if (event.message !== undefined) {
      this.#lastLine = excerpt(event.message.replace(/\s+/g, " ").trim(), 199).toWellFormed();
    }
    if (this.#job === undefined) this.#client.onProgress?.(event);
    else this.#job.hear(this.#lastLine);
  }

  async #ask(ask: Ask, question: Parameters<Ask>): Promise<Answer> {
    if (this.#job !== undefined) {
      return {
        action: "unasked",
        reason: "background jobs cannot ask the user",
      };
    }
    const answer = ask(...question);
    this.#questions.add(answer);
    try {
      return await answer;
    } finally {
      this.#questions.delete(answer);
    }
  }
}
