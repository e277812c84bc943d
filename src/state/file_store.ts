/**
 * Stores records in one file of a person, which all processes of this machine share. The file stays open, so that a
 * server that has given up its permission to write files can still write it. A file that takes its place is refused.
 */

import { delay, yieldToEventLoop } from "../async/deadline.ts";
import { isObject } from "../text/own_property.ts";
import { operationMs, type SharedStore, StateError } from "./store.ts";
import { isInPlace, openPrivateFile, type PrivateFile, readAt, writeAt } from "./private_file.ts";

/** The operations of a shared store that a file supports too. */
export type RecordStore = Pick<
  SharedStore,
  "now" | "getFields" | "putFields" | "deleteFields" | "close"
>;

const maxFileBytes = 8 * 1024 * 1024;

/** Two tries to get the lock are this many milliseconds apart. */
const retryMs = 10;

type Records = Record<string, Record<string, string>>;

/** A store in one file. Its fields do not expire by themselves. */
export class FileStore implements RecordStore {
  readonly #opened: PrivateFile;
  /** The clock of the system, in milliseconds since 1970. That of the process stands still while the machine sleeps. */
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
    // One change in each turn of the event loop lets other work go on during a flood of calls
    await yieldToEventLoop();
    for (let waitedMs = 0; !this.#opened.file.tryLockSync(true); waitedMs += retryMs) {
      if (waitedMs > operationMs) throw new StateError("late", `${this.#opened.path} stays locked`);
      await delay(retryMs);
    }
    // The work until the unlock is synchronous, so that no other call of this process interferes
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

  /** Reads records. Content from other programs is refused, because the next write would destroy it. */
  #recordsIn(text: string): Records {
    // The file is new, or a process was killed before it wrote
    if (text === "") return {};
    try {
      const read = JSON.parse(text);
      const isOurs = (fields: unknown) => {
        return isObject(fields) && Object.values(fields).every((each) => typeof each === "string");
      };
      if (isObject(read) && Object.values(read).every(isOurs)) return read as Records;
    } catch {
      // The content is refused by the error below
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
