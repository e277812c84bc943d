/** Shares stored outputs through the store. Each instance keeps only the output in memory that it read last. */

import { type Clock, ExpiryTimer, systemClock } from "../../async/clock.ts";
import { shareOf } from "../../async/semaphore.ts";
import { messageOf } from "../../errors.ts";
import { log } from "../../log.ts";
import type { SharedStore } from "../../state/store.ts";
import { isId } from "../job.ts";
import { defaultOutputBounds, type OutputBounds } from "../stored_output.ts";
import { Quota, type SharedOptions } from "./_quota.ts";

/** The output that was read last stays in memory for this many milliseconds. */
const lastMs = 60_000;

const textField = "text";

interface NewOutput {
  readonly id: string;
  readonly owner: string;
  readonly bytes: number;
  readonly text: string;
}

export class SharedOutputs {
  readonly #store: SharedStore;
  readonly #bounds: OutputBounds;
  readonly #quota: Quota;
  readonly #clock: Clock;
  readonly #expiry: ExpiryTimer;
  #last: { readonly name: string; readonly text: string } | undefined;

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
      // No entry of an output is `open`, so none is evicted for want of renewal
      lostMs: 0,
      scope,
      bounds(owner) {
        const { count, totalBytes, ageMs } = bounds;
        const share = owner === "" ? (all: number) => all : shareOf;
        const all = { count, bytes: totalBytes, ageMs };
        return { ...all, ownerCount: share(count), ownerBytes: share(totalBytes) };
      },
    });
  }

  /** Writes an output into the store. Returns false if there is no room, or the store does not answer. */
  async add({ id, owner, bytes, text }: NewOutput): Promise<boolean> {
    if (this.#store.condition === "down") return false;
    const place = { bytes, state: "ended" } as const;
    const name = this.#quota.nameOf(id, owner);
    try {
      if (!await this.#quota.admit(id, owner, place)) return false;
      await this.#store.putFields(name, { [textField]: text }, this.#bounds.ageMs);
      // The store may have evicted the entry while the text was written
      if (await this.#quota.admit(id, owner, { ...place, mustExist: true })) return true;
      await this.#store.delete(name);
    } catch (error) {
      log("debug", `output ${id}: ${messageOf(error)}`);
      // One of the failed operations may have taken effect
      void this.#quota.free(id, owner).catch(() => {});
    }
    return false;
  }

  /** Reads an output that an instance has added. @throws {StateError} */
  async open(id: string, owner: string): Promise<string | undefined> {
    if (!isId(id, "k")) return undefined;
    const name = this.#quota.nameOf(id, owner);
    // The output that was read last is in memory, because a client that reads an output in parts asks for it again
    if (this.#last?.name === name) return this.#last.text;
    const text = (await this.#store.getFields(name, [textField])).get(textField);
    if (text === undefined) return undefined;
    this.#last = { name, text };
    this.#expiry.set(this.#clock.now() + lastMs, () => this.#last = undefined);
    return text;
  }

  close(): void {
    this.#expiry.stop();
  }
}
