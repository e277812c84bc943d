/** Stores outputs that are too long for a result in memory, and not in files, which other users might read. */

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

interface Bound {
  readonly most: number;
  readonly weigh: (place: Place) => number;
}

export class Outputs {
  readonly #bounds: OutputBounds;
  readonly #places = new Set<Place>();
  readonly #entries = new Map<string, Entry>();
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

  read(id: string, owner = ""): string | undefined {
    this.#expire();
    const entry = this.#entries.get(id);
    return entry?.owner === owner ? entry.read() : undefined;
  }

  /** Returns a stored output, of any instance. @throws {StateError} if the shared store does not answer */
  async open(id: string, owner = ""): Promise<string | undefined> {
    return this.read(id, owner) ?? await this.#sharing?.open(id, owner);
  }

  openOutput(owner = ""): StoredOutput | undefined {
    this.#expire();
    const { bytes: most, totalBytes, count } = this.#bounds;
    if (this.#isClosed || !this.#makeRoom(owner, 1, { most: count, weigh: () => 1 })) {
      return undefined;
    }
    const weigh = ({ output }: Place) => output.bytes;
    const makeRoom = (bytes: number) => this.#makeRoom(owner, bytes, { most: totalBytes, weigh });
    const onDiscard = () => this.#places.delete(place);
    const output = new StoredOutput({ most, makeRoom, onDiscard });
    const place = { owner, output };
    this.#places.add(place);
    return output;
  }

  close(): void {
    this.#isClosed = true;
    this.#expiry.stop();
    this.#entries.clear();
    for (const { output } of this.#places) output.discard();
  }

  #makeRoom(owner: string, added: number, { most, weigh }: Bound): boolean {
    for (;;) {
      const held = countHeld(this.#places, weigh);
      const own = held.get(owner) ?? 0;
      const total = held.values().reduce((sum, each) => sum + each, added);
      const isBeyond = own + added > (owner === "" ? most : shareOf(most));
      if (!isBeyond && total <= most) return true;
      const mayGo = this.#entries.values().filter((entry) => {
        return entry.owner === owner || !isBeyond && held.get(entry.owner)! > own;
      });
      const oldest = oldestOfLargest(mayGo, held);
      if (oldest === undefined) return false;
      this.#forget(oldest);
    }
  }

  #forget({ id, release }: Entry): void {
    this.#entries.delete(id);
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
