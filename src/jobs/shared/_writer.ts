/** Writes the records of the jobs of this instance, at most once a second each, and its sign of life. */

import { Buffer } from "node:buffer";
import { type CancelTimer, type Clock, repeat } from "../../async/clock.ts";
import { deadline } from "../../async/deadline.ts";
import { messageOf } from "../../errors.ts";
import { log } from "../../log.ts";
import type { SharedStore } from "../../state/store.ts";
import { thousands } from "../../text/plural.ts";
import { type CallResult, textResult } from "../../tool/result.ts";
import type { Job } from "../job.ts";
import { writePieces } from "./pieces.ts";
import type { Places } from "./_places.ts";
import { beatMs, instanceName, type JobRecord, storedResult } from "./_record.ts";

/** Milliseconds between two writes of what has changed. */
const writeMs = 1000;

/** Most milliseconds between two attempts after failures. */
const maxRetryMs = 30_000;

/** Most UTF-16 code units of a result in its record. */
const inlineLength = 64 * 1024;

/** Milliseconds that the last sign of life of an instance is kept. */
const beatAgeMs = 24 * 60 * 60 * 1000;

/** A job of this instance that others are told of. */
interface OwnJob {
  readonly job: Job;
  isChanged: boolean;
  /** Present when it has ended. */
  release?: () => void;
  /** After a failure. */
  retryAtMs: number;
  failures: number;
  writing?: Promise<void>;
}

export interface JobWriterOptions {
  readonly store: SharedStore;
  readonly places: Places;
  readonly clock: Clock;
  /** Milliseconds that a record is kept. */
  readonly ageMs: number;
  /** Called when the others can read the result of a job. */
  readonly onEnd: (id: string) => void;
}

export class JobWriter {
  readonly #options: JobWriterOptions;
  readonly #store: SharedStore;
  readonly #clock: Clock;
  readonly #own = new Map<string, OwnJob>();
  #isWriting = false;
  #beatAtMs = 0;
  #cancelTimer: CancelTimer | undefined;

  constructor(options: JobWriterOptions) {
    this.#options = options;
    this.#store = options.store;
    this.#clock = options.clock;
  }

  /** Resolves when the record is written, or could not be in time. */
  async begin(job: Job): Promise<void> {
    const own: OwnJob = { job, isChanged: false, retryAtMs: 0, failures: 0 };
    this.#own.set(job.id, own);
    job.onHear = () => own.isChanged = true;
    this.#cancelTimer ??= repeat(this.#clock, writeMs, () => void this.#write(), { unref: true });
    const told = Promise.all([this.#writeJob(own), this.#beat()]);
    job.isLocal = !await told.then(() => true, () => false);
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

  /** Cancels the job `id`, if it runs here. */
  cancel(id: string): void {
    this.#own.get(id)?.job.stop();
  }

  /** Waits for what is being written, at most `ms` milliseconds. */
  async close(ms: number): Promise<void> {
    const rest = this.#own.values().map((own) => {
      return own.isChanged ? this.#writeJob(own).catch(() => {}) : own.writing;
    });
    if (this.#store.condition !== "down") {
      await deadline(Promise.all(rest), ms, undefined, this.#clock);
    }
    this.#stopWriting();
  }

  /** Writes what has changed, and the sign of life of this instance. */
  async #write(): Promise<void> {
    if (this.#isWriting || this.#store.condition === "down") return;
    this.#isWriting = true;
    const now = this.#clock.now();
    const due = this.#own.values().filter((own) => own.isChanged && own.retryAtMs <= now);
    try {
      if (now - this.#beatAtMs >= beatMs) await this.#beat();
      for (const own of due.toArray()) await this.#writeJob(own).catch(() => {});
    } catch (error) {
      log("debug", `jobs: ${messageOf(error)}`);
    } finally {
      this.#isWriting = false;
      if (this.#own.size === 0) this.#stopWriting();
    }
  }

  #stopWriting(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
  }

  /** Renews the places of what runs. Jobs that the store does not have are written again: it may have lost them. */
  async #beat(): Promise<void> {
    const { instance } = this.#store;
    const running = this.#own.values().filter(({ job }) => job.result === undefined);
    await Promise.all([
      ...running.map(async (own) => {
        const { id, owner } = own.job;
        const place = { bytes: 0, state: "open", mustExist: true } as const;
        own.isChanged ||= !await this.#options.places.admit(id, owner, place);
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
      this.#options.places.admit(job.id, job.owner, { bytes: 0, state: "open" }),
      this.#putRecord(job, {}),
    ]);
  }

  async #writeEnded(own: OwnJob, given: CallResult): Promise<void> {
    const { job, release } = own;
    const { places, ageMs } = this.#options;
    const place = (text: string) => {
      const bytes = Buffer.byteLength(text);
      return places.admit(job.id, job.owner, { bytes, state: "ended" });
    };
    const whole = storedResult(given);
    const hasRoom = await place(whole);
    const result = hasRoom ? given : noRoomFor(Buffer.byteLength(whole));
    const text = hasRoom ? whole : storedResult(result);
    if (!hasRoom) await place(text);
    const name = places.nameOf(job.id, job.owner);
    const stored = text.length <= inlineLength
      ? text
      : await writePieces({ store: this.#store, name }, text, ageMs);
    await this.#putRecord(job, { isError: result.isError, result: stored });
    if (release === undefined) return;
    this.#own.delete(job.id);
    release();
    this.#options.onEnd(job.id);
  }

  async #putRecord(job: Job, more: Partial<JobRecord>): Promise<void> {
    const offsetMs = this.#store.now() - this.#clock.now();
    const { id, tool, state, beganMs, heardMs, untilMs, lastLine } = job.view();
    const record: JobRecord = {
      id,
      tool,
      state: state as JobRecord["state"],
      instance: this.#store.instance,
      beganMs: beganMs + offsetMs,
      heardMs: heardMs + offsetMs,
      untilMs: untilMs + offsetMs,
      ...(lastLine === undefined ? {} : { lastLine }),
      ...more,
    };
    const fields = { record: JSON.stringify(record) };
    await this.#store.putFields(
      this.#options.places.nameOf(id, job.owner),
      fields,
      this.#options.ageMs,
    );
  }
}

function noRoomFor(bytes: number): CallResult {
  const reason = `the store that all instances share has no room for ${thousands(bytes)} bytes`;
  return textResult(`Result discarded: ${reason}`, true);
}
