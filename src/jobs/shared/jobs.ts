/** Shares background jobs: all instances can read and cancel a job, and the instance that began a job writes its record. */

import { Buffer } from "node:buffer";
import { type CancelTimer, type Clock, repeat, systemClock } from "../../async/clock.ts";
import { deadline, delay } from "../../async/deadline.ts";
import { messageOf } from "../../errors.ts";
import { log } from "../../log.ts";
import { maxValueBytes, type SharedStore, StateError } from "../../state/store.ts";
import { thousands } from "../../text/plural.ts";
import { type CallResult, textResult } from "../../tool/result.ts";
import { defaultJobBounds, type FoundJob, isId, type Job } from "../job.ts";
import { Quota, type SharedOptions } from "./_quota.ts";
import {
  beatMs,
  instanceName,
  type JobRecord,
  lostMs,
  RemoteJob,
  serializeResult,
} from "./_record.ts";

/** An instance that waits for a job of another instance reads the job's record at this interval, in milliseconds. */
const lookMs = 1000;

/** Another instance asks to cancel a job by this field in the job's record. */
const cancelField = "cancel";

/** At its end, a process waits at most this many milliseconds until its results are in the store. */
const closeMs = 5000;

/** An instance writes changes of its jobs, and reads requests to cancel them, at this interval, in milliseconds. */
const writeMs = 1000;

/** The last sign of life of an instance is stored for this many milliseconds. */
const beatAgeMs = 24 * 60 * 60 * 1000;

interface OwnJob {
  readonly job: Job;
  isChanged: boolean;
  isStopped: boolean;
  release?: () => void;
  hasFailed: boolean;
  writing?: Promise<void>;
}

export class SharedJobs {
  readonly #store: SharedStore;
  readonly #clock: Clock;
  readonly #quota: Quota;
  readonly #own = new Map<string, OwnJob>();
  #isWriting = false;
  #beatAtMs = 0;
  #cancelTimer: CancelTimer | undefined;

  constructor({ store, scope = "", clock = systemClock }: SharedOptions) {
    const { ended: count, bytes, ageMs } = defaultJobBounds;
    this.#store = store;
    this.#clock = clock;
    const all = { count, bytes, ageMs, ownerCount: count, ownerBytes: bytes };
    this.#quota = new Quota(store, { kind: "job", scope, lostMs, bounds: () => all });
  }

