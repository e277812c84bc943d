/**
 * Calls that go on behind their answers: those that run, what those that have ended came to, and whose
 * they are. All of it is in memory and ends with the process.
 */

import { monotonicNow } from "../process/monotonic.ts";
import { Buffer } from "node:buffer";
import { deadline } from "../async/deadline.ts";
import { type CallResult, textResult } from "../tool/result.ts";
import { ExpiryTimer } from "./_expiry_timer.ts";
import { type Beginning, Job } from "./job.ts";
import { heldBy, oldestOfLargest } from "../async/fair_share.ts";
import { FairSemaphore } from "../async/semaphore.ts";

/** The tools that ask after jobs: nothing goes on behind an answer where they may not be called. */
export const statusTool = "job_status";
export const resultTool = "job_result";
/** The one that ends a job. */
export const cancelTool = "job_cancel";

/** What the jobs of a process may take. */
export interface JobBounds {
  /** Jobs that run at once; 0: there are none. */
  readonly running: number;
  /** Jobs that have ended and can still be asked for. */
  readonly ended: number;
  /** Bytes of their results, as JSON, together. */
  readonly bytes: number;
  /** Milliseconds that a job can be asked for when it has ended. */
  readonly ageMs: number;
  /** Calls that wait for the end of a job; further ones are answered at once. */
  readonly waiting: number;
}

/** 64 that have ended, 16 MiB of results, for an hour; 1,000 that wait. */
export const defaultJobBounds: Omit<JobBounds, "running"> = {
  ended: 64,
  bytes: 16 * 1024 * 1024,
  ageMs: 60 * 60 * 1000,
  waiting: 1000,
};

/** Jobs that run at once of `concurrency` calls: half of them, so that others find a place. */
export function jobsAmong(concurrency: number): number {
  return Math.floor(concurrency / 2);
}

/** The jobs of a process. */
export class Jobs {
  /** The places of those that run. */
  readonly semaphore: FairSemaphore;
  readonly #bounds: JobBounds;
  /** In the order they began. */
  readonly #jobs = new Map<string, Job>();
  /** Those that have ended, in that order, and the bytes of their results. */
  readonly #ended = new Map<Job, number>();
  #waiting = 0;
  readonly #expiry = new ExpiryTimer();
  #isClosed = false;

  /** Nothing runs yet. */
  constructor({ running, ...bounds }: Partial<JobBounds> & Pick<JobBounds, "running">) {
    this.#bounds = { ...defaultJobBounds, ...bounds, running };
    this.semaphore = new FairSemaphore(running);
  }

  /** Jobs that run. */
  get running(): number {
    return this.#jobs.size - this.#ended.size;
  }

  /** Whether there may be jobs. */
  get isOpen(): boolean {
    return !this.#isClosed && this.#bounds.running > 0;
  }

  /** Why no further call of `owner` may be one; nothing where it may, though it may have to wait. */
  refusalFor(owner: string | undefined): string | undefined {
    const held = this.semaphore.heldBy(owner);
    if (owner === undefined || held < this.semaphore.shareOf(owner)) return undefined;
    const hint = `Wait for the end of one (job_list, ${resultTool}), or end one (${cancelTool})`;
    return `Call was not started: background job limit reached (${held} per client)\n${hint}`;
  }

  /** A job, which has a place of {@linkcode semaphore} until it ends. */
  begin(beginning: Beginning): Job {
    const job = new Job(beginning, this.#bounds.ageMs);
    this.#jobs.set(job.id, job);
    return job;
  }

  /** As if the job had never been. */
  drop(job: Job): void {
    this.#jobs.delete(job.id);
  }

  /** The job has come to `result`, which is kept as long as there is room. */
  end(job: Job, { uncut: _, ...result }: CallResult): void {
    const bytes = bytesOf(result);
    const most = this.#bounds.bytes;
    const isKept = bytes <= most;
    job.end(isKept ? result : lost(bytes, most));
    this.#ended.set(job, isKept ? bytes : 0);
    this.#makeRoom();
    this.#watch();
  }

  /** The job `id`, if it is one of `owner`'s. */
  get(id: string, owner = ""): Job | undefined {
    this.#expire();
    const job = this.#jobs.get(id);
    return job?.owner === owner ? job : undefined;
  }

  /** The jobs of `owner`, in the order they began. */
  of(owner = ""): Job[] {
    this.#expire();
    return this.#jobs.values().filter((job) => job.owner === owner).toArray();
  }

  /** Waits for the end of `job`, but for `ms` at most, and not where too many do. */
  async wait(job: Job, ms: number, signal?: AbortSignal): Promise<void> {
    if (ms === 0 || signal?.aborted || this.#waiting >= this.#bounds.waiting) return;
    this.#waiting++;
    await deadline(job.ended, ms, signal);
    this.#waiting--;
  }

  /** Ends every job; resolves when none runs. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#expiry.stop();
    const jobs = [...this.#jobs.values()];
    for (const job of jobs) job.stop();
    await Promise.all(jobs.map((job) => job.ended));
    this.#expiry.stop();
    this.#jobs.clear();
    this.#ended.clear();
  }

  /** The oldest goes first, of the owner who has most. */
  #makeRoom(): void {
    const sizeOf = (job: Job) => this.#ended.get(job)!;
    for (;;) {
      const jobs = [...this.#ended.keys()];
      const tooMany = jobs.length > this.#bounds.ended;
      const bytes = jobs.reduce((sum, job) => sum + sizeOf(job), 0);
      if (!tooMany && bytes <= this.#bounds.bytes) return;
      this.#forget(oldestOfLargest(jobs, heldBy(jobs, tooMany ? undefined : sizeOf))!);
    }
  }

  #forget(job: Job): void {
    this.#ended.delete(job);
    this.#jobs.delete(job.id);
  }

  #expire(): void {
    const now = monotonicNow();
    for (const job of this.#ended.keys()) if (job.view().untilMs <= now) this.#forget(job);
  }

  /** Sees to it that the oldest goes in time, whether or not anybody asks. */
  #watch(): void {
    const [oldest] = this.#ended.keys();
    this.#expiry.set(this.#isClosed ? undefined : oldest?.view().untilMs, () => {
      this.#expire();
      this.#watch();
    });
  }
}

function bytesOf({ content, structured }: CallResult): number {
  return Buffer.byteLength(JSON.stringify([content, structured]));
}

function lost(bytes: number, most: number): CallResult {
  const [took, room] = [bytes, most].map((count) => count.toLocaleString("en-US"));
  return textResult(`Result discarded: ${took} bytes exceeds the limit of ${room}`, true);
}
