/** Defines a background job: the progress of one call and its result. */

import type { Clock } from "../async/clock.ts";
import type { CallResult, JobView } from "../tool/result.ts";

export interface JobBounds {
  /** At most this many jobs may run; 0: no call continues in the background. */
  readonly running: number;
  /** At most this many ended jobs keep their results. */
  readonly ended: number;
  /** All results together have at most this many bytes, as JSON. */
  readonly bytes: number;
  /** The result of an ended job is stored for this many milliseconds. */
  readonly ageMs: number;
  /** At most this many calls wait for the end of a job; further calls are answered at once. */
  readonly waiting: number;
}

export const defaultJobBounds: Omit<JobBounds, "running"> = {
  ended: 64,
  bytes: 16 * 1024 * 1024,
  ageMs: 60 * 60 * 1000,
  waiting: 1000,
};

export interface Beginning {
  readonly tool: string;
  readonly owner: string | undefined;
  readonly timeoutMs: number;
  readonly beganMs: number;
  readonly stop: () => void;
}

export interface FoundJob {
  readonly id: string;
  readonly owner: string;
  readonly ranMs: number;
  readonly isError: boolean | undefined;
  view(): JobView;
}

export class Job implements FoundJob {
  /** True if the job is not in the shared store, so that other instances do not know the job. */
  isLocal = false;
  onHear: (() => void) | undefined;
  leftBy: string | undefined;
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
  #tail: (() => string) | undefined;
  #result: CallResult | undefined;
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

  get result(): CallResult | undefined {
    return this.#result;
  }

  get isError(): boolean | undefined {
    return this.#result?.isError;
  }

  get ranMs(): number {
    const until = this.#result === undefined ? this.#clock.now() : this.#heardMs;
    return until - this.#beganMs;
  }

  stop(): void {
    this.#stop?.();
  }

  /** Returns the last `count` lines of the output so far, at most 16 KiB; nothing once the job has ended. */
  lastLines(count: number): string {
    const lines = this.#tail?.().replace(/\r?\n$/, "").split("\n") ?? [];
    return lines.slice(-count).join("\n");
  }

  /** Records progress: `line` is a new last line of output, and `tail` returns the end of the output. */
  hear(line: string | undefined, tail?: () => string): void {
    this.#tail = tail;
    this.#heardMs = this.#clock.now();
    this.#lastLine = line ?? this.#lastLine;
    this.onHear?.();
  }

  end(result: CallResult): void {
    this.#result = result;
    this.#stop = undefined;
    this.#tail = undefined;
    this.#heardMs = this.#clock.now();
    this.#untilMs = this.#heardMs + this.#ageMs;
    this.#resolve();
  }

  get #state(): JobView["state"] {
    if (this.#result === undefined) return "running";
    return this.#result.record?.ending === "cancelled" ? "cancelled" : "finished";
  }

  view(): JobView {
    return {
      id: this.id,
      tool: this.tool,
      state: this.#state,
      beganMs: this.#beganMs,
      heardMs: this.#heardMs,
      untilMs: this.#untilMs,
      ...(this.#lastLine === undefined ? {} : { lastLine: this.#lastLine }),
      ...(this.isLocal ? { isLocal: true } : {}),
    };
  }
}

/** The letters of ids do not look alike (base 32 of Crockford). */
const letters = "0123456789abcdefghjkmnpqrstvwxyz";

export function newId(prefix: string, length = 12): string {
  const bytes = crypto.getRandomValues(new Uint8Array(length));
  return prefix + Array.from(bytes, (byte) => letters[byte % 32]).join("");
}

/** Returns whether `text` has the form of a job's or output's id. Any other text is not looked up in the store. */
export function isId(text: string, prefix: string): boolean {
  return text.length === prefix.length + 12 && text.startsWith(prefix) &&
    /^[0-9a-z]+$/.test(text.slice(prefix.length));
}
