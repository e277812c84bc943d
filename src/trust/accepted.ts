/**
 * Stores what a person has accepted: one file in the person's settings, with an entry for each thing and the hash of
 * the text that was shown. If the text changes, it is no longer accepted. No file of a project can accept itself.
 */

import { join, resolve } from "node:path";
import { FileError, messageOf, UsageError } from "../errors.ts";
import { systemPath } from "../io.ts";
import { contains, homeFolders, isNear, ownFolders, realPathOf } from "../process/folders.ts";
import { withLock, writeWhole } from "../files/write_file.ts";
import { mayRead } from "../process/permissions.ts";

/** Something that another person may have written, and that climax uses only after this person has accepted it. */
export interface Thing {
  /** `rest`: all keys of a project's file except its servers. `key`: an API key of a model or of embeddings. */
  readonly kind: "config" | "server" | "rest" | "key";
  /** A path as the user wrote it, or the host to which a key is sent. */
  readonly path: string;
  /** The name of the server or skill in the file, or where the API key was found. @default "" */
  readonly part?: string;
  /** The hash of the text that was shown. */
  readonly sha256: string;
}

/** Returns the path of the file of accepted things; `undefined` if the home folder is unknown. */
export function trustFile(): string | undefined {
  const folders = homeFolders();
  return folders && join(folders.settings, "climax", "accepted.json");
}

/** The accepted things, as the file had them when it was read. */
export class Accepted {
  readonly #hashes: ReadonlyMap<string, string>;

  constructor(hashes: ReadonlyMap<string, string> = new Map()) {
    this.#hashes = hashes;
  }

  has(thing: Thing): boolean {
    return this.#hashes.get(keyOf(thing)) === thing.sha256;
  }
}

/** Reads the accepted things. If the file cannot be read, nothing counts as accepted. */
export async function readAccepted(): Promise<Accepted> {
  const file = trustFile();
  if (file === undefined || !mayRead(file)) return new Accepted();
  return new Accepted(await read(file).catch(() => new Map()));
}

/** Returns whether the person has accepted this thing with exactly this text. */
export async function isAccepted(thing: Thing): Promise<boolean> {
  return (await readAccepted()).has(thing);
}

/**
 * Returns whether another person may have written `file`, by a commit or by a tool, so that it must be accepted first.
 */
export function mayBeForeign(file: string): boolean {
  const path = resolve(systemPath(file));
  return isNear(file) && !ownFolders().some((folder) => contains(folder, path));
}

/** Records that the person has accepted `things`, which were shown. @throws {ClimaxError} if that cannot be written */
export async function accept(...things: readonly Thing[]): Promise<void> {
  const file = requireTrustFile();
  await withLock(file, async () => {
    const all = await read(file);
    for (const thing of things) all.set(keyOf(thing), thing.sha256);
    const entries = [...all].toSorted(([a], [b]) => a < b ? -1 : 1).map(([key, sha256]) => {
      const [kind, path, part] = JSON.parse(key);
      return { kind, path, part, sha256 };
    });
    const text = `${JSON.stringify({ version: 1, entries }, null, 2)}\n`;
    await writeWhole(file, text, { mode: 0o600 });
  });
}

/** Returns the path of the file of accepted things. @throws {UsageError} if the home folder is unknown */
export function requireTrustFile(): string {
  const file = trustFile();
  if (file === undefined) throw new UsageError("Your home folder is not known", "Set HOME");
  return file;
}

function keyOf({ kind, path, part = "" }: Thing): string {
  const place = kind === "key" ? path : realPathOf(path) ?? resolve(systemPath(path));
  return JSON.stringify([kind, place, part]);
}

/** Reads the accepted things for a change. @throws if the file exists but cannot be read: it must not be overwritten */
async function read(file: string): Promise<Map<string, string>> {
  let text: string;
  try {
    text = await Deno.readTextFile(systemPath(file));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return new Map();
    throw unreadable(file, error);
  }
  try {
    const { version, entries } = JSON.parse(text);
    if (version !== 1) throw new Error(`version ${JSON.stringify(version)} is not known`);
    return new Map((entries as readonly Record<string, unknown>[]).map((entry) => {
      const { kind, path, part, sha256, ...others } = entry;
      const isKnown = [kind, path, part, sha256].every((each) => typeof each === "string");
      if (isKnown && Object.keys(others).length === 0) {
        return [JSON.stringify([kind, path, part]), sha256 as string];
      }
      throw new Error("an entry is not as climax writes it");
    }));
  } catch (error) {
    throw unreadable(file, error);
  }
}

function unreadable(file: string, error: unknown): FileError {
  const hint = "Mend or remove it: what it has is asked again";
  return new FileError("Nothing was accepted", { file, message: messageOf(error), hint });
}
