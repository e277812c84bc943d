/** The embedder of the server that configs name: another one, for the same catalogues, when they name another. */

import { isDeepStrictEqual } from "node:util";
import type { Clock } from "../../async/clock.ts";
import type { Catalog } from "../../catalog/catalog.ts";
import type { Embedder } from "../../catalog/meaning/embedder.ts";
import type { Embeddings } from "./embeddings.ts";

/** Where vectors come from, and where they are cached. */
type Setting = Pick<Embeddings, "server" | "cache">;

export class ConfiguredEmbedder {
  readonly #clock: Clock | undefined;
  readonly #followed = new Set<Catalog>();
  #setting: Setting = {};
  #embedder: Embedder | undefined;

  constructor(clock: Clock | undefined) {
    this.#clock = clock;
  }

  /** Prepares the embedder for `embeddings`. Returns a function that puts it in the place of the one before. */
  async change({ server, cache }: Partial<Embeddings> = {}): Promise<() => void> {
    const setting: Setting = server === undefined ? {} : { server, cache };
    if (isDeepStrictEqual(setting, this.#setting)) return () => {};
    const next = await embedderOf(setting, this.#clock);
    return () => {
      this.#embedder?.close();
      [this.#embedder, this.#setting] = [next, setting];
      for (const catalog of this.#followed) void next?.follow(catalog);
    };
  }

  /** Embeds `catalog` from now on. Resolves when that was tried once. */
  async follow(catalog: Catalog): Promise<void> {
    this.#followed.add(catalog);
    await this.#embedder?.follow(catalog);
  }

  close(): void {
    this.#embedder?.close();
  }
}

/** Imported only if it is configured. */
async function embedderOf({ server, cache }: Setting, clock?: Clock) {
  if (server === undefined) return undefined;
  const { Embedder } = await import("../../catalog/meaning/embedder.ts");
  return new Embedder(server, cache, clock);
}
