/** Defines the record of a job in the store, which all instances can read. */

import type { CallResult, JobView } from "../../tool/result.ts";
import type { FoundJob } from "../job.ts";

/** An instance with running jobs writes a sign of life at this interval, in milliseconds. */
export const beatMs = 3000;

/** The jobs of an instance are lost after this many milliseconds without a sign of life. */
export const lostMs = 15_000;

/** The fields of a job's view, with times by the clock of the store. */
export interface JobRecord extends Omit<JobView, "state"> {
  readonly instance: string;
  readonly state: "running" | "finished" | "cancelled";
  readonly isError?: boolean;
}

export class RemoteJob implements FoundJob {
  readonly owner: string;
  readonly record: JobRecord;
  readonly #nowMs: number;
  readonly #lostSinceMs: number | undefined;

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
    const { instance: _, isError: __, ...view } = this.record;
    return this.#lostSinceMs === undefined
      ? view
      : { ...view, state: "lost", heardMs: this.#lostSinceMs };
  }
}

export function serializeResult(
  { content, structured, isError, meta, record }: CallResult,
): string {
  return JSON.stringify({ content, structured, isError, meta, record });
}

export function instanceName(instance: string): string {
  return `instance/${instance}`;
}
