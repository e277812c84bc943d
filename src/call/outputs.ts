/**
 * Outputs that were too long for a result, whole, for as long as somebody may want to read on. They
 * are in files without a name in a private directory: opened at the start and taken out of it at once,
 * so that no right to write is needed later, no other user can read them, and nothing is left behind
 * however the process ends.
 */

import { Buffer } from "node:buffer";
import type { Uncut } from "../tool/result.ts";
import { newId } from "./_ids.ts";
import { openFiles } from "./_private_files.ts";

/** The one that reads a kept output. */
export const readTool = "output_read";

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

/** 4 MiB each, 64 MiB together, 24 of them, for an hour; the oldest goes first. */
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

interface Slot {
  readonly file: Deno.FsFile;
  bytes: number;
}

interface Entry extends KeptOutput {
  readonly slot: Slot;
  readonly owner: string;
  readonly until: number;
}

/** The kept outputs of a process. */
export class OutputStore {
  readonly #bounds: OutputBounds;
  readonly #remove: () => void;
  readonly #slots: readonly Slot[];
  readonly #free: Slot[];
  /** The oldest first. */
  readonly #entries = new Map<string, Entry>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isClosed = false;

  private constructor(
    { files, remove }: { files: readonly Deno.FsFile[]; remove: () => void },
    bounds: OutputBounds,
  ) {
    this.#bounds = bounds;
    this.#remove = remove;
    this.#slots = files.map((file) => ({ file, bytes: 0 }));
    this.#free = [...this.#slots];
  }

  /** A store with its files in `directory`; nothing where they cannot be there, or not in private. */
  static open(directory: string, bounds = defaultOutputBounds): OutputStore | undefined {
    const files = openFiles(directory, bounds.count);
    return files === undefined ? undefined : new OutputStore(files, bounds);
  }

  /** Keeps `text` for `owner`; how to ask for it, or nothing where there is no room. */
  keep(text: string, owner = ""): KeptOutput | undefined {
    const slot = this.#take();
    if (slot === undefined) return undefined;
    const bytes = Buffer.from(text);
    const length = lengthWithin(bytes, this.#bounds.bytes);
    if (!this.#write(slot, bytes.subarray(0, length))) {
      this.#release(slot);
      return undefined;
    }
    const id = newId("k");
    const until = Date.now() + this.#bounds.ageMs;
    const entry = { id, bytes: length, isCut: length < bytes.length, slot, owner, until };
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
    return new TextDecoder().decode(readAll(this.#entries.get(id)!.slot));
  }

  /** A place for a stream of which nobody knows how long it will be; nothing where there is none. */
  spool(): Spool | undefined {
    const slot = this.#take();
    if (slot === undefined) return undefined;
    let total = 0;
    let isOpen = true;
    return {
      write: (chunk) => {
        total += chunk.length;
        const room = this.#bounds.bytes - slot.bytes;
        if (isOpen && room > 0 && !this.#write(slot, chunk.subarray(0, room))) isOpen = false;
      },
      read: () => {
        const text = new TextDecoder().decode(this.#isClosed ? new Uint8Array() : readAll(slot));
        const missing = total - slot.bytes;
        if (missing === 0) return text;
        const count = missing.toLocaleString("en-US");
        return `${text.replace(/\ufffd+$/, "")}\n[… ${count} bytes omitted …]`;
      },
      discard: () => this.#release(slot),
    };
  }

  /** Lets go of everything. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#entries.clear();
    this.#free.length = 0;
    for (const { file } of this.#slots) {
      // Where a file without a name cannot be, what is in it must be gone all the same
      file.truncateSync(0);
      file.close();
    }
    this.#remove();
  }

  #take(): Slot | undefined {
    if (this.#isClosed) return undefined;
    this.#expire();
    if (this.#free.length === 0) this.#forgetOldest();
    return this.#free.pop();
  }

  #release(slot: Slot): void {
    if (this.#isClosed || this.#free.includes(slot)) return;
    slot.file.truncateSync(0);
    slot.bytes = 0;
    this.#free.push(slot);
  }

  /** Writes behind what is there; false where the disk or the bound on all outputs is full. */
  #write(slot: Slot, bytes: Uint8Array): boolean {
    if (this.#isClosed) return false;
    while (this.#total() + bytes.length > this.#bounds.totalBytes) {
      if (!this.#forgetOldest()) return false;
    }
    try {
      slot.file.seekSync(slot.bytes, Deno.SeekMode.Start);
      for (let rest = bytes; rest.length > 0;) {
        const written = slot.file.writeSync(rest);
        slot.bytes += written;
        rest = rest.subarray(written);
      }
      return true;
    } catch {
      return false;
    }
  }

  #total(): number {
    return this.#slots.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  #forgetOldest(): boolean {
    const [oldest] = this.#entries.values();
    if (oldest === undefined) return false;
    this.#forget(oldest);
    return true;
  }

  #forget({ id, slot }: Entry): void {
    this.#entries.delete(id);
    this.#release(slot);
  }

  #expire(): void {
    const now = Date.now();
    for (const entry of this.#entries.values()) {
      if (entry.until <= now) this.#forget(entry);
    }
  }

  /** Sees to it that the oldest goes in time, whether or not anybody asks. */
  #watch(): void {
    clearTimeout(this.#timer);
    const [oldest] = this.#entries.values();
    if (oldest === undefined || this.#isClosed) return;
    this.#timer = setTimeout(() => {
      this.#expire();
      this.#watch();
    }, Math.max(0, oldest.until - Date.now()) + 1);
    Deno.unrefTimer(this.#timer);
  }
}

/** A stream on its way; `read` gives its text, and says what of it there was no room for. */
export interface Spool extends Uncut {
  write(chunk: Uint8Array): void;
}

/** The most bytes up to `most` that end with a whole character. */
function lengthWithin(bytes: Uint8Array, most: number): number {
  if (bytes.length <= most) return bytes.length;
  let end = most;
  while (end > 0 && (bytes[end]! & 0xc0) === 0x80) end--;
  return end;
}

function readAll({ file, bytes }: Slot): Uint8Array {
  const buffer = new Uint8Array(bytes);
  file.seekSync(0, Deno.SeekMode.Start);
  let length = 0;
  while (length < bytes) {
    const read = file.readSync(buffer.subarray(length));
    if (read === null) break;
    length += read;
  }
  return buffer.subarray(0, length);
}
