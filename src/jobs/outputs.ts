/**
 * Outputs that were too long for a result, whole, for as long as somebody may want to read on. They
 * are in a file without a name in a private directory: opened at the start and taken out of it at once,
 * so that no right to write is needed later, no other user can read them, and nothing is left behind
 * however the process ends.
 */

import { endWithin } from "../text/utf8.ts";
import { monotonicNow } from "../process/monotonic.ts";
import { Buffer } from "node:buffer";
import { log } from "../log.ts";
import type { FullText } from "../tool/result.ts";
import { ExpiryTimer } from "./_expiry_timer.ts";
import { newId } from "./_ids.ts";
import { defaultOutputBounds, type OutputBounds } from "./output_bounds.ts";
import { PagedFile, type Slot } from "./_paged_file.ts";
import { openFile, type PrivateFile } from "./_private_file.ts";
import { heldBy, oldestOfLargest, shareOf } from "../async/fair_share.ts";
import { type Spool, spoolInto } from "./spool.ts";

/** The one that reads a kept output. */
export const readTool = "output_read";
/** The one that selects values from it. */
export const selectTool = "output_json";

/** An output that can be read. */
export interface KeptOutput {
  readonly id: string;
  readonly bytes: number;
  /** Whether the end is missing, because it was longer than one may be. */
  readonly isCut: boolean;
}

interface Entry extends KeptOutput {
  readonly owner: string;
  readonly until: number;
  read(): string;
  release(): void;
}

/** The kept outputs of a process. */
export class OutputStore {
  readonly #bounds: OutputBounds;
  readonly #remove: () => void;
  readonly #file: PagedFile;
  readonly #slots: readonly Slot[];
  readonly #free: Slot[];
  /** The oldest first. */
  readonly #entries = new Map<string, Entry>();
  #last: { readonly id: string; readonly text: string } | undefined;
  readonly #expiry = new ExpiryTimer();
  #isClosed = false;

  private constructor({ file, remove }: PrivateFile, bounds: OutputBounds) {
    this.#bounds = bounds;
    this.#remove = remove;
    this.#file = new PagedFile(file);
    this.#slots = Array.from({ length: bounds.count }, () => ({ pages: [], bytes: 0 }));
    this.#free = [...this.#slots];
  }

  /** A store with its file in `directory`; nothing where it cannot be there, or not in private. */
  static open(directory: string, bounds = defaultOutputBounds): OutputStore | undefined {
    const file = openFile(directory);
    if (file !== undefined) return new OutputStore(file, bounds);
    log("info", `Long outputs are not kept: '${directory}' cannot be made, or is not ours alone`);
    return undefined;
  }

  /**
   * Keeps `text` for `owner`; how to ask for it, or nothing where there is no room. What is stored here
   * already is put together when somebody reads it.
   */
  keep(text: string | FullText, owner = ""): KeptOutput | undefined {
    if (typeof text === "string") return this.#keepText(text, owner);
    const { stored, read } = text;
    if (read === undefined) return undefined;
    if (stored === undefined) {
      const kept = this.#keepText(read(), owner);
      // It is a copy
      if (kept !== undefined) text.discard();
      return kept;
    }
    return this.#enter(owner, { ...stored, read, release: text.discard });
  }

