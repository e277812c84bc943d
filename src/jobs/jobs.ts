/**
 * The background jobs of a process: those that run, the results of those that have ended, and their owners. All
 * of it is in memory and ends with the process, unless instances share their jobs.
 */

import { Buffer } from "node:buffer";
import { type Clock, ExpiryTimer, systemClock } from "../async/clock.ts";
import { deadline } from "../async/deadline.ts";
import { type CallResult, textResult } from "../tool/result.ts";
import { type Beginning, Job } from "./job.ts";
import type { JobSharing } from "./job_sharing.ts";
import { FairSemaphore, heldBy, oldestOfLargest } from "../async/semaphore.ts";

/** Tools that read jobs. If they may not be called, no call continues in the background. */
export const statusTool = "job_status";
export const resultTool = "job_result";
export const cancelTool = "job_cancel";

/** Milliseconds that the end of the process waits until other instances have the results. */
const closeMs = 5000;

export interface JobBounds {
  /** Most running jobs; 0: no call continues in the background. */
  readonly running: number;
  /** Most ended jobs whose results are stored. */
  readonly ended: number;
  /** Most bytes of all results together, as JSON. */
  readonly bytes: number;
  /** Milliseconds that the result of an ended job is stored. */
  readonly ageMs: number;
  /** Most calls that wait for the end of a job; further ones are answered at once. */
  readonly waiting: number;
}

/** 64 ended jobs, 16 MiB of results, for an hour; 1,000 waiting calls. */
export const defaultJobBounds: Omit<JobBounds, "running"> = {
  ended: 64,
  bytes: 16 * 1024 * 1024,
  ageMs: 60 * 60 * 1000,
  waiting: 1000,
};

/** Most running jobs for `concurrency` calls: half of them, so that other calls can run. */
export function jobsAmong(concurrency: number): number {
  return Math.floor(concurrency / 2);
}

export class Jobs {
  /** Permits of the running jobs. */
  readonly semaphore: FairSemaphore;
  /** The clock of their ages and timeouts. */
  readonly clock: Clock;
  readonly #bounds: JobBounds;
  /** In the order of their start. */
  readonly #jobs = new Map<string, Job>();
  /** Ended jobs in the order of their end, with the bytes of their results. */
  readonly #ended = new Map<Job, number>();
  #waits = 0;
  readonly #expiry: ExpiryTimer;
  #sharing: JobSharing | undefined;
  #isClosed = false;

  /** `semaphore` is that of other jobs, if they share their permits. */
  constructor(
    { running, ...bounds }: Partial<JobBounds> & Pick<JobBounds, "running">,
    clock: Clock = systemClock,
    semaphore: FairSemaphore = new FairSemaphore(running),
  ) {
    this.clock = clock;
    this.#expiry = new ExpiryTimer(clock);
    this.#bounds = { ...defaultJobBounds, ...bounds, running };
    this.semaphore = semaphore;
  }

  /** The number of running jobs. */
  get running(): number {
    return this.#jobs.size - this.#ended.size;
  }

  get isOpen(): boolean {
    return !this.#isClosed && this.#bounds.running > 0;
  }

  /** Lets other instances read and cancel the jobs, and these of others be read here. */
  share(sharing: JobSharing): void {
    this.#sharing = sharing;
  }

  /** Absent: the jobs are those of this process alone. */
  get sharing(): JobSharing | undefined {
    return this.#sharing;
  }

  /** Returns whether a further job may begin now. */
  get mayBegin(): boolean {
    return this.isOpen && this.#sharing?.refusal === undefined;
  }

  /** The refusal of a further job of `owner`, if its share is used up. Without one, the job may still have to wait. */
  refusalFor(owner: string | undefined): string | undefined {
    const refusal = this.#sharing?.refusal;
    if (refusal !== undefined) return `Call was not started: ${refusal}\nTry again later`;
    const permits = this.semaphore.heldBy(owner);
    if (owner === undefined || permits < this.semaphore.shareOf(owner)) return undefined;
    const hint = `Wait for the end of one (job_list, ${resultTool}), or end one (${cancelTool})`;
    return `Call was not started: background job limit reached (${permits} per client)\n${hint}`;
  }