  get refusal(): string | undefined {
    if (this.#store.condition !== "down") return undefined;
    return "the store that all instances share cannot be reached";
  }

  async begin(job: Job): Promise<void> {
    const own: OwnJob = { job, isChanged: false, isStopped: false, hasFailed: false };
    this.#own.set(job.id, own);
    job.onHear = () => own.isChanged = true;
    this.#cancelTimer ??= repeat(this.#clock, writeMs, () => void this.#write(), { unref: true });
    const announced = Promise.all([this.#writeJob(own), this.#beat()]);
    job.isLocal = !await announced.then(() => true, () => false);
  }

  end(job: Job, release: () => void): void {
    const own = this.#own.get(job.id);
    if (own === undefined) return;
    own.release = release;
    own.isChanged = true;
    own.writing = this.#writeJob(own).catch(() => {});
  }

  forget(id: string): void {
    this.#own.delete(id);
  }

  /** Reads a job from the shared store. @throws {StateError} if the store does not answer or the key is wrong */
  async find(id: string, owner: string): Promise<RemoteJob | undefined> {
    if (!isId(id, "j")) return undefined;
    const text = await this.#readField("record", { id, owner });
    if (text === undefined) return undefined;
    const record: JobRecord = JSON.parse(text);
    const isRunning = record.state === "running";
    const heard = isRunning && await this.#store.get(instanceName(record.instance));
    return new RemoteJob(record, { owner, nowMs: this.#store.now(), heardMs: Number(heard || 0) });
  }

  async of(owner: string): Promise<FoundJob[]> {
    const ids = await this.#quota.of(owner);
    // A job that an instance with another key has stored counts as missing
    const found = await Promise.all(ids.map((id) => {
      return this.find(id, owner).catch((error) => {
        if (!(error instanceof StateError && error.failure === "unreadable")) throw error;
      });
    }));
    return found.filter((job) => job instanceof RemoteJob)
      .toSorted((one, other) => one.record.beganMs - other.record.beganMs);
  }

  /** Resolves to the job after at most `ms` milliseconds, earlier if it ends or is lost. @throws {StateError} */
  async wait(job: FoundJob, ms: number, signal?: AbortSignal): Promise<FoundJob | undefined> {
    const until = this.#clock.now() + ms;
    for (;;) {
      const now = await this.find(job.id, job.owner);
      const restMs = until - this.#clock.now();
      if (now?.view().state !== "running" || restMs <= 0 || signal?.aborted) return now;
      await delay(Math.min(lookMs, restMs), signal, this.#clock);
    }
  }

  /** Asks the instance of `job` to cancel it; that instance reads such requests each second. @throws {StateError} */
  async cancel({ id, owner }: FoundJob): Promise<void> {
    const name = this.#quota.nameOf(id, owner);
    await this.#store.putFields(name, { [cancelField]: id }, defaultJobBounds.ageMs);
  }

  /** Reads a result from the shared store. @throws {StateError} if the store does not answer or the key is wrong */
  async resultOf(job: FoundJob): Promise<CallResult | undefined> {
    const result = await this.#readField("result", job);
    return result === undefined ? undefined : JSON.parse(result);
  }

  async #readField(field: string, { id, owner }: Pick<FoundJob, "id" | "owner">) {
    return (await this.#store.getFields(this.#quota.nameOf(id, owner), [field])).get(field);
  }

  async close(): Promise<void> {
    const rest = this.#own.values().map((own) => {
      return own.isChanged ? this.#writeJob(own).catch(() => {}) : own.writing;
    });
    if (this.#store.condition !== "down") {
      await deadline(Promise.all(rest), closeMs, undefined, this.#clock);
    }
    this.#stopWriting();
  }

  async #write(): Promise<void> {
    if (this.#isWriting || ["down", "full"].includes(this.#store.condition)) return;
    this.#isWriting = true;
    const changed = this.#own.values().filter((own) => own.isChanged);
    try {
      if (this.#clock.now() - this.#beatAtMs >= beatMs) await this.#beat();
      for (const own of changed.toArray()) await this.#writeJob(own).catch(() => {});
      await this.#stopCancelled();
    } catch (error) {
      log("debug", `jobs: ${messageOf(error)}`);
    } finally {
      this.#isWriting = false;
      if (this.#own.size === 0) this.#stopWriting();
    }
  }

  async #stopCancelled(): Promise<void> {
    const running = this.#own.values().filter((own) => own.release === undefined && !own.isStopped);
    await Promise.all(running.map(async (own) => {
      // A request to cancel that was sealed with an unknown key cannot be read, and is ignored
      const request = await this.#readField(cancelField, own.job).catch(() => undefined);
      if (request === undefined) return;
      own.isStopped = true;
      own.job.stop();
    }));
  }

  #stopWriting(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
  }

  async #beat(): Promise<void> {
    const { instance } = this.#store;
    const running = this.#own.values().filter(({ job }) => job.result === undefined);
    await Promise.all([
      ...running.map(async (own) => {
        const { id, owner } = own.job;
        const place = { bytes: 0, state: "open", mustExist: true } as const;
        if (!await this.#quota.admit(id, owner, place)) own.isChanged = true;
      }),
      this.#store.put(instanceName(instance), String(this.#store.now()), beatAgeMs),
    ]);
    this.#beatAtMs = this.#clock.now();
  }

  async #writeJob(own: OwnJob): Promise<void> {
    const { job } = own;
    own.isChanged = false;
    try {
      if (job.result === undefined) await this.#writeRunning(job);
      else await this.#writeEnded(own, job.result);
      own.hasFailed = false;
      job.isLocal = false;
    } catch (error) {
      if (!own.hasFailed) log("warning", `Job ${job.id} is not stored yet: ${messageOf(error)}`);
      own.hasFailed = true;
      own.isChanged = true;
      throw error;
    }
  }

  async #writeRunning(job: Job): Promise<void> {
    await Promise.all([
      this.#quota.admit(job.id, job.owner, { bytes: 0, state: "open" }),
      this.#putRecord(job, {}),
    ]);
  }

  async #writeEnded(own: OwnJob, given: CallResult): Promise<void> {
    const { job, release } = own;
    const place = async (text: string) => {
      const bytes = Buffer.byteLength(text);
      return bytes <= maxValueBytes &&
        await this.#quota.admit(job.id, job.owner, { bytes, state: "ended" });
    };
    const whole = serializeResult(given);
    const hasRoom = await place(whole);
    const result = hasRoom ? given : noRoomFor(Buffer.byteLength(whole));
    const text = hasRoom ? whole : serializeResult(result);
    if (!hasRoom) await place(text);
    await this.#putRecord(job, { isError: result.isError }, { result: text });
    if (release === undefined) return;
    this.#own.delete(job.id);
    release();
  }

  async #putRecord(
    job: Job,
    more: Partial<JobRecord>,
    others: Readonly<Record<string, string>> = {},
  ): Promise<void> {
    const offsetMs = this.#store.now() - this.#clock.now();
    const { isLocal: _, ...view } = job.view();
    const record: JobRecord = {
      ...view,
      state: view.state as JobRecord["state"],
      instance: this.#store.instance,
      beganMs: view.beganMs + offsetMs,
      heardMs: view.heardMs + offsetMs,
      untilMs: view.untilMs + offsetMs,
      ...more,
    };
    const fields = { record: JSON.stringify(record), ...others };
    const name = this.#quota.nameOf(view.id, job.owner);
    await this.#store.putFields(name, fields, defaultJobBounds.ageMs);
  }
}

function noRoomFor(bytes: number): CallResult {
  const reason = `the store that all instances share has no room for ${thousands(bytes)} bytes`;
  return textResult(`Result discarded: ${reason}`, true);
}
