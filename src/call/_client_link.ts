/** What ties a call to its client while the client waits, and lets go when the call goes on without it. */

import { excerpt } from "../text/excerpt.ts";
import type { Answer, Ask, PlanOptions, ProgressEvent } from "../tool/runner.ts";
import type { Job } from "../jobs/job.ts";

/** What a call has of its client, for as long as the client waits. */
export class ClientLink<Options extends PlanOptions> {
  /** What the call is run with. */
  readonly options: Options;
  readonly #client: Options;
  readonly #own = new AbortController();
  readonly #asked = new Set<Promise<Answer>>();
  readonly #follow = () => this.#own.abort();
  #lastLine: string | undefined;
  #job: Job | undefined;

  constructor(client: Options) {
    const { signal, ask } = client;
    this.#client = client;
    this.options = {
      ...client,
      signal: this.#own.signal,
      onProgress: (event) => this.#hear(event),
      ...(ask === undefined ? {} : { ask: (question) => this.#ask(ask, question) }),
    };
    if (signal?.aborted) this.#follow();
    signal?.addEventListener("abort", this.#follow, { once: true });
  }

  /** Whether the call is to end. */
  get isEnding(): boolean {
    return this.#own.signal.aborted;
  }

  /** From now on nothing of the client ends the call, and the client hears of it from `job`. */
  detach(job: Job): void {
    this.#client.signal?.removeEventListener("abort", this.#follow);
    this.#job = job;
    job.hear(this.#lastLine);
  }

  /** Ends the call. */
  stop(): void {
    this.#own.abort();
  }

  /** Resolves when no question waits for the client's person. */
  async whenNoQuestionPending(): Promise<void> {
    while (this.#asked.size > 0) await Promise.all(this.#asked);
  }

  #hear(event: ProgressEvent): void {
    if (event.message !== undefined) {
      this.#lastLine = excerpt(event.message.replace(/\s+/g, " ").trim(), 199).toWellFormed();
    }
    if (this.#job === undefined) this.#client.onProgress?.(event);
    else this.#job.hear(this.#lastLine);
  }

  async #ask(ask: Ask, question: Parameters<Ask>[0]): Promise<Answer> {
    if (this.#job !== undefined) {
      return {
        action: "unasked",
        reason: "background jobs cannot ask the user",
      };
    }
    const answer = ask(question);
    this.#asked.add(answer);
    try {
      return await answer;
    } finally {
      this.#asked.delete(answer);
    }
  }
}
