/** Finds background jobs for their clients: those of this instance, and those that it shares with others. */

import type { CallResult } from "../tool/result.ts";
import { type FoundJob, Job } from "./job.ts";
import type { Jobs } from "./jobs.ts";

export class JobFinder {
  readonly #jobs: Jobs;

  constructor(jobs: Jobs) {
    this.#jobs = jobs;
  }

  /** The job `id`, of this or another instance, if `owner` owns it. @throws {StateError} */
  async find(id: string, owner = ""): Promise<FoundJob | undefined> {
    return this.#jobs.get(id, owner) ?? await this.#jobs.sharing?.find(id, owner);
  }

  /** The jobs of `owner` that this instance has. */
  here(owner?: string): readonly FoundJob[] {
    return this.#jobs.of(owner);
  }

  /** The jobs of `owner` at other instances. @throws {StateError} */
  async elsewhere(owner = ""): Promise<readonly FoundJob[]> {
    const found = await this.#jobs.sharing?.of(owner) ?? [];
    const here = new Set(this.#jobs.of(owner).map(({ id }) => id));
    return found.filter(({ id }) => !here.has(id));
  }

  /**
   * The job after at most `ms` milliseconds, earlier if it ends; `undefined` if it was evicted meanwhile.
   *
   * @throws {StateError}
   */
  async wait(job: FoundJob, ms: number, signal?: AbortSignal): Promise<FoundJob | undefined> {
    if (job instanceof Job) {
      await this.#jobs.wait(job, ms, signal);
      return job;
    }
    if (ms === 0) return job;
    const waited = await this.#jobs.whileWaiting(async () => {
      return { job: await this.#jobs.sharing!.wait(job, ms, signal) };
    });
    return waited === undefined ? job : waited.job;
  }

  /** Cancels `job`, and waits for its end; the same as {@linkcode wait}. @throws {StateError} */
  async cancel(job: FoundJob, ms: number, signal?: AbortSignal): Promise<FoundJob | undefined> {
    if (job instanceof Job) {
      job.stop();
      return await this.wait(job, ms, signal);
    }
    const { sharing } = this.#jobs;
    const cancelled = await this.#jobs.whileWaiting(async () => {
      return { job: await sharing!.cancel(job, ms, signal) };
    });
    // Too many calls wait: the request is sent all the same
    return cancelled === undefined ? await sharing!.cancel(job, 0, signal) : cancelled.job;
  }

  /** The result of `job` if it has ended. @throws {StateError} */
  async resultOf(job: FoundJob): Promise<CallResult | undefined> {
    return job instanceof Job ? job.result : await this.#jobs.sharing?.resultOf(job);
  }
}
