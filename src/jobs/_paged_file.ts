/**
 * One file that many outputs are in, each in pages of its own. To open a file takes half a millisecond of
 * a start where a disk is behind it, so that there is one for all of them; what is let go of is gone from
 * it at once, and its pages are taken again before the file grows.
 */

import { messageOf } from "../errors.ts";

/** Bytes of a page: what file systems give out at once. */
const pageBytes = 4096;

/** What is in the file of one output. */
export interface Slot {
  /** Where in the file it is, in order. */
  readonly pages: number[];
  bytes: number;
  /** Whose output is in it, or on its way; absent: it is free. */
  owner?: string | undefined;
}

/** Pages that follow one another, and the bytes of an output that are in them. */
interface Run {
  /** Byte of the file. */
  readonly at: number;
  readonly bytes: number;
}

/** The file, and which of its pages are whose. */
export class PagedFile {
  readonly #file: Deno.FsFile;
  /** Whether each page is somebody's; the last one is. */
  readonly #taken: boolean[] = [];
  /** No page before this one is free. */
  #firstFree = 0;
  /** Why the last write that failed did. */
  #failure = "";

  constructor(file: Deno.FsFile) {
    this.#file = file;
  }

  /** Writes `bytes` behind what is in `slot`; gives those for which the disk has no room. */
  write(slot: Slot, bytes: Uint8Array): Uint8Array {
    let rest = bytes;
    const wanted = pagesOf(slot.bytes + rest.length);
    while (slot.pages.length < wanted) slot.pages.push(this.#take());
    try {
      while (rest.length > 0) {
        const { at, bytes: room } = runAt(slot, slot.bytes);
        this.#file.seekSync(at, Deno.SeekMode.Start);
        const written = this.#file.writeSync(rest.subarray(0, room));
        slot.bytes += written;
        rest = rest.subarray(written);
      }
    } catch (error) {
      // It is the rest that says so
      this.#failure = messageOf(error);
      this.#give(slot.pages.splice(pagesOf(slot.bytes)));
    }
    return rest;
  }

  /** Why the disk did not take the rest that {@linkcode write} gave. */
  get failure(): string {
    return this.#failure;
  }

  /** What is in `slot`. */
  read(slot: Slot): Uint8Array {
    const buffer = new Uint8Array(slot.bytes);
    let length = 0;
    while (length < slot.bytes) {
      const { at, bytes } = runAt(slot, length);
      this.#file.seekSync(at, Deno.SeekMode.Start);
      const read = this.#file.readSync(buffer.subarray(length, length + bytes));
      if (read === null) break;
      length += read;
    }
    return buffer.subarray(0, length);
  }

  /** Lets go of what is in `slot`, in such a way that it is not in the file any more. */
  clear(slot: Slot): void {
    const pages = slot.pages.splice(0);
    this.#give(pages);
    const left = pages.filter((page) => page < this.#taken.length);
    slot.bytes = 0;
    try {
      for (let at = 0; at < left.length;) {
        const run = runLength(left, at);
        this.#file.seekSync(left[at]! * pageBytes, Deno.SeekMode.Start);
        for (let rest = new Uint8Array(run * pageBytes); rest.length > 0;) {
          rest = rest.subarray(this.#file.writeSync(rest));
        }
        at += run;
      }
    } catch {
      // A disk that has no room for what is there already cannot be written in any way
    }
  }

  /** Empties it and lets go of it. */
  close(): void {
    // Where a file without a name cannot be, what is in it must be gone all the same
    this.#file.truncateSync(0);
    this.#file.close();
  }

  #take(): number {
    let page = this.#firstFree;
    while (this.#taken[page]) page++;
    this.#taken[page] = true;
    this.#firstFree = page + 1;
    return page;
  }

  #give(pages: readonly number[]): void {
    if (pages.length === 0) return;
    for (const page of pages) {
      this.#taken[page] = false;
      this.#firstFree = Math.min(this.#firstFree, page);
    }
    while (this.#taken.at(-1) === false) this.#taken.pop();
    this.#file.truncateSync(this.#taken.length * pageBytes);
  }
}

function pagesOf(bytes: number): number {
  return Math.ceil(bytes / pageBytes);
}

/** Where byte `from` of a slot is, and how many are there in a row. */
function runAt({ pages }: Slot, from: number): Run {
  const index = Math.floor(from / pageBytes);
  const within = from % pageBytes;
  return {
    at: pages[index]! * pageBytes + within,
    bytes: runLength(pages, index) * pageBytes - within,
  };
}

/** Pages from `pages[index]` on that follow one another in the file. */
function runLength(pages: readonly number[], index: number): number {
  let length = 1;
  while (pages[index + length] === pages[index]! + length) length++;
  return length;
}
