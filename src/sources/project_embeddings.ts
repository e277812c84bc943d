/** Search by meaning with the embedding server that the settings of a project's file name. */

import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { Clock } from "../async/clock.ts";
import type { Catalog } from "../catalog/catalog.ts";
import type { Embedder } from "../catalog/meaning/embedder.ts";
import type { EmbeddingServer } from "../catalog/meaning/meaning.ts";
import type { Problem } from "../errors.ts";
import type { Environment } from "../files/expand.ts";
import { cacheFolder } from "../process/folders.ts";
import { sha256 } from "../text/hash.ts";
import { refuseKey } from "../trust/keys.ts";
import type { ProjectSettings } from "./project_settings.ts";

interface Embeddings {
  /** Absent if the API key is missing, or must not be sent to that server. */
  readonly server?: EmbeddingServer;
  /** The path of the file with stored vectors; absent if the system has no folder for caches. */
  readonly cache?: string | undefined;
  readonly warnings: readonly Problem[];
}

/** Returns the embedding settings of the first of `configs` that has some. */
export async function embeddingsOf(
  configs: readonly (Pick<ProjectSettings, "embeddings"> & { readonly file: string })[],
  environment: Environment,
): Promise<Embeddings | undefined> {
  const config = configs.find(({ embeddings }) => embeddings !== undefined);
  if (config === undefined) return undefined;
  const { endpoint, model, weight, apiKeyVariable } = config.embeddings!;
  const apiKey = apiKeyVariable === undefined ? undefined : environment(apiKeyVariable);
  const folder = cacheFolder();
  const missing = apiKeyVariable === undefined
    ? undefined
    : apiKey
    ? await refuseKey({ endpoint, source: `the variable ${apiKeyVariable}` })
    : {
      message: `Environment variable '${apiKeyVariable}', which 'embeddings' names, is not set`,
      hint: "Without it nothing is sent, and search uses words only",
    };
  return {
    ...(missing === undefined
      ? { server: { endpoint, model, weight, ...(apiKey && { apiKey }) } }
      : {}),
    ...(folder === undefined
      ? {}
      : { cache: join(folder, "embeddings", `${sha256(JSON.stringify([endpoint, model]))}.bin`) }),
    warnings: missing === undefined ? [] : [{ file: config.file, ...missing }],
  };
}

type Setting = Pick<Embeddings, "server" | "cache">;

/** Computes embeddings of catalogues with the configured server, and again when the setting names another server. */
export class ConfiguredEmbedder {
  readonly #clock: Clock | undefined;
  readonly #followed = new Set<Catalog>();
  #setting: Setting = {};
  #embedder: Embedder | undefined;

  constructor(clock: Clock | undefined) {
    this.#clock = clock;
  }

  /** Prepares an embedder for a new setting. Returns a function that replaces the present embedder. */
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

  /** Computes embeddings of `catalog` now and whenever it changes. Resolves after the first try, successful or not. */
  async follow(catalog: Catalog): Promise<void> {
    this.#followed.add(catalog);
    await this.#embedder?.follow(catalog);
  }

  close(): void {
    this.#embedder?.close();
  }
}

/** Makes an embedder. Its module is imported only if embeddings are configured. */
async function embedderOf({ server, cache }: Setting, clock?: Clock) {
  if (server === undefined) return undefined;
  const { Embedder } = await import("../catalog/meaning/embedder.ts");
  return new Embedder(server, cache, clock);
}
