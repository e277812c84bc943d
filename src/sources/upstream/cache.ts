/** Stores the last listings of servers on disk, so that no start waits. The lock holds for them too. */

import { dirname, join } from "node:path";
import { removeOldest, replaceFile } from "../../files/write_file.ts";
import { messageOf } from "../../errors.ts";
import { log } from "../../log.ts";
import { cacheFolder, ownFolder } from "../../process/folders.ts";
import { version } from "../../process/build_info.ts";
import { sha256 } from "../../text/hash.ts";
import { readDefinitions } from "./definition.ts";
import { readFeatures } from "./feature_definition.ts";
import type { Listing } from "./listing.ts";
import type { TransportSpec } from "./spec.ts";

/** Most files; the oldest are removed first. */
const maxFiles = 200;

/** Milliseconds that the detected protocol of a server is reused: a week. */
const maxPriorAgeMs = 7 * 24 * 60 * 60 * 1000;

/** Milliseconds that a failure is remembered: an hour. */
const maxFailureAgeMs = 60 * 60 * 1000;

function failureFile(file: string): string {
  return file.replace(/\.json$/, ".failed");
}

export class ListingCache {
  readonly #folder: string | undefined;

  constructor(folder: string | undefined = cacheFolder()) {
    this.#folder = folder === undefined ? undefined : join(folder, "servers");
  }

  async read(transport: TransportSpec): Promise<Listing | undefined> {
    return await this.#withFile(transport, async (file) => {
      const { saved, definitions, warnings = [], description, features, prior } = JSON.parse(
        await Deno.readTextFile(file),
      );
      const isOld = Date.now() - Date.parse(saved) > maxPriorAgeMs;
      return {
        definitions: readDefinitions(definitions).definitions,
        warnings: warnings.map(String),
        description: String(description),
        features: await readFeatures(features),
        prior: isOld ? undefined : prior,
      };
    });
  }

  /** Returns how often the server has failed since its last answer. One failure may be a long installation. */
  async failures(transport: TransportSpec): Promise<number> {
    const failures = await this.#withFile(transport, async (file) => {
      const { count, last } = JSON.parse(await Deno.readTextFile(failureFile(file)));
      return Date.now() - Date.parse(last) < maxFailureAgeMs ? Number(count) || 0 : 0;
    });
    return failures ?? 0;
  }

  async writeFailure(transport: TransportSpec): Promise<void> {
    const count = await this.failures(transport) + 1;
    await this.#withFile(transport, async (file) => {
      await Deno.mkdir(dirname(file), { recursive: true, mode: 0o700 });
      const text = JSON.stringify({ count, last: new Date().toISOString() });
      await replaceFile(failureFile(file), text, { mode: 0o600 });
    });
  }

  async write(transport: TransportSpec, listing: Listing): Promise<void> {
    await this.#withFile(transport, async (file) => {
      await Deno.mkdir(dirname(file), { recursive: true, mode: 0o700 });
      const text = JSON.stringify({ saved: new Date().toISOString(), ...listing });
      await replaceFile(file, text, { mode: 0o600 });
      await Deno.remove(failureFile(file)).catch(() => {});
      await removeOldest(dirname(file), maxFiles);
    });
  }

  /** Calls `work` with the file of a server. Returns nothing if there is no file, or it cannot be used. */
  async #withFile<T>(
    transport: TransportSpec,
    work: (file: string) => Promise<T>,
  ): Promise<T | undefined> {
    if (this.#folder === undefined) return undefined;
    const folder = transport.kind === "stdio" ? ownFolder() : "";
    const name = `${sha256(JSON.stringify([version, folder, transport]))}.json`;
    try {
      return await work(join(this.#folder, name));
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) log("debug", `cache: ${messageOf(error)}`);
      return undefined;
    }
  }
}
