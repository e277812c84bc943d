/** Reads the keys that instances share (`--signing-key FILE`): the first key signs, a second key only verifies. */

import { hkdfSync, randomBytes } from "node:crypto";
import { Buffer } from "node:buffer";
import { type Clock, systemClock } from "../async/clock.ts";
import { ClimaxError, FileError, formatProblem, messageOf } from "../errors.ts";
import { isWritable, warnChanged, warnReadOnce } from "../exec/writable_folders.ts";
import { systemPath } from "../io.ts";
import { log } from "../log.ts";
import { exposureTo } from "../process/permissions.ts";
import { protect } from "../process/protected_paths.ts";
import { shellWord } from "../text/shell_word.ts";
import { stampOfPath } from "../process/folders.ts";
import { climax } from "../process/own_command.ts";

const keyBytes = 32;
/** The file has at most this many keys: the present key, and its replacement. */
export const maxKeys = 2;

/** The file is looked at for changes once in this many milliseconds. */
const checkMs = 1000;

export interface SharedKey {
  /** The name of the key, which does not reveal the key. */
  readonly name: string;
  derive(purpose: string): Buffer;
}

export class Keyring {
  readonly #path: string;
  readonly #clock: Clock;
  #keys: readonly SharedKey[];
  #stamp: string;
  #lookedAt: number;

  /** Reads the keys at `path`. @throws {ClimaxError} if the file is missing, readable by others, or has no key */
  constructor(path: string, clock: Clock = systemClock) {
    this.#path = path;
    this.#clock = clock;
    this.#stamp = stampOfPath(path);
    this.#keys = readKeys(path);
    this.#lookedAt = clock.now();
    warnReadOnce([path]);
  }

  get first(): SharedKey {
    return this.#current()[0]!;
  }

  get names(): readonly string[] {
    return this.#current().map(({ name }) => name);
  }

  get(name: string): SharedKey | undefined {
    return this.#current().find((key) => key.name === name);
  }

  #current(): readonly SharedKey[] {
    if (this.#clock.now() - this.#lookedAt < checkMs) return this.#keys;
    this.#lookedAt = this.#clock.now();
    const stamp = stampOfPath(this.#path);
    if (stamp === this.#stamp) return this.#keys;
    this.#stamp = stamp;
    if (isWritable(this.#path)) {
      warnChanged(this.#path);
      return this.#keys;
    }
    try {
      this.#keys = readKeys(this.#path);
      log("info", `Signing keys reloaded: ${this.#keys.map(({ name }) => name).join(", ")}`);
    } catch (error) {
      // A file that is read while somebody replaces it must not stop the server, so the former keys stay
      const [problem] = error instanceof ClimaxError ? error.problems : [];
      const reason = problem === undefined ? messageOf(error) : formatProblem(problem);
      log("error", `The signing keys stay as they were: ${reason}`);
    }
    return this.#keys;
  }
}

export function newKey(): string {
  return randomBytes(keyBytes).toString("base64url");
}

export function keyLines(text: string): { readonly line: number; readonly text: string }[] {
  return text.split(/\r?\n/)
    .map((written, index) => ({ line: index + 1, text: written.replace(/#.*/, "").trim() }))
    .filter(({ text }) => text !== "");
}

function readKeys(path: string): SharedKey[] {
  const failure = "The signing keys cannot be read";
  const wrong = (message: string, hint: string, line?: number) => {
    const place = line === undefined ? {} : { line };
    const problem = { file: path, ...place, message, hint };
    return new FileError(failure, problem);
  };
  const making = `Make one: ${climax()} token key --file ${shellWord(path)}`;
  let text: string;
  try {
    const exposure = exposureTo(path, "read or change");
    if (exposure !== undefined) throw new FileError(failure, exposure);
    text = Deno.readTextFileSync(systemPath(protect(path, "hidden")));
  } catch (error) {
    if (error instanceof ClimaxError) throw error;
    throw wrong(`File of signing keys cannot be read: ${messageOf(error)}`, making);
  }
  const keys: SharedKey[] = [];
  for (const { line, text: written } of keyLines(text)) {
    const bytes = Buffer.from(/^[\w+/-]+={0,2}$/.test(written) ? written : "", "base64");
    if (bytes.length < keyBytes) {
      const hint = `Remove this line. ${making}`;
      throw wrong(`A key must be ${keyBytes} random bytes or more in base64`, hint, line);
    }
    const derive = (purpose: string) =>
      Buffer.from(hkdfSync("sha256", bytes, "", `climax 1 ${purpose}`, keyBytes));
    keys.push({ name: derive("name").toString("base64url").slice(0, 8), derive });
  }
  if (keys.length === 0) throw wrong("This file has no key", making);
  if (keys.length > maxKeys) {
    const message = `This file must have ${maxKeys} keys at most: found ${keys.length}`;
    throw wrong(message, "Remove a line");
  }
  return keys;
}
