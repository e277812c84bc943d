/**
 * Appends lines of JSON to one file that all processes of a person share, bounded in size and age. The file stays open,
 * so that a server may give up its permission to open files. No call waits for the file: a fault costs lines.
 */

import { Buffer } from "node:buffer";
import { basename } from "node:path";
import { messageOf } from "../errors.ts";
import { log } from "../log.ts";
import { isInPlace, openPrivateFile, type PrivateFile, readAt, writeAt } from "./private_file.ts";
import { operationMs } from "./store.ts";

export interface LineFileOptions {
  /** A file that would get longer than this is cut to half, and a line with the key `notice` says how many were lost. */
  readonly maxBytes: number;
  /** Lines older than this many milliseconds are removed within a day of writes. */
  readonly maxAgeMs: number;
  readonly now?: () => number;
}

/** A process tries to lock the file at this interval, in milliseconds. */
const retryMs = 10;

/** At most this many lines wait for the lock of the file; further lines are lost. */
const mostWaiting = 1000;

const lockedWords = "another process keeps it locked";

const dayMs = 86_400_000;

const lineEnd = 0x0a;

const headBytes = 64;

export class LineFile {
  readonly #options: LineFileOptions;
  readonly #open: () => Promise<PrivateFile>;
  #opened: PrivateFile;
  #waiting: string[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  #waitedMs = 0;
  #problem: string | undefined;
  #isClosed = false;

  private constructor(
    opened: PrivateFile,
    open: () => Promise<PrivateFile>,
    options: LineFileOptions,
  ) {
    this.#opened = opened;
    this.#open = open;
    this.#options = options;
  }

  /** Opens or makes the file `name` in the absolute `folder`. @throws {StateError} if others can read or change it */
  static async open(folder: string, name: string, options: LineFileOptions): Promise<LineFile> {
    const open = () => openPrivateFile(folder, name);
    return new LineFile(await open(), open, options);
  }

  add(line: string): void {
    if (this.#waiting.length < mostWaiting) this.#waiting.push(line);
    if (this.#timer === undefined) this.#flush();
  }

  /** Writes the waiting lines, for which it blocks up to half a second, and closes the file. */
  close(): void {
    clearTimeout(this.#timer);
    this.#isClosed = true;
    const pause = new Int32Array(new SharedArrayBuffer(4));
    for (let tries = 0; this.#waiting.length > 0 && tries < 50; tries++) {
      if (tries > 0) Atomics.wait(pause, 0, 0, retryMs);
      this.#flush();
    }
    if (this.#waiting.length > 0) this.#lose(lockedWords);
    this.#opened.file.close();
  }

  #flush(): void {
    this.#timer = undefined;
    const { file } = this.#opened;
    try {
      if (!file.tryLockSync(true)) return this.#waitForLock();
      try {
        if (!isInPlace(this.#opened)) throw new Deno.errors.NotFound("it was replaced");
        this.#write();
      } finally {
        file.unlockSync();
      }
      this.#waitedMs = 0;
      this.#problem = undefined;
    } catch (error) {
      // A person may remove the file to empty the log, so a missing file is made again
      if (error instanceof Deno.errors.NotFound && !this.#isClosed) void this.#reopen();
      else this.#lose(messageOf(error));
    }
  }

  #waitForLock(): void {
    if (this.#isClosed) return;
    this.#waitedMs += retryMs;
    if (this.#waitedMs > operationMs) return this.#lose(lockedWords);
    this.#timer = setTimeout(() => this.#flush(), retryMs);
  }

  async #reopen(): Promise<void> {
    try {
      const opened = await this.#open();
      if (this.#isClosed) return opened.file.close();
      this.#opened.file.close();
      this.#opened = opened;
      if (!isInPlace(opened)) throw new Error("another file takes its place");
      this.#flush();
    } catch (error) {
      this.#lose(`it was removed, start climax again: ${messageOf(error)}`);
    }
  }

  #lose(reason: string): void {
    this.#waiting = [];
    this.#waitedMs = 0;
    if (this.#problem === reason) return;
    this.#problem = reason;
    log("warning", `Calls are missing in ${basename(this.#opened.path)}: ${reason}`);
  }

  #write(): void {
    const { file } = this.#opened;
    const { maxBytes, maxAgeMs, now = Date.now } = this.#options;
    const bytes = new TextEncoder().encode(this.#waiting.map((line) => `${line}\n`).join(""));
    let { size } = file.statSync();
    const limit = now() - maxAgeMs;
    const isLong = size + bytes.length > maxBytes;
    const first = new TextDecoder().decode(readAt(file, 0, Math.min(size, headBytes)));
    if (isLong || first !== "" && timeOf(first) < limit - dayMs) {
      size = this.#shorten(isLong ? maxBytes / 2 : size, size, limit);
    }
    // A process that was killed may have left half a line, which the next line must not join
    const isTorn = size > 0 && readAt(file, size - 1, 1)[0] !== lineEnd;
    try {
      writeAt(file, size, isTorn ? new Uint8Array([lineEnd, ...bytes]) : bytes);
    } catch (error) {
      file.truncateSync(size);
      throw error;
    }
    this.#waiting = [];
  }

  /** Removes lines older than `limit` (ms since 1970), and more until `most` bytes are left; returns the new size. */
  #shorten(most: number, size: number, limit: number): number {
    const { file } = this.#opened;
    const lines = Buffer.from(readAt(file, 0, size)).toString("latin1").split("\n");
    const first = lines.findIndex((line) => timeOf(line) >= limit);
    const young = first === -1 ? [] : lines.slice(first).filter((line) => line !== "");
    const kept = keepShares(young, most);
    if (kept.length < young.length) {
      const time = new Date(limit + this.#options.maxAgeMs).toISOString();
      const notice = `${young.length - kept.length} calls before this line had no room`;
      kept.push(JSON.stringify({ time, notice }));
    }
    const all = Buffer.from(kept.map((line) => `${line}\n`).join(""), "latin1");
    writeAt(file, 0, all);
    file.truncateSync(all.length);
    return all.length;
  }
}

/**
 * Returns the last of `lines` that fit into `most` bytes. If there are more lines, a process gets half of the bytes, a
 * client a quarter, and the reads of a client an eighth, and then whatever is left, so that a flood of calls by one
 * client removes few lines of the other clients.
 */
function keepShares(lines: readonly string[], most: number): string[] {
  const kept = new Set<number>();
  const used = new Map<string, number>();
  let left = most;
  for (const isShared of [true, false]) {
    for (let at = lines.length - 1; at >= 0; at--) {
      const bytes = lines[at]!.length + 1;
      const isOver = isShared && ownersOf(lines[at]!).some((owner, level) => {
        const sum = bytes + (used.get(owner) ?? 0);
        used.set(owner, sum);
        return sum > most / (8 >> level);
      });
      if (isOver || kept.has(at)) continue;
      left -= bytes;
      if (left < 0) break;
      kept.add(at);
    }
  }
  return lines.filter((_, at) => kept.has(at));
}

function ownersOf(line: string): string[] {
  try {
    const { instance, client, decision, effect } = JSON.parse(line);
    const isChange = decision === "allowed" && effect !== "read";
    const owners = [[instance, client, isChange], [instance, client], [instance]];
    return owners.map((each) => JSON.stringify(each));
  } catch {
    return [""];
  }
}

function timeOf(line: string): number {
  const [, time = ""] = /^\{"time":"([^"]+)"/.exec(line) ?? [];
  const found = Date.parse(time);
  return Number.isNaN(found) ? -Infinity : found;
}
