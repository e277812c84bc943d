/** Stores records in one file that all processes of a person share. Another file in its place is refused. */

import { delay, yieldToEventLoop } from "../async/deadline.ts";
import { isObject } from "../text/own_property.ts";
import { operationMs, type SharedStore, StateError } from "./store.ts";
import { isInPlace, openPrivateFile, type PrivateFile, readAt, writeAt } from "./private_file.ts";

export type RecordStore = Pick<
  SharedStore,
  "now" | "getFields" | "putFields" | "deleteFields" | "close"
>;

const maxFileBytes = 8 * 1024 * 1024;

/** A process tries to lock the file at this interval, in milliseconds. */
const retryMs = 10;

type Records = Record<string, Record<string, string>>;

export class FileStore implements RecordStore {
  readonly #opened: PrivateFile;
  /** Returns milliseconds since 1970 by the system's clock; the clock of a process may stop while the machine sleeps. */
  readonly now: () => number;

  private constructor(opened: PrivateFile, now: () => number) {
    this.#opened = opened;
    this.now = now;
  }

  /** Opens the file `name` in the absolute `folder`, or makes it. @throws {StateError} if others can change it */
  static async open(folder: string, name: string, now = Date.now): Promise<FileStore> {
    const store = new FileStore(await openPrivateFile(folder, name), now);
    await store.getFields("");
    return store;
  }

  async getFields(name: string, keys?: readonly string[]): Promise<Map<string, string>> {
    const fields = await this.#change((records) => Object.entries(records[name] ?? {}));
    return new Map(keys === undefined ? fields : fields.filter(([key]) => keys.includes(key)));
  }

  async putFields(name: string, fields: Readonly<Record<string, string>>): Promise<void> {
    await this.#change((records) => {
      records[name] = { ...records[name], ...fields };
    });
  }

  async deleteFields(name: string, keys: readonly string[]): Promise<number> {
    return await this.#change((records) => {
      const there = keys.filter((key) => Object.hasOwn(records[name] ?? {}, key));
      for (const key of there) delete records[name]![key];
      return there.length;
    });
  }

  close(): void {
    this.#opened.file.close();
  }

  async #change<T>(change: (records: Records) => T): Promise<T> {
    await yieldToEventLoop();
    for (let waitedMs = 0; !this.#opened.file.tryLockSync(true); waitedMs += retryMs) {
      if (waitedMs > operationMs) throw new StateError("late", `${this.#opened.path} stays locked`);
      await delay(retryMs);
    }
    // All work until the unlock is synchronous, because the lock does not hold off calls of this process
    try {
      if (!isInPlace(this.#opened)) {
        throw new StateError("unreadable", `${this.#opened.path} was replaced: start climax again`);
      }
      const before = this.#read(this.#opened.file.statSync().size);
      const records = this.#recordsIn(before);
      const result = change(records);
      const after = JSON.stringify(records);
      if (after !== before && after !== "{}") this.#write(after);
      return result;
    } finally {
      this.#opened.file.unlockSync();
    }
  }

  #read(size: number): string {
    if (size > maxFileBytes) {
      throw new StateError("large", `${this.#opened.path} has ${size} bytes`);
    }
    return new TextDecoder().decode(readAt(this.#opened.file, 0, size));
  }

  /** Content of other programs is refused, because the next write would destroy that content. */
  #recordsIn(text: string): Records {
    if (text === "") return {};
    try {
      const read = JSON.parse(text);
      const isOurs = (fields: unknown) => {
        return isObject(fields) && Object.values(fields).every((each) => typeof each === "string");
      };
      if (isObject(read) && Object.values(read).every(isOurs)) return read as Records;
    } catch {
      // A file whose text is not JSON is refused below
    }
    const remedy = "move it away, and start climax again";
    throw new StateError("unreadable", `${this.#opened.path} is not as climax wrote it: ${remedy}`);
  }

  #write(text: string): void {
    const bytes = new TextEncoder().encode(text);
    if (bytes.length > maxFileBytes) {
      throw new StateError("full", `${this.#opened.path} has no room`);
    }
    this.#opened.file.truncateSync(0);
    writeAt(this.#opened.file, 0, bytes);
  }
}
