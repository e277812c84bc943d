/**
 * What servers defined the last time, on disk, so that a start does not wait for them. Only a help: what
 * cannot be read or written counts as not there, and what is read is held against the lock like news.
 */

import { dirname, join } from "node:path";
import type { ConnectOptions } from "./connection.ts";
import { replaceFile } from "../../files/write_file.ts";
import { messageOf } from "../../errors.ts";
import { log } from "../../log.ts";
import { optionalVariable } from "../../process/environment.ts";
import { ownFolder } from "../../process/folders.ts";
import { version } from "../../process/version.ts";
import { sha256 } from "../../text/hash.ts";
import { type Definition, readDefinitions } from "./definition.ts";
import type { StdioSpec, UrlSpec } from "./spec.ts";

/** What a server said of itself and its tools. */
export interface Listing {
  readonly definitions: readonly Definition[];
  /** Sentences on definitions that were left out. */
  readonly doubts: readonly string[];
  readonly description: string;
  readonly prior: ConnectOptions["prior"];
}

/** Files that are kept; the oldest go first. */
const maxFiles = 200;

/** Milliseconds that a server counts as an old one without being asked again: a week. */
const maxPriorAgeMs = 7 * 24 * 60 * 60 * 1000;

/** Where the cache is: `CLIMAX_CACHE_DIR`, or a folder of ours where the system keeps caches. */
export function cacheFolder(): string | undefined {
  const own = optionalVariable("CLIMAX_CACHE_DIR");
  if (own) return own;
  const base = optionalVariable("XDG_CACHE_HOME") || optionalVariable("LOCALAPPDATA");
  if (base) return join(base, "climax");
  const home = optionalVariable("HOME");
  return home ? join(home, ".cache", "climax") : undefined;
}

/** The cached listings of servers. */
export class ListingCache {
  readonly #folder: string | undefined;

  constructor(folder: string | undefined = cacheFolder()) {
    this.#folder = folder === undefined ? undefined : join(folder, "servers");
  }

  /** What the server behind `reached`, variables expanded, defined the last time. */
  async read(reached: StdioSpec | UrlSpec): Promise<Listing | undefined> {
    const file = this.#fileOf(reached);
    if (file === undefined) return undefined;
    try {
      const { saved, definitions, doubts = [], description, prior } = JSON.parse(
        await Deno.readTextFile(file),
      );
      const isOld = Date.now() - Date.parse(saved) > maxPriorAgeMs;
      return {
        definitions: readDefinitions(definitions).definitions,
        doubts: doubts.map(String),
        description: String(description),
        prior: isOld ? undefined : prior,
      };
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) log("debug", `cache: ${messageOf(error)}`);
      return undefined;
    }
  }

  /** Keeps `listing` for the next start. */
  async write(reached: StdioSpec | UrlSpec, listing: Listing): Promise<void> {
    const file = this.#fileOf(reached);
    if (file === undefined) return;
    try {
      await Deno.mkdir(dirname(file), { recursive: true, mode: 0o700 });
      const text = JSON.stringify({ saved: new Date().toISOString(), ...listing });
      await replaceFile(file, text, { mode: 0o600 });
      await this.#prune(dirname(file));
    } catch (error) {
      log("debug", `cache: ${messageOf(error)}`);
    }
  }

  #fileOf(reached: StdioSpec | UrlSpec): string | undefined {
    if (this.#folder === undefined) return undefined;
    const place = reached.kind === "stdio" ? ownFolder() : "";
    return join(this.#folder, `${sha256(JSON.stringify([version, place, reached]))}.json`);
  }

  async #prune(folder: string): Promise<void> {
    const files: { path: string; time: number }[] = [];
    for await (const { name } of Deno.readDir(folder)) {
      const path = join(folder, name);
      files.push({ path, time: (await Deno.stat(path)).mtime?.getTime() ?? 0 });
    }
    const old = files.toSorted((a, b) => b.time - a.time).slice(maxFiles);
    await Promise.all(old.map(({ path }) => Deno.remove(path).catch(() => {})));
  }
}