  #keepText(text: string, owner: string): KeptOutput | undefined {
    if (text === "") return undefined;
    const slot = this.#take(owner);
    if (slot === undefined) return undefined;
    const bytes = Buffer.from(text);
    const length = endWithin(bytes, this.#bounds.bytes);
    const release = () => this.#release(slot);
    if (!this.#write(slot, bytes.subarray(0, length))) {
      release();
      return undefined;
    }
    const read = () => new TextDecoder().decode(this.#file.read(slot));
    return this.#enter(owner, { bytes: length, isCut: length < bytes.length, read, release });
  }

  #enter(
    owner: string,
    output: Pick<Entry, "bytes" | "isCut" | "read" | "release">,
  ): KeptOutput | undefined {
    if (this.#isClosed || output.bytes === 0) return undefined;
    const id = newId("k");
    const entry = { id, owner, until: monotonicNow() + this.#bounds.ageMs, ...output };
    this.#entries.set(id, entry);
    this.#watch();
    return entry;
  }

  /** The output `id`, if it is one of `owner`'s. */
  get(id: string, owner = ""): KeptOutput | undefined {
    this.#expire();
    const entry = this.#entries.get(id);
    return entry?.owner === owner ? entry : undefined;
  }

  /** The text of the output `id`, if it is one of `owner`'s. */
  read(id: string, owner = ""): string | undefined {
    if (this.get(id, owner) === undefined) return undefined;
    // Whoever reads on in one is asked for it again and again
    if (this.#last?.id !== id) this.#last = { id, text: this.#entries.get(id)!.read() };
    return this.#last.text;
  }

  /** A place for a stream of `owner`'s, however long it will be; nothing where there is none. */
  spool(owner = ""): Spool | undefined {
    const slot = this.#take(owner);
    if (slot === undefined) return undefined;
    return spoolInto(slot, {
      most: this.#bounds.bytes,
      write: (bytes) => this.#write(slot, bytes),
      read: () => this.#isClosed ? new Uint8Array() : this.#file.read(slot),
      discard: () => this.#release(slot),
    });
  }

  /** Lets go of everything. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#expiry.stop();
    this.#entries.clear();
    this.#last = undefined;
    this.#free.length = 0;
    this.#file.close();
    this.#remove();
  }

  #take(owner: string): Slot | undefined {
    if (this.#isClosed) return undefined;
    this.#expire();
    const isBeyond = this.#held(owner, one) >= this.#shareOf(owner, this.#bounds.count);
    if (isBeyond && !this.#forgetOldestOf(owner)) return undefined;
    if (this.#free.length === 0) this.#makeRoom(owner, one);
    const slot = this.#free.pop();
    return slot && Object.assign(slot, { owner });
  }

  #release(slot: Slot): void {
    if (this.#isClosed || this.#free.includes(slot)) return;
    this.#file.clear(slot);
    slot.owner = undefined;
    this.#free.push(slot);
  }

  /** Writes behind what is there; false where the disk or the bound on all outputs is full. */
  #write(slot: Slot, bytes: Uint8Array): boolean {
    if (this.#isClosed) return false;
    const owner = slot.owner!;
    const share = this.#shareOf(owner, this.#bounds.totalBytes);
    while (this.#held(owner, sizeOf) + bytes.length > share) {
      if (!this.#forgetOldestOf(owner)) return false;
    }
    const makeRoom = () => this.#makeRoom(owner, sizeOf);
    while (this.#total() + bytes.length > this.#bounds.totalBytes) if (!makeRoom()) return false;
    let rest = this.#file.write(slot, bytes);
    // The disk may have less room than the bounds say
    while (rest.length > 0 && makeRoom()) rest = this.#file.write(slot, rest);
    if (rest.length > 0) log("info", `A long output is not kept whole: ${this.#file.failure}`);
    return rest.length === 0;
  }

  #total(): number {
    return this.#slots.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /**
   * Forgets the oldest output of whoever has most, by what `weigh` says of a slot: nobody's have to go
   * for those of an `owner` who has as much.
   */
  #makeRoom(owner: string, weigh: (slot: Slot) => number): boolean {
    const held = heldBy(this.#slots.filter(isTaken), weigh);
    const own = held.get(owner) ?? 0;
    const mayGo = this.#entries.values().filter((entry) => {
      return entry.owner === owner || held.get(entry.owner)! > own;
    });
    const oldest = oldestOfLargest(mayGo, held);
    if (oldest !== undefined) this.#forget(oldest);
    return oldest !== undefined;
  }

  /** What `owner` may have of `all`. */
  #shareOf(owner: string, all: number): number {
    return owner === "" ? all : shareOf(all);
  }

  /** What `owner` has, by what `weigh` says of a slot: kept, or on its way. */
  #held(owner: string, weigh: (slot: Slot) => number): number {
    return this.#slots.reduce((sum, slot) => slot.owner === owner ? sum + weigh(slot) : sum, 0);
  }

  /** Whether there was one: what is on its way is not forgotten. */
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
    const now = monotonicNow();
    for (const entry of this.#entries.values()) {
      if (entry.until <= now) this.#forget(entry);
    }
  }

  /** Sees to it that the oldest goes in time, whether or not anybody asks. */
  #watch(): void {
    const [oldest] = this.#entries.values();
    this.#expiry.set(this.#isClosed ? undefined : oldest?.until, () => {
      this.#expire();
      this.#watch();
    });
  }
}

const one = () => 1;
const sizeOf = ({ bytes }: Slot) => bytes;
const isTaken = (slot: Slot): slot is Slot & { owner: string } => slot.owner !== undefined;