  /** Adds a running job. The caller holds a permit of {@linkcode semaphore} until the job ends. */
  begin(beginning: Beginning): Job {
    const job = new Job(beginning, this.#bounds.ageMs, this.clock);
    this.#jobs.set(job.id, job);
    return job;
  }

  /** Tells other instances of a job; resolves when they know it, or could not be told in time. */
  async announce(job: Job): Promise<void> {
    await this.#sharing?.begin(job);
  }

  /** Removes a job that was not started after all. */
  drop(job: Job): void {
    this.#jobs.delete(job.id);
  }

  /** Ends `job` with `result`, which is stored until it is evicted. */
  end(job: Job, { uncut: _, ...result }: CallResult): void {
    const bytes = bytesOf(result);
    const most = this.#bounds.bytes;
    const isStored = bytes <= most;
    job.end(isStored ? result : discarded(bytes, most));
    this.#ended.set(job, isStored ? bytes : 0);
    this.#evict();
    this.#schedule();
    this.#sharing?.end(job, () => this.#remove(job));
  }

  /** The job `id` if `owner` owns it. */
  get(id: string, owner = ""): Job | undefined {
    this.#expire();
    const job = this.#jobs.get(id);
    return job?.owner === owner ? job : undefined;
  }

  /** The jobs of `owner` in the order of their start. */
  of(owner = ""): Job[] {
    this.#expire();
    return this.#jobs.values().filter((job) => job.owner === owner).toArray();
  }

  /** Waits at most `ms` for the end of `job`. Returns at once if too many calls wait. */
  async wait(job: Job, ms: number, signal?: AbortSignal): Promise<void> {
    if (ms === 0 || signal?.aborted) return;
    await this.whileWaiting(() => deadline(job.ended, ms, signal, this.clock));
  }

  /** Waits for `work`, unless too many calls wait. */
  async whileWaiting<T>(work: () => Promise<T>): Promise<T | undefined> {
    if (this.#waits >= this.#bounds.waiting) return undefined;
    this.#waits++;
    try {
      return await work();
    } finally {
      this.#waits--;
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#expiry.stop();
    const jobs = [...this.#jobs.values()];
    for (const job of jobs) job.stop();
    await Promise.all(jobs.map((job) => job.ended));
    await this.#sharing?.close(closeMs);
    this.#expiry.stop();
    this.#jobs.clear();
    this.#ended.clear();
  }

  /** Evicts the oldest job of the owner that has most. */
  #evict(): void {
    const sizeOf = (job: Job) => this.#ended.get(job)!;
    for (;;) {
      const jobs = [...this.#ended.keys()];
      const tooMany = jobs.length > this.#bounds.ended;
      const bytes = jobs.reduce((sum, job) => sum + sizeOf(job), 0);
      if (!tooMany && bytes <= this.#bounds.bytes) return;
      this.#remove(oldestOfLargest(jobs, heldBy(jobs, tooMany ? undefined : sizeOf))!);
    }
  }

  #remove(job: Job): void {
    this.#sharing?.forget(job.id);
    this.#ended.delete(job);
    this.#jobs.delete(job.id);
  }

  #expire(): void {
    const now = this.clock.now();
    for (const job of this.#ended.keys()) if (job.view().untilMs <= now) this.#remove(job);
  }

  /** Removes ended jobs on time, without a request. */
  #schedule(): void {
    const [oldest] = this.#ended.keys();
    this.#expiry.set(this.#isClosed ? undefined : oldest?.view().untilMs, () => {
      this.#expire();
      this.#schedule();
    });
  }
}

function bytesOf({ content, structured }: CallResult): number {
  return Buffer.byteLength(JSON.stringify([content, structured]));
}

function discarded(bytes: number, most: number): CallResult {
  const [took, room] = [bytes, most].map((count) => count.toLocaleString("en-US"));
  return textResult(`Result discarded: ${took} bytes exceeds the limit of ${room}`, true);
}
