/** Shares stored outputs among instances: the quota is taken before the answer, and the text is written after it. */

import { Buffer } from "node:buffer";
import { type Clock, ExpiryTimer, systemClock } from "../../async/clock.ts";
import { deadline, delay } from "../../async/deadline.ts";
import { shareOf } from "../../async/semaphore.ts";
import { messageOf } from "../../errors.ts";
import { log } from "../../log.ts";
import { type SharedStore, StateError } from "../../state/store.ts";
import { isId } from "../job.ts";
import { defaultOutputBounds, type OutputBounds, type OutputText } from "../stored_output.ts";
import { PiecedText, type PieceList, writePieces } from "./pieces.ts";
import { Quota, type SharedOptions } from "./_quota.ts";

/** Most milliseconds to wait for an output that another instance is writing. */
const writtenMs = 5000;

const lookMs = 100;

/** Milliseconds after which a writer has failed. */
const lostMs = 60_000;

/** Milliseconds that the output that was read last stays in memory. */
const lastMs = 60_000;

/** Milliseconds before the attempts to write an output again; the last is repeated. */
const retryMs = [500, 1000, 2000, 5000, 10_000, 30_000];

interface OutputRecord {
  /** The time by the clock of the store. */
  readonly sinceMs: number;
  /** The pieces of the text; absent while it is written. */
  readonly pieces?: PieceList;
  readonly endsInLineFeed?: boolean;
}

interface LocalOutput {
  readonly id: string;
  readonly owner: string;
  readonly bytes: number;
  /** Returns the text; nothing once it is deleted. */
  read(): string | undefined;
  forget(): void;
}

export class SharedOutputs {
  readonly #store: SharedStore;
  readonly #bounds: OutputBounds;
  readonly #quota: Quota;
  readonly #clock: Clock;
  readonly #closed = new AbortController();
  readonly #writing = new Map<string, Promise<void>>();
  #queue: Promise<unknown> = Promise.resolve();
  readonly #expiry: ExpiryTimer;
  #last: { readonly name: string; readonly text: PiecedText } | undefined;

  constructor(
    { store, scope = "", clock = systemClock }: SharedOptions,
    bounds: OutputBounds = defaultOutputBounds,
  ) {
    this.#store = store;
    this.#bounds = bounds;
    this.#clock = clock;
    this.#expiry = new ExpiryTimer(clock);
    this.#quota = new Quota(store, {
      kind: "output",
      lostMs,
      scope,
      bounds(owner) {
        const { count, totalBytes, ageMs } = bounds;
        const share = owner === "" ? (all: number) => all : shareOf;
        const all = { count, bytes: totalBytes, ageMs };
        return { ...all, ownerCount: share(count), ownerBytes: share(totalBytes) };
      },
    });
  }

  /** Takes the quota of an output, and writes it later. Returns false if it must not be stored. */
  async add(output: LocalOutput): Promise<boolean> {
    if (!await this.#admit(output)) return false;
    const writing = this.#write(output).finally(() => {
      this.#writing.delete(output.id);
    });
    this.#writing.set(output.id, writing);
    return true;
  }

  /** Opens an output that an instance has added. @throws {StateError} */
  async open(id: string, owner: string): Promise<OutputText | undefined> {
    if (!isId(id, "k")) return undefined;
    const name = this.#quota.nameOf(id, owner);
    const until = this.#clock.now() + writtenMs;
    for (;;) {
      const record = await this.#recordOf(name);
      if (record === undefined) return undefined;
      const { pieces, endsInLineFeed = false, sinceMs } = record;
      if (pieces !== undefined) return this.#text(name, pieces, endsInLineFeed);
      if (this.#store.now() - sinceMs > lostMs) return undefined;
      if (this.#clock.now() >= until) {
        throw new StateError(
          "late",
          "The instance that made it has not stored the whole of it yet",
        );
      }
      await delay(lookMs, undefined, this.#clock);
    }
  }

  async close(ms: number): Promise<void> {
    const written = Promise.all(this.#writing.values());
    if (this.#store.condition !== "down") await deadline(written, ms, undefined, this.#clock);
    this.#closed.abort();
    this.#expiry.stop();
  }

  /** Returns false if there is no room, or the store does not answer. */
  async #admit({ id, owner, bytes }: LocalOutput): Promise<boolean> {
    if (this.#store.condition === "down") return false;
    const name = this.#quota.nameOf(id, owner);
    try {
      const [isAdmitted] = await Promise.all([
        this.#quota.admit(id, owner, { bytes, state: "ended" }),
        this.#putRecord(name, { sinceMs: this.#store.now() }),
      ]);
      if (!isAdmitted) await this.#store.delete(name);
      return isAdmitted;
    } catch (error) {
      log("debug", `output ${id}: ${messageOf(error)}`);
      // One of the operations may have had its effect
      void this.#quota.free(id, owner).catch(() => {});
      return false;
    }
  }

  async #write(output: LocalOutput): Promise<void> {
    for (let attempt = 0;; attempt++) {
      // Outputs are written one at a time, and stay in memory until then
      const written = this.#queue.then(() => this.#writeOnce(output));
      this.#queue = written.catch(() => {});
      try {
        await written;
        return output.forget();
      } catch (error) {
        if (attempt === 0) {
          log("warning", `Output ${output.id} is not stored yet: ${messageOf(error)}`);
        }
      }
      const { signal } = this.#closed;
      await delay(retryMs[attempt] ?? retryMs.at(-1)!, signal, this.#clock);
      if (signal.aborted) return;
    }
  }

  /** Writes an output that was not deleted meanwhile, here or in the store. */
  async #writeOnce({ id, owner, read }: LocalOutput): Promise<void> {
    const text = read();
    if (text === undefined) return;
    const bytes = Buffer.byteLength(text);
    const name = this.#quota.nameOf(id, owner);
    const pieces = await writePieces({ store: this.#store, name }, text, this.#bounds.ageMs);
    if (!await this.#quota.admit(id, owner, { bytes, state: "ended", mustExist: true })) {
      return await this.#store.delete(name);
    }
    const endsInLineFeed = text.endsWith("\n");
    await this.#putRecord(name, { sinceMs: this.#store.now(), pieces, endsInLineFeed });
  }

  async #recordOf(name: string): Promise<OutputRecord | undefined> {
    const text = (await this.#store.getFields(name, ["record"])).get("record");
    return text === undefined ? undefined : JSON.parse(text);
  }

  async #putRecord(name: string, record: OutputRecord): Promise<void> {
    await this.#store.putFields(name, { record: JSON.stringify(record) }, this.#bounds.ageMs);
  }

  /** Keeps the text that was read last: a client that reads on asks for the same output again. */
  #text(name: string, pieces: PieceList, endsInLineFeed: boolean): PiecedText {
    if (this.#last?.name === name) return this.#last.text;
    const text = new PiecedText({ store: this.#store, name }, pieces, endsInLineFeed);
    this.#last = { name, text };
    this.#expiry.set(this.#clock.now() + lastMs, () => this.#last = undefined);
    return text;
  }
}
