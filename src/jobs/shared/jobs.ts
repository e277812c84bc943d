/** Shares background jobs: every instance can read and cancel a job, and the one that began it writes its record. */

import { Buffer } from "node:buffer";
import { type CancelTimer, type Clock, repeat, systemClock } from "../../async/clock.ts";
import { deadline, delay } from "../../async/deadline.ts";
import { messageOf } from "../../errors.ts";
import { log } from "../../log.ts";
import { maxValueBytes, type SharedStore, StateError } from "../../state/store.ts";
import { thousands } from "../../text/plural.ts";
import { type CallResult, textResult } from "../../tool/result.ts";
import { defaultJobBounds, type FoundJob, isId, type Job, type JobBounds } from "../job.ts";
import { Quota, type SharedOptions } from "./_quota.ts";
import {
  beatMs,
  instanceName,
  type JobRecord,
  lostMs,
  RemoteJob,
  serializeResult,
} from "./_record.ts";

/** An instance that waits for a job of another one reads the job's record at this interval, in milliseconds. */
const lookMs = 1000;

/** In this field of a record, another instance asks to cancel the job. */
const cancelField = "cancel";

/** At its end, a process waits at most this many milliseconds until its results are in the store. */
const closeMs = 5000;

/** Changes are written, and requests to cancel are read, at this interval, in milliseconds. */
const writeMs = 1000;

/** After failures, a job's record is written to the store again after at most this many milliseconds. */
const maxRetryMs = 30_000;

/** The last sign of life of an instance is stored for this many milliseconds. */
const beatAgeMs = 24 * 60 * 60 * 1000;

interface OwnJob {
  readonly job: Job;
  isChanged: boolean;
  /** True once another instance has cancelled the job. */
  isStopped: boolean;
  /** Called when the result is written; present once the job has ended. */
  release?: () => void;
  retryAtMs: number;
  failures: number;
  writing?: Promise<void>;
}

export class SharedJobs {
  readonly #store: SharedStore;
  readonly #clock: Clock;
  readonly #quota: Quota;
  readonly #ageMs: number;
  readonly #own = new Map<string, OwnJob>();
  #isWriting = false;
  #beatAtMs = 0;
  #cancelTimer: CancelTimer | undefined;

  constructor(
    { store, scope = "", clock = systemClock }: SharedOptions,
    { ended: count, bytes, ageMs }: Omit<JobBounds, "running"> = defaultJobBounds,
  ) {
    this.#store = store;
    this.#clock = clock;
    this.#ageMs = ageMs;
    const all = { count, bytes, ageMs, ownerCount: count, ownerBytes: bytes };
    this.#quota = new Quota(store, { kind: "job", scope, lostMs, bounds: () => all });
  }

  /** The reason why no job may begin now; `undefined` if one may. */
  get refusal(): string | undefined {
    if (this.#store.condition !== "down") return undefined;
    return "the store that all instances share cannot be reached";
  }

  /** Announces a job that begins. Resolves when its record is written, or cannot be written. */
  async begin(job: Job): Promise<void> {
    const own: OwnJob = { job, isChanged: false, isStopped: false, retryAtMs: 0, failures: 0 };
    this.#own.set(job.id, own);
    job.onHear = () => own.isChanged = true;
    this.#cancelTimer ??= repeat(this.#clock, writeMs, () => void this.#write(), { unref: true });
    const announced = Promise.all([this.#writeJob(own), this.#beat()]);
    job.isLocal = !await announced.then(() => true, () => false);
  }

  /** Announces the end of a job, and calls `release` when its result is written. */
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

  /** Finds a job of any instance. @throws {StateError} */
  async find(id: string, owner: string): Promise<RemoteJob | undefined> {
    if (!isId(id, "j")) return undefined;
    const fields = await this.#store.getFields(this.#quota.nameOf(id, owner), ["record"]);
    const text = fields.get("record");
    if (text === undefined) return undefined;
    const record: JobRecord = JSON.parse(text);
    const heard = record.state === "running"
      ? await this.#store.get(instanceName(record.instance))
      : undefined;
    const heardMs = heard === undefined ? undefined : Number(heard);
    return new RemoteJob(record, { owner, nowMs: this.#store.now(), heardMs });
  }

  /** Returns the jobs of `owner` at other instances, in the order of their start. @throws {StateError} */
  async of(owner: string): Promise<FoundJob[]> {
    const ids = await this.#quota.of(owner);
    const found = await Promise.all(ids.map((id) => this.#findReadable(id, owner)));
    return found.filter((job) => job !== undefined)
      .toSorted((one, other) => one.record.beganMs - other.record.beganMs);
  }

  /** Finds a job as {@linkcode find} does, but a job that an instance with another key has stored counts as missing. */
  async #findReadable(id: string, owner: string): Promise<RemoteJob | undefined> {
    return await this.find(id, owner).catch((error) => {
      if (error instanceof StateError && error.failure === "unreadable") return undefined;
      throw error;
    });
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
    await this.#store.putFields(this.#quota.nameOf(id, owner), { [cancelField]: id }, this.#ageMs);
  }

  /** Reads the result of a job that has ended. @throws {StateError} */
  async resultOf(job: FoundJob): Promise<CallResult | undefined> {
    const name = this.#quota.nameOf(job.id, job.owner);
    const result = (await this.#store.getFields(name, ["result"])).get("result");
    return result === undefined ? undefined : JSON.parse(result);
  }

  /** Writes the records that are not in the store yet, for a limited time. */
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
    if (this.#isWriting || this.#store.condition === "down") return;
    this.#isWriting = true;
    const now = this.#clock.now();
    const due = this.#own.values().filter((own) => own.isChanged && own.retryAtMs <= now);
    try {
      if (now - this.#beatAtMs >= beatMs) await this.#beat();
      for (const own of due.toArray()) await this.#writeJob(own).catch(() => {});
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
      const name = this.#quota.nameOf(own.job.id, own.job.owner);
      // A request that another key has sealed cannot be read, and does not count
      const found = await this.#store.getFields(name, [cancelField]).catch(() => undefined);
      if (found?.has(cancelField) !== true) return;
      own.isStopped = true;
      own.job.stop();
    }));
  }

  #stopWriting(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
  }

  /** Renews the entries of running jobs, and writes those again that the store has lost. */
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
      own.failures = 0;
      job.isLocal = false;
    } catch (error) {
      if (own.failures++ === 0) {
        log("warning", `Job ${job.id} is not stored yet: ${messageOf(error)}`);
      }
      own.isChanged = true;
      own.retryAtMs = this.#clock.now() + Math.min(maxRetryMs, writeMs * 2 ** own.failures);
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
    await this.#store.putFields(this.#quota.nameOf(view.id, job.owner), fields, this.#ageMs);
  }
}

function noRoomFor(bytes: number): CallResult {
  const reason = `the store that all instances share has no room for ${thousands(bytes)} bytes`;
  return textResult(`Result discarded: ${reason}`, true);
}
