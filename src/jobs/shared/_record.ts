/**
 * Defines the record of a job that all instances can read, and waits for the end of jobs at other instances. These send a
 * message then; it also looks, as a message may be lost.
 */

import type { CallResult, JobView } from "../../tool/result.ts";
import type { FoundJob } from "../job.ts";
import type { PieceList } from "./pieces.ts";
import type { Clock } from "../../async/clock.ts";
import { deadline } from "../../async/deadline.ts";
import type { SharedStore } from "../../state/store.ts";

/** Milliseconds between two signs of life of an instance with running jobs. */
export const beatMs = 3000;

/** Milliseconds without a sign of life, after which the jobs of an instance are lost. */
export const lostMs = 15_000;

/** The fields of a view, with times by the clock of the store. */
export interface JobRecord extends Omit<JobView, "state"> {
  readonly instance: string;
  readonly state: "running" | "finished" | "cancelled";
  readonly isError?: boolean;
  /** A short result as JSON, or the list of the pieces of a long one. */
  readonly result?: string | PieceList;
}

/** A job of another instance, made from its record. */
export class RemoteJob implements FoundJob {
  readonly owner: string;
  readonly record: JobRecord;
  readonly #nowMs: number;
  readonly #lostSinceMs: number | undefined;

  /** `beatMs` is the last sign of life of the job's instance, `undefined` if there is none in the store. */
  constructor(
    record: JobRecord,
    { owner, nowMs, heardMs }: {
      readonly owner: string;
      readonly nowMs: number;
      readonly heardMs: number | undefined;
    },
  ) {
    this.owner = owner;
    this.record = record;
    this.#nowMs = nowMs;
    const lastMs = Math.max(heardMs ?? 0, record.heardMs);
    const isLost = record.state === "running" && nowMs - lastMs > lostMs;
    this.#lostSinceMs = isLost ? lastMs : undefined;
  }

  get id(): string {
    return this.record.id;
  }

  get isError(): boolean | undefined {
    return this.record.isError;
  }

  get ranMs(): number {
    const { state, beganMs, heardMs } = this.record;
    return (state === "running" ? this.#lostSinceMs ?? this.#nowMs : heardMs) - beganMs;
  }

  view(): JobView {
    const { instance: _, isError: __, result: ___, ...view } = this.record;
    return this.#lostSinceMs === undefined
      ? view
      : { ...view, state: "lost", heardMs: this.#lostSinceMs };
  }
}

/** Serializes the part of a result that a client gets. */
export function serializeResult(
  { content, structured, isError, meta, record }: CallResult,
): string {
  return JSON.stringify({ content, structured, isError, meta, record });
}

/** Returns the name of the record with the last sign of life of an instance. */
export function instanceName(instance: string): string {
  return `instance/${instance}`;
}

/** Milliseconds between two looks without a message. */
const lookMs = 2000;

const endChannel = "ended";

interface Wait<T> {
  readonly look: () => Promise<T>;
  readonly isOver: (now: T) => boolean;
  readonly ms: number;
  readonly signal: AbortSignal | undefined;
}

export class Waiters {
  readonly #store: SharedStore;
  readonly #clock: Clock;
  readonly #waiting = new Map<string, Set<() => void>>();
  #stopListening: Promise<() => Promise<void>> | undefined;

  constructor(store: SharedStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** Resolves to the result of `look` when the wait is over, after at most `ms` milliseconds. */
  async wait<T>(id: string, { look, isOver, ms, signal }: Wait<T>): Promise<T> {
    const until = this.#clock.now() + ms;
    // If it cannot listen, it still looks at intervals
    this.#stopListening ??= this.#store.listen(endChannel, (ended) => this.#wake(ended));
    await deadline(this.#stopListening.catch(() => {}), lookMs, signal, this.#clock);
    for (;;) {
      const { woken, leave } = this.#enter(id);
      try {
        const now = await look();
        const restMs = until - this.#clock.now();
        if (isOver(now) || restMs <= 0 || signal?.aborted) return now;
        await deadline(woken, Math.min(lookMs, restMs), signal, this.#clock);
      } finally {
        leave();
      }
    }
  }

  async wake(id: string): Promise<void> {
    await this.#store.publish(endChannel, id).catch(() => {});
  }

  close(): void {
    for (const id of this.#waiting.keys()) this.#wake(id);
    void this.#stopListening?.then((stop) => stop()).catch(() => {});
  }

  #enter(id: string): { readonly woken: Promise<void>; readonly leave: () => void } {
    const { promise: woken, resolve } = Promise.withResolvers<void>();
    const all = this.#waiting.getOrInsertComputed(id, () => new Set()).add(resolve);
    const leave = () => {
      if (all.delete(resolve) && all.size === 0) this.#waiting.delete(id);
    };
    return { woken, leave };
  }

  #wake(id: string): void {
    for (const resolve of this.#waiting.get(id) ?? []) resolve();
  }
}
