/** One call that goes on behind its answer: how far it is, and what it came to. */

import { monotonicNow } from "../process/monotonic.ts";
import type { CallResult, JobView } from "../tool/result.ts";
import { newId } from "./_ids.ts";

/** A call on its way to be a job. */
export interface Beginning {
  readonly tool: string;
  readonly owner: string | undefined;
  /** Milliseconds it may take. */
  readonly timeoutMs: number;
  /** When it was started, by {@linkcode monotonicNow}. */
  readonly beganMs: number;
  /** Ends it. */
  readonly stop: () => void;
}

/** A call that goes on, or went on, behind its answer. */
export class Job {
  readonly id = newId("j");
  readonly tool: string;
  readonly owner: string;
  /** Resolves when it has ended. */
  readonly ended: Promise<void>;
  readonly #ageMs: number;
  readonly #resolve: () => void;
  readonly #beganMs: number;
  #heardMs = monotonicNow();
  #untilMs: number;
  #lastLine: string | undefined;
  #result: CallResult | undefined;
  /** Holds what the call was made with, and goes when it has ended. */
  #stop: (() => void) | undefined;

  constructor({ tool, owner = "", timeoutMs, beganMs, stop }: Beginning, ageMs: number) {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.tool = tool;
    this.owner = owner;
    this.#stop = stop;
    this.ended = promise;
    this.#resolve = resolve;
    this.#ageMs = ageMs;
    this.#beganMs = beganMs;
    this.#untilMs = beganMs + timeoutMs + ageMs;
  }

  /** What it came to; absent while it runs. */
  get result(): CallResult | undefined {
    return this.#result;
  }

  /** Ends it, if it runs. */
  stop(): void {
    this.#stop?.();
  }

  /** Something was heard of it; `line` is what it said. */
  hear(line: string | undefined): void {
    this.#heardMs = monotonicNow();
    this.#lastLine = line ?? this.#lastLine;
  }

  /** It has come to `result`. */
  end(result: CallResult): void {
    this.#result = result;
    this.#stop = undefined;
    this.#heardMs = monotonicNow();
    this.#untilMs = this.#heardMs + this.#ageMs;
    this.#resolve();
  }

  /** What a client is told of it. */
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
