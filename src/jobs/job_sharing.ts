/** Jobs that other instances can read and cancel; {@linkcode Jobs} alone knows those of this one. */

import type { CallResult } from "../tool/result.ts";
import type { FoundJob, Job } from "./job.ts";

export interface JobSharing {
  /** Why no job may begin now. */
  readonly refusal: string | undefined;
  /** Tells the other instances of a job that begins. Resolves when they know it, or cannot be told. */
  begin(job: Job): Promise<void>;
  /** Tells them of its end, and calls `release` when they have its result. */
  end(job: Job, release: () => void): void;
  /** Drops a job that was evicted here. */
  forget(id: string): void;
  /** @throws {StateError} */
  find(id: string, owner: string): Promise<FoundJob | undefined>;
  /** The jobs of `owner` at other instances, in the order of their start. @throws {StateError} */
  of(owner: string): Promise<FoundJob[]>;
  /** The job after at most `ms` milliseconds, earlier if it ends or is lost. @throws {StateError} */
  wait(job: FoundJob, ms: number, signal?: AbortSignal): Promise<FoundJob | undefined>;
  /** Asks its instance to cancel the job; the same as {@linkcode wait}. @throws {StateError} */
  cancel(job: FoundJob, ms: number, signal?: AbortSignal): Promise<FoundJob | undefined>;
  /** Its result if it has ended. @throws {StateError} */
  resultOf(job: FoundJob): Promise<CallResult | undefined>;
  /** Writes what is not in the store yet, within `ms` milliseconds. */
  close(ms: number): Promise<void>;
}
