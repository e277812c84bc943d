/** Stores outputs that were too long for a result, in memory, where no other user can read them. */

import { endWithin } from "../text/lines.ts";
import { type Clock, ExpiryTimer, systemClock } from "../async/clock.ts";
import { Buffer } from "node:buffer";
import type { WholeOutput } from "../tool/result.ts";
import { newId } from "./job.ts";
import {
  defaultOutputBounds,
  type OutputBounds,
  StoredOutput,
  type StoredOutputInfo,
} from "./stored_output.ts";
import { countHeld, oldestOfLargest, shareOf } from "../async/semaphore.ts";
import type { SharedOutputs } from "./shared/outputs.ts";

export const readTool = "output_read";
export const searchTool = "output_search";
export const selectTool = "output_json";

interface Entry extends StoredOutputInfo {
  readonly owner: string;
  readonly until: number;
  read(): string;
  release(): void;
}

interface Place {
  readonly owner: string;
  readonly output: StoredOutput;
}

export class Outputs {
  readonly #bounds: OutputBounds;
  readonly #places = new Set<Place>();
  /** The stored outputs by id, the oldest first. */
  readonly #entries = new Map<string, Entry>();
  #last: { readonly id: string; readonly text: string } | undefined;
  readonly #clock: Clock;
  readonly #expiry: ExpiryTimer;
  #sharing: SharedOutputs | undefined;
  #isClosed = false;

  constructor(bounds: OutputBounds = defaultOutputBounds, clock: Clock = systemClock) {
    this.#clock = clock;
    this.#expiry = new ExpiryTimer(clock);
    this.#bounds = bounds;
  }

  share(sharing: SharedOutputs): void {
    this.#sharing = sharing;
  }

  get isShared(): boolean {
    return this.#sharing !== undefined;
  }

