/** Holds the background jobs of a process and their results: in memory, or in the store that instances share. */

import { Buffer } from "node:buffer";
import { type Clock, ExpiryTimer, systemClock } from "../async/clock.ts";
import { deadline } from "../async/deadline.ts";
import { type CallResult, textResult } from "../tool/result.ts";
import { type Beginning, defaultJobBounds, type FoundJob, Job, type JobBounds } from "./job.ts";
import type { SharedJobs } from "./shared/jobs.ts";
import { countHeld, FairSemaphore, oldestOfLargest } from "../async/semaphore.ts";

/** A call continues in the background only if its client may call these tools, and so can reach its result. */
export const statusTool = "job_status";
export const resultTool = "job_result";
export const cancelTool = "job_cancel";

/** Returns how many jobs may run for `concurrency` calls: half of them, so that other calls can run. */
export function jobsAmong(concurrency: number): number {
  return Math.floor(concurrency / 2);
}

export class Jobs {
  readonly semaphore: FairSemaphore;
  readonly clock: Clock;
  readonly #bounds: JobBounds;
  readonly #jobs = new Map<string, Job>();
  /** The jobs that have ended, the oldest end first, each with the size of its result in bytes. */
  readonly #ended = new Map<Job, number>();
  #waits = 0;
  readonly #expiry: ExpiryTimer;
  #sharing: SharedJobs | undefined;
  #isClosed = false;

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

  get running(): number {
    return this.#jobs.size - this.#ended.size;
  }

  get isOpen(): boolean {
    return !this.#isClosed && this.#bounds.running > 0;
  }

  share(sharing: SharedJobs): void {
    this.#sharing = sharing;
  }

  get isShared(): boolean {
    return this.#sharing !== undefined;
  }

  get mayBegin(): boolean {
    return this.isOpen && this.#sharing?.refusal === undefined;
  }

  /** Returns why the client `owner` may not start another background job now; `undefined` if it may. */
  refusalFor(owner: string | undefined): string | undefined {
    const refusal = this.#sharing?.refusal;
    if (refusal !== undefined) return `Call was not started: ${refusal}\nTry again later`;
    const permits = this.semaphore.countHeld(owner);
    if (owner === undefined || permits < this.semaphore.shareOf(owner)) return undefined;
    const hint = `Wait for the end of one (job_list, ${resultTool}), or end one (${cancelTool})`;
    return `Call was not started: background job limit reached (${permits} per client)\n${hint}`;
  }

  /** Begins the job of a call. The caller must hold a permit of {@linkcode semaphore} until the job ends. */
  begin(beginning: Beginning): Job {
    const job = new Job(beginning, this.#bounds.ageMs, this.clock);
    this.#jobs.set(job.id, job);
    return job;
  }

  /** Announces a job to other instances; resolves when the store has answered, or did not answer in time. */
  async announce(job: Job): Promise<void> {
    await this.#sharing?.begin(job);
  }

  drop(job: Job): void {
    this.#jobs.delete(job.id);
  }

  end(job: Job, { wholeOutputs: _, ...result }: CallResult): void {
    const bytes = Buffer.byteLength(JSON.stringify([result.content, result.structured]));
    const most = this.#bounds.bytes;
    const isStored = bytes <= most;
    job.end(isStored ? result : resultOfDiscarded(bytes, most));
    this.#ended.set(job, isStored ? bytes : 0);
    this.#evict();
    this.#schedule();
    this.#sharing?.end(job, () => this.#remove(job));
  }

  get(id: string, owner = ""): Job | undefined {
    this.#expire();
    const job = this.#jobs.get(id);
    return job?.owner === owner ? job : undefined;
  }

  of(owner = ""): Job[] {
    this.#expire();
    return this.#jobs.values().filter((job) => job.owner === owner).toArray();
  }

  async find(id: string, owner = ""): Promise<FoundJob | undefined> {
    return this.get(id, owner) ?? await this.#sharing?.find(id, owner);
  }

  /** Returns the jobs of `owner` in other instances. @throws {StateError} if the shared store does not answer */
  async ofOtherInstances(owner = ""): Promise<readonly FoundJob[]> {
    const found = await this.#sharing?.of(owner) ?? [];
    const here = new Set(this.of(owner).map(({ id }) => id));
    return found.filter(({ id }) => !here.has(id));
  }

  /** Resolves when `job` ends, after `ms` milliseconds, or at once if too many calls wait. */
  async wait(job: FoundJob, ms: number, signal?: AbortSignal): Promise<FoundJob | undefined> {
    if (ms === 0 || signal?.aborted || this.#waits >= this.#bounds.waiting) return job;
    this.#waits++;
    try {
      if (!(job instanceof Job)) return await this.#sharing!.wait(job, ms, signal);
      await deadline(job.ended, ms, signal, this.clock);
      return job;
    } finally {
      this.#waits--;
    }
  }

  /** Cancels a job, and waits at most `ms` for its end. @throws {StateError} if the shared store does not answer */
  async cancel(job: FoundJob, ms: number, signal?: AbortSignal): Promise<FoundJob | undefined> {
    if (job instanceof Job) job.stop();
    else if (job.view().state === "running") await this.#sharing!.cancel(job);
    return await this.wait(job, ms, signal);
  }

  /** Returns the result of an ended job. @throws {StateError} if the shared store does not answer */
  async resultOf(job: FoundJob): Promise<CallResult | undefined> {
    return job instanceof Job ? job.result : await this.#sharing?.resultOf(job);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#expiry.stop();
    const jobs = [...this.#jobs.values()];
    for (const job of jobs) job.stop();
    await Promise.all(jobs.map((job) => job.ended));
    await this.#sharing?.close();
    this.#expiry.stop();
    this.#jobs.clear();
    this.#ended.clear();
  }

  #evict(): void {
    const sizeOf = (job: Job) => this.#ended.get(job)!;
    for (;;) {
      const jobs = [...this.#ended.keys()];
      const isMany = jobs.length > this.#bounds.ended;
      const bytes = this.#ended.values().reduce((sum, each) => sum + each, 0);
      if (!isMany && bytes <= this.#bounds.bytes) return;
      this.#remove(oldestOfLargest(jobs, countHeld(jobs, isMany ? undefined : sizeOf))!);
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

  #schedule(): void {
    const [oldest] = this.#ended.keys();
    this.#expiry.set(this.#isClosed ? undefined : oldest?.view().untilMs, () => {
      this.#expire();
      this.#schedule();
    });
  }
}

function resultOfDiscarded(bytes: number, most: number): CallResult {
  const [took, room] = [bytes, most].map((count) => count.toLocaleString("en-US"));
  return textResult(`Result discarded: ${took} bytes exceeds the limit of ${room}`, true);
}
