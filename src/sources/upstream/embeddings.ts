/** The server for embeddings of project configs: its key, its permissions, and the embedder that uses it. */

import { join } from "node:path";
import type { EmbeddingServer } from "../../catalog/meaning/meaning.ts";
import type { Environment } from "../../files/expand.ts";
import type { Problem } from "../../errors.ts";
import { sha256 } from "../../text/hash.ts";
import type { Permissions } from "../../tool/runner.ts";
import { cacheFolder } from "../../process/folders.ts";
import type { UpstreamConfig } from "./config.ts";
import { isDeepStrictEqual } from "node:util";
import type { Clock } from "../../async/clock.ts";
import type { Catalog } from "../../catalog/catalog.ts";
import type { Embedder } from "../../catalog/meaning/embedder.ts";

interface Embeddings {
  /** Absent if its key is missing. */
  readonly server?: EmbeddingServer;
  /** Path of the file with vectors; absent if the system has no folder for caches. */
  readonly cache?: string | undefined;
  /** Permissions in addition to the folder for caches, which all servers use. */
  readonly needs: Permissions;
  readonly warnings: readonly Problem[];
}

/** The setting of the first of `configs` that has one. */
export function embeddingsOf(
  configs: readonly UpstreamConfig[],
  environment: Environment,
): Embeddings | undefined {
  const config = configs.find(({ embeddings }) => embeddings !== undefined);
  if (config === undefined) return undefined;
  const { endpoint, model, weight, apiKeyVariable } = config.embeddings!;
  const apiKey = apiKeyVariable === undefined ? undefined : environment(apiKeyVariable);
  const folder = cacheFolder();
  const isWhole = apiKeyVariable === undefined || (apiKey !== undefined && apiKey !== "");
  return {
    ...(isWhole
      ? {
        server: {
          endpoint,
          model,
          ...(weight === undefined ? {} : { weight }),
          ...(apiKey && { apiKey }),
        },
      }
      : {}),
    ...(folder === undefined
      ? {}
      : { cache: join(folder, "embeddings", `${sha256(JSON.stringify([endpoint, model]))}.bin`) }),
    needs: {
      net: [hostAndPort(endpoint)],
      env: apiKeyVariable === undefined ? [] : [apiKeyVariable],
    },
    warnings: isWhole ? [] : [{
      file: config.file,
      message: `Environment variable '${apiKeyVariable}', which 'embeddings' names, is not set`,
      hint: "Without it nothing is sent, and search uses words only",
    }],
  };
}

/** In the format of `--allow-net`; a URL omits the default port of its scheme. */
function hostAndPort(endpoint: string): string {
  const { hostname, port, protocol } = new URL(endpoint);
  return `${hostname}:${port || (protocol === "https:" ? 443 : 80)}`;
}

type Setting = Pick<Embeddings, "server" | "cache">;

/** The embedder of the server that configs name: another one, for the same catalogues, when they name another. */
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
