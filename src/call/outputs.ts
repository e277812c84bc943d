/**
 * Outputs that were too long for a result, whole, for as long as somebody may want to read on. They
 * are in a file without a name in a private directory: opened at the start and taken out of it at once,
 * so that no right to write is needed later, no other user can read them, and nothing is left behind
 * however the process ends.
 */

import { Buffer } from "node:buffer";
import { log } from "../log.ts";
import type { Uncut } from "../tool/result.ts";
import { Expiry } from "./_expiry.ts";
import { newId } from "./_ids.ts";
import { PagedFile, type Slot } from "./_paged_file.ts";
import { openFile, type PrivateFile } from "./_private_file.ts";
import { lengthWithin, type Spool, spoolInto } from "./spool.ts";

/** The one that reads a kept output. */
export const readTool = "output_read";
/** The one that selects values from it. */
export const selectTool = "output_json";

/** What the kept outputs of a process may take. */
export interface OutputBounds {
  /** Bytes of one output; what is beyond is lost. */
  readonly bytes: number;
  /** Bytes of all outputs. */
  readonly totalBytes: number;
  /** Outputs, those that are being written among them. */
  readonly count: number;
  /** Milliseconds that one is kept. */
  readonly ageMs: number;
}

/** 4 MiB each, 64 MiB together, 24 of them, for an hour; of whoever has most, the oldest goes first. */
export const defaultOutputBounds: OutputBounds = {
  bytes: 4 * 1024 * 1024,
  totalBytes: 64 * 1024 * 1024,
  count: 24,
  ageMs: 60 * 60 * 1000,
};

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
  readonly #expiry = new Expiry();
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
  keep(text: string | Uncut, owner = ""): KeptOutput | undefined {
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
    const length = lengthWithin(bytes, this.#bounds.bytes);
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
    const entry = { id, owner, until: Date.now() + this.#bounds.ageMs, ...output };
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
    if (this.#free.length === 0) this.#makeRoom(owner, () => 1);
    const slot = this.#free.pop();
    if (slot !== undefined) slot.owner = owner;
    return slot;
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
    const makeRoom = () => this.#makeRoom(slot.owner, ({ bytes }) => bytes);
    while (this.#total() + bytes.length > this.#bounds.totalBytes) {
      if (!makeRoom()) return false;
    }
    let rest = this.#file.write(slot, bytes);
    // The disk may have less room than the bounds say
    while (rest.length > 0 && makeRoom()) rest = this.#file.write(slot, rest);
    return rest.length === 0;
  }

  #total(): number {
    return this.#slots.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /**
   * Forgets the oldest output of whoever has most, by what `weigh` says of a slot: nobody's have to go
   * for those of an `owner` who has as much.
   */
  #makeRoom(owner: string | undefined, weigh: (slot: Slot) => number): boolean {
    const held = new Map<string | undefined, number>();
    for (const slot of this.#slots) {
      held.set(slot.owner, (held.get(slot.owner) ?? 0) + weigh(slot));
    }
    const own = held.get(owner) ?? 0;
    let found: { readonly entry: Entry; readonly weight: number } | undefined;
    for (const entry of this.#entries.values()) {
      const weight = held.get(entry.owner) ?? 0;
      const mayGo = entry.owner === owner || weight > own;
      if (mayGo && weight > (found?.weight ?? -1)) found = { entry, weight };
    }
    if (found !== undefined) this.#forget(found.entry);
    return found !== undefined;
  }

  #forget({ id, release }: Entry): void {
    this.#entries.delete(id);
    if (this.#last?.id === id) this.#last = undefined;
    release();
  }

  #expire(): void {
    const now = Date.now();
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
