/** The server for embeddings that a project's config names: with its key, and what reaching it takes. */

import { join } from "node:path";
import type { EmbeddingServer } from "../../catalog/meaning/meaning.ts";
import type { Environment } from "../../files/expand.ts";
import type { Problem } from "../../errors.ts";
import { sha256 } from "../../text/hash.ts";
import type { Permissions } from "../../tool/runner.ts";
import { cacheFolder } from "./cache.ts";
import type { UpstreamConfig } from "./config.ts";

/** What `embeddings` of a config comes to. */
export interface Embeddings {
  /** Absent when its key is missing: nothing is sent then. */
  readonly server?: EmbeddingServer;
  /** Path of the file that keeps vectors; absent where the system has no place for caches. */
  readonly cache?: string | undefined;
  /** What it takes beyond the folder for caches, which every server's listing is kept in. */
  readonly needs: Permissions;
  readonly warnings: readonly Problem[];
}

/** What the first of `configs` that names a server for embeddings says of it. */
export function embeddingsOf(
  configs: readonly UpstreamConfig[],
  environment: Environment,
): Embeddings | undefined {
  const config = configs.find(({ embeddings }) => embeddings !== undefined);
  if (config === undefined) return undefined;
  const { endpoint, model, apiKeyVariable } = config.embeddings!;
  const apiKey = apiKeyVariable === undefined ? undefined : environment(apiKeyVariable);
  const folder = cacheFolder();
  const isWhole = apiKeyVariable === undefined || (apiKey !== undefined && apiKey !== "");
  return {
    ...(isWhole ? { server: { endpoint, model, ...(apiKey && { apiKey }) } } : {}),
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

/** As `--allow-net` has it; a URL leaves out the port that its scheme implies. */
function hostAndPort(endpoint: string): string {
  const { hostname, port, protocol } = new URL(endpoint);
  return `${hostname}:${port || (protocol === "https:" ? 443 : 80)}`;
}
