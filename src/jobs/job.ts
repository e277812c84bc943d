/** A background job: the progress of one call, and its result. */

import type { Clock } from "../async/clock.ts";
import type { CallResult, JobView } from "../tool/result.ts";
import { newId } from "./_ids.ts";

export interface Beginning {
  readonly tool: string;
  readonly owner: string | undefined;
  /** Timeout of the tool. */
  readonly timeoutMs: number;
  /** The start, by the clock of the jobs. */
  readonly beganMs: number;
  readonly stop: () => void;
}

/** A call that continues, or continued, in the background. */
export class Job {
  readonly id = newId("j");
  readonly tool: string;
  readonly owner: string;
  readonly ended: Promise<void>;
  readonly #ageMs: number;
  readonly #resolve: () => void;
  readonly #beganMs: number;
  readonly #clock: Clock;
  #heardMs: number;
  #untilMs: number;
  #lastLine: string | undefined;
  #result: CallResult | undefined;
  /** References the request; cleared at the end, to free its memory. */
  #stop: (() => void) | undefined;

  constructor(
    { tool, owner = "", timeoutMs, beganMs, stop }: Beginning,
    ageMs: number,
    clock: Clock,
  ) {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.tool = tool;
    this.owner = owner;
    this.#stop = stop;
    this.ended = promise;
    this.#resolve = resolve;
    this.#ageMs = ageMs;
    this.#clock = clock;
    this.#heardMs = clock.now();
    this.#beganMs = beganMs;
    this.#untilMs = beganMs + timeoutMs + ageMs;
  }

  /** Absent while the job runs. */
  get result(): CallResult | undefined {
    return this.#result;
  }

  /** Milliseconds that the job has run. */
  get ranMs(): number {
    const until = this.#result === undefined ? this.#clock.now() : this.#heardMs;
    return until - this.#beganMs;
  }

  /** Cancels the call if it runs. */
  stop(): void {
    this.#stop?.();
  }

  /** Records progress; `line` is the last line of output, if it is new. */
  hear(line: string | undefined): void {
    this.#heardMs = this.#clock.now();
    this.#lastLine = line ?? this.#lastLine;
  }

  /** Ends the job with `result`. */
  end(result: CallResult): void {
    this.#result = result;
    this.#stop = undefined;
    this.#heardMs = this.#clock.now();
    this.#untilMs = this.#heardMs + this.#ageMs;
    this.#resolve();
  }

  /** The view that clients get. */
  view(): JobView {
    const result = this.#result;
    return {
      id: this.id,
      tool: this.tool,
      state: result === undefined
        ? "running"
        : result.record?.ending === "cancelled"
        ? "cancelled"
        : "finished",
      beganMs: this.#beganMs,
      heardMs: this.#heardMs,
      untilMs: this.#untilMs,
      ...(this.#lastLine === undefined ? {} : { lastLine: this.#lastLine }),
    };
  }
}