  /** Stores `text` for `owner`; returns nothing if there is no room. A text in parts is joined when it is read. */
  async store(text: string | WholeOutput, owner = ""): Promise<StoredOutputInfo | undefined> {
    const kept = this.#storeHere(text, owner);
    if (kept === undefined || this.#sharing === undefined) return kept;
    const { id, bytes, read } = kept;
    const isShared = await this.#sharing.add({ id, owner, bytes, text: read() });
    if (this.#entries.has(id)) this.#forget(kept);
    return isShared ? kept : undefined;
  }

  #storeHere(text: string | WholeOutput, owner: string): Entry | undefined {
    if (typeof text === "string") return this.#storeText(text, owner);
    const { stored, read } = text;
    if (read === undefined) return undefined;
    if (stored === undefined) {
      const kept = this.#storeText(read(), owner);
      // The store of outputs has a copy of the text now
      if (kept !== undefined) text.discard();
      return kept;
    }
    return this.#enter(owner, { ...stored, read, release: text.discard });
  }

  #storeText(text: string, owner: string): Entry | undefined {
    const output = text === "" ? undefined : this.openOutput(owner);
    if (output === undefined) return undefined;
    const bytes = Buffer.from(text);
    const part = bytes.subarray(0, endWithin(bytes, this.#bounds.bytes));
    output.write(part);
    const release = () => output.discard();
    if (output.isCut) {
      release();
      return undefined;
    }
    const isCut = part.length < bytes.length;
    return this.#enter(owner, { bytes: part.length, isCut, read: () => output.read(), release });
  }

  #enter(owner: string, output: Pick<Entry, "bytes" | "isCut" | "read" | "release">) {
    if (this.#isClosed || output.bytes === 0) return undefined;
    const id = newId("k");
    const entry = { id, owner, until: this.#clock.now() + this.#bounds.ageMs, ...output };
    this.#entries.set(id, entry);
    this.#watch();
    return entry;
  }

  get(id: string, owner = ""): StoredOutputInfo | undefined {
    this.#expire();
    const entry = this.#entries.get(id);
    return entry?.owner === owner ? entry : undefined;
  }

  read(id: string, owner = ""): string | undefined {
    if (this.get(id, owner) === undefined) return undefined;
    // The text that was read last stays in memory, because a client reads an output in parts
    if (this.#last?.id !== id) this.#last = { id, text: this.#entries.get(id)!.read() };
    return this.#last.text;
  }

  /** Returns the text of the output `id` if `owner` has it. @throws {StateError} if the shared store does not answer */
  async open(id: string, owner = ""): Promise<string | undefined> {
    return this.read(id, owner) ?? await this.#sharing?.open(id, owner);
  }

  /** Opens an output of unknown length for `owner`; returns nothing if there is no room. */
  openOutput(owner = ""): StoredOutput | undefined {
    if (this.#isClosed) return undefined;
    this.#expire();
    const isBeyond = this.#countOf(owner, one) >= this.#shareOf(owner, this.#bounds.count);
    if (isBeyond && !this.#forgetOldestOf(owner)) return undefined;
    const isFull = this.#places.size >= this.#bounds.count;
    if (isFull && !this.#forgetOldest(owner, one)) return undefined;
    const output = new StoredOutput({
      most: this.#bounds.bytes,
      makeRoom: (bytes) => this.#makeRoom(owner, bytes),
      onDiscard: () => this.#places.delete(place),
    });
    const place = { owner, output };
    this.#places.add(place);
    return output;
  }

  close(): void {
    this.#sharing?.close();
    this.#isClosed = true;
    this.#expiry.stop();
    this.#entries.clear();
    this.#last = undefined;
    for (const { output } of this.#places) output.discard();
  }

  /** Deletes older outputs until `owner` may store `bytes` more; returns false if that is not enough. */
  #makeRoom(owner: string, bytes: number): boolean {
    const share = this.#shareOf(owner, this.#bounds.totalBytes);
    while (this.#countOf(owner, sizeOf) + bytes > share) {
      if (!this.#forgetOldestOf(owner)) return false;
    }
    while (this.#total() + bytes > this.#bounds.totalBytes) {
      if (!this.#forgetOldest(owner, sizeOf)) return false;
    }
    return true;
  }

  /** Deletes the oldest output of the owner with most by `weigh`, or of `owner` itself. Returns whether it did. */
  #forgetOldest(owner: string, weigh: (place: Place) => number): boolean {
    const held = countHeld(this.#places, weigh);
    const own = held.get(owner) ?? 0;
    const mayGo = this.#entries.values().filter((entry) => {
      return entry.owner === owner || held.get(entry.owner)! > own;
    });
    const oldest = oldestOfLargest(mayGo, held);
    if (oldest !== undefined) this.#forget(oldest);
    return oldest !== undefined;
  }

  #shareOf(owner: string, all: number): number {
    return owner === "" ? all : shareOf(all);
  }

  #total(): number {
    return this.#places.values().reduce((sum, { output }) => sum + output.bytes, 0);
  }

  #countOf(owner: string, weigh: (place: Place) => number): number {
    return countHeld(this.#places, weigh).get(owner) ?? 0;
  }

  /** Deletes the oldest complete output of `owner`. Returns whether one was deleted. */
  #forgetOldestOf(owner: string): boolean {
    const oldest = this.#entries.values().find((entry) => entry.owner === owner);
    if (oldest !== undefined) this.#forget(oldest);
    return oldest !== undefined;
  }

  #forget({ id, release }: Entry): void {
    this.#entries.delete(id);
    if (this.#last?.id === id) this.#last = undefined;
    release();
  }

  #expire(): void {
    const now = this.#clock.now();
    for (const entry of this.#entries.values()) {
      if (entry.until <= now) this.#forget(entry);
    }
  }

  #watch(): void {
    const [oldest] = this.#entries.values();
    this.#expiry.set(this.#isClosed ? undefined : oldest?.until, () => {
      this.#expire();
      this.#watch();
    });
  }
}

const one = () => 1;
const sizeOf = ({ output }: Place) => output.bytes;
