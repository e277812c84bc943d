/** Defines the record of a job in the store, which all instances can read. */

import type { CallResult, JobView } from "../../tool/result.ts";
import type { FoundJob } from "../job.ts";

/** An instance with running jobs writes a sign of life at this interval, in milliseconds. */
export const beatMs = 3000;

/** The jobs of an instance are lost after this many milliseconds without a sign of life. */
export const lostMs = 15_000;

/** What the store knows of a job, with times by the clock of the store. */
export interface JobRecord extends Omit<JobView, "state"> {
  readonly instance: string;
  readonly state: "running" | "finished" | "cancelled";
  readonly isError?: boolean;
}

export class RemoteJob implements FoundJob {
  readonly id: string;
  readonly owner: string;
  readonly isError: boolean | undefined;
  readonly ranMs: number;
  readonly record: JobRecord;
  readonly #lostSinceMs: number | undefined;

  constructor(
    record: JobRecord,
    { owner, nowMs, heardMs }: { owner: string; nowMs: number; heardMs: number },
  ) {
    const isRunning = record.state === "running";
    const lastMs = Math.max(heardMs, record.heardMs);
    this.id = record.id;
    this.owner = owner;
    this.isError = record.isError;
    this.record = record;
    this.#lostSinceMs = isRunning && nowMs - lastMs > lostMs ? lastMs : undefined;
    this.ranMs = (isRunning ? this.#lostSinceMs ?? nowMs : record.heardMs) - record.beganMs;
  }

  view(): JobView {
    const { instance: _, isError: __, ...view } = this.record;
    if (this.#lostSinceMs === undefined) return view;
    return { ...view, state: "lost", heardMs: this.#lostSinceMs };
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
