/**
 * Background jobs that any instance can read and cancel. A job runs where it began; that instance writes its record,
 * at most once a second, and a sign of life for all its jobs. Results of ended jobs are in the store alone.
 */

import { type Clock, systemClock } from "../../async/clock.ts";
import { delay } from "../../async/deadline.ts";
import { type SharedStore, StateError } from "../../state/store.ts";
import type { CallResult } from "../../tool/result.ts";
import { isId } from "../_ids.ts";
import type { FoundJob, Job } from "../job.ts";
import type { JobSharing } from "../job_sharing.ts";
import { defaultJobBounds, type JobBounds } from "../jobs.ts";
import { readPieces } from "./pieces.ts";
import { Places } from "./_places.ts";
import { instanceName, type JobRecord, lostMs, RemoteJob } from "./_record.ts";
import { Waiters } from "./_waiters.ts";
import { JobWriter } from "./_writer.ts";
import type { SharedOptions } from "./options.ts";

/** Milliseconds between two requests to cancel. */
const cancelMs = 1000;

export class SharedJobs implements JobSharing {
  readonly #store: SharedStore;
  readonly #whenDown: SharedOptions["whenDown"];
  readonly #clock: Clock;
  readonly #places: Places;
  readonly #waiters: Waiters;
  readonly #writer: JobWriter;
  #isListening = false;

  constructor(
    { store, scope = "", whenDown, clock = systemClock }: SharedOptions,
    bounds: Omit<JobBounds, "running"> = defaultJobBounds,
  ) {
    this.#store = store;
    this.#whenDown = whenDown;
    this.#clock = clock;
    const { ended: count, bytes, ageMs } = bounds;
    const all = { count, bytes, ageMs, ownerCount: count, ownerBytes: bytes };
    this.#places = new Places(store, { kind: "job", scope, lostMs, bounds: () => all });
    this.#waiters = new Waiters(store, clock);
    this.#writer = new JobWriter({
      store,
      places: this.#places,
      clock,
      ageMs,
      onEnd: (id) => void this.#waiters.wake(id),
    });
  }

  get refusal(): string | undefined {
    if (this.#whenDown === "local" || this.#store.condition !== "down") return undefined;
    return "the store that all instances share cannot be reached";
  }

  async begin(job: Job): Promise<void> {
    this.#listen();
    await this.#writer.begin(job);
  }

  end(job: Job, release: () => void): void {
    this.#writer.end(job, release);
  }

  forget(id: string): void {
    this.#writer.forget(id);
  }

  async find(id: string, owner: string): Promise<RemoteJob | undefined> {
    if (!isId(id, "j")) return undefined;
    const fields = await this.#store.getFields(this.#places.nameOf(id, owner), ["record"]);
    const text = fields.get("record");
    if (text === undefined) return undefined;
    const record: JobRecord = JSON.parse(text);
    const heard = record.state === "running"
      ? await this.#store.get(instanceName(record.instance))
      : undefined;
    const heardMs = heard === undefined ? undefined : Number(heard);
    return new RemoteJob(record, { owner, nowMs: this.#store.now(), heardMs });
  }

  async of(owner: string): Promise<FoundJob[]> {
    const ids = await this.#places.of(owner);
    const found = await Promise.all(ids.map((id) => this.#findReadable(id, owner)));
    return found.filter((job) => job !== undefined)
      .toSorted((one, other) => one.record.beganMs - other.record.beganMs);
  }

  /** One that an instance with another key has stored is not listed. */
  async #findReadable(id: string, owner: string): Promise<RemoteJob | undefined> {
    return await this.find(id, owner).catch((error) => {
      if (error instanceof StateError && error.failure === "unreadable") return undefined;
      throw error;
    });
  }

  async wait(job: FoundJob, ms: number, signal?: AbortSignal): Promise<FoundJob | undefined> {
    return await this.#waiters.wait(job.id, {
      look: () => this.find(job.id, job.owner),
      isOver: (now) => now?.view().state !== "running",
      ms,
      signal,
    });
  }

  async cancel(job: FoundJob, ms: number, signal?: AbortSignal): Promise<FoundJob | undefined> {
    const { record } = job as RemoteJob;
    const ended = new AbortController();
    const waiting = this.wait(job, ms, signal).finally(() => ended.abort());
    // It is awaited below
    waiting.catch(() => {});
    // Messages may be lost with a connection
    while (!ended.signal.aborted && job.view().state === "running") {
      await this.#store.publish(cancelChannel(record.instance), job.id).catch(() => {});
      await delay(cancelMs, ended.signal, this.#clock);
    }
    return await waiting;
  }

  async resultOf(job: FoundJob): Promise<CallResult | undefined> {
    const { result } = (job as RemoteJob).record;
    if (result === undefined) return undefined;
    if (typeof result === "string") return JSON.parse(result);
    const record = { store: this.#store, name: this.#places.nameOf(job.id, job.owner) };
    return JSON.parse(await readPieces(record, 0, result.length));
  }

  async close(ms: number): Promise<void> {
    await this.#writer.close(ms);
    this.#waiters.close();
  }

  /** Requests of other instances to cancel jobs of this one. */
  #listen(): void {
    if (this.#isListening) return;
    this.#isListening = true;
    const cancel = (id: string) => this.#writer.cancel(id);
    void this.#store.listen(cancelChannel(this.#store.instance), cancel).catch(() => {});
  }
}

function cancelChannel(instance: string): string {
  return `cancel/${instance}`;
}
