/** Puts outputs that are too long for a result into the shared store, so that other instances can read them. */

import { shareOf } from "../../async/semaphore.ts";
import { messageOf } from "../../errors.ts";
import { log } from "../../log.ts";
import type { SharedStore } from "../../state/store.ts";
import { isId } from "../job.ts";
import { defaultOutputBounds, type OutputBounds } from "../stored_output.ts";
import { Quota, type SharedOptions } from "./_quota.ts";

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

  constructor(
    { store, scope = "" }: SharedOptions,
    bounds: OutputBounds = defaultOutputBounds,
  ) {
    this.#store = store;
    this.#bounds = bounds;
    this.#quota = new Quota(store, {
      kind: "output",
      lostMs: 0,
      scope,
      bounds(owner) {
        const { count, totalBytes: bytes, ageMs } = bounds;
        const share = owner === "" ? (all: number) => all : shareOf;
        return { count, bytes, ageMs, ownerCount: share(count), ownerBytes: share(bytes) };
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
      // While the text was written, another instance may have deleted the output to make room
      if (await this.#quota.admit(id, owner, { ...place, mustExist: true })) return true;
      await this.#store.delete(name);
    } catch (error) {
      log("debug", `output ${id}: ${messageOf(error)}`);
      // The store may have taken the output although it gave no answer, so the output is deleted
      void this.#quota.free(id, owner).catch(() => {});
    }
    return false;
  }

  async open(id: string, owner: string): Promise<string | undefined> {
    if (!isId(id, "k")) return undefined;
    const name = this.#quota.nameOf(id, owner);
    return (await this.#store.getFields(name, [textField])).get(textField);
  }
}
