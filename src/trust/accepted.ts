/** Stores what a person has accepted, with a hash of the text that was shown: a changed text is not accepted. */

import { join, resolve } from "node:path";
import { FileError, messageOf, UsageError } from "../errors.ts";
import { systemPath } from "../io.ts";
import { contains, homeFolders, isNear, ownFolders, realPathOf } from "../process/folders.ts";
import { withLock, writeWhole } from "../files/write_file.ts";
import { mayRead } from "../process/permissions.ts";

/** A config, server, key or file that another person may have written: climax uses it only once it was accepted. */
export interface Thing {
  /** `rest` means all keys of a project's file but its servers; `key` means an API key of a model or of embeddings. */
  readonly kind: "config" | "server" | "rest" | "key";
  /** The path of the file; for an API key, the host that it is sent to. */
  readonly path: string;
  /** The name of the server in its file; for an API key, the place where it was found. @default "" */
  readonly part?: string;
  readonly sha256: string;
}

export function trustFile(): string | undefined {
  const folders = homeFolders();
  return folders && join(folders.settings, "climax", "accepted.json");
}

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

export async function isAccepted(thing: Thing): Promise<boolean> {
  return (await readAccepted()).has(thing);
}

/** Returns whether another person may have written `file`, so that it must be accepted first. */
export function mayBeForeign(file: string): boolean {
  const path = resolve(systemPath(file));
  return isNear(file) && !ownFolders().some((folder) => contains(folder, path));
}

/** Records that the person has accepted `things`, which must have been shown. @throws {ClimaxError} */
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

/** Reads the file of accepted things. @throws {FileError} if it is broken: it must not be overwritten then */
async function read(file: string): Promise<Map<string, string>> {
  try {
    const { version, entries } = JSON.parse(await Deno.readTextFile(systemPath(file)));
    const foreign = new Error("The file is not as climax writes it");
    if (version !== 1 || !Array.isArray(entries)) throw foreign;
    return new Map(entries.map((entry) => {
      const { kind, path, part, sha256, ...others } = entry;
      const isText = [kind, path, part, sha256].every((each) => typeof each === "string");
      if (!isText || Object.keys(others).length > 0) throw foreign;
      return [JSON.stringify([kind, path, part]), sha256];
    }));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return new Map();
    const hint = "Mend or remove it: what it has is asked again";
    throw new FileError("Nothing was accepted", { file, message: messageOf(error), hint });
  }
}
