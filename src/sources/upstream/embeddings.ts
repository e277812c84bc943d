/** The server for embeddings of a project config, with its key and its permissions. */

import { join } from "node:path";
import type { EmbeddingServer } from "../../catalog/meaning/meaning.ts";
import type { Environment } from "../../files/expand.ts";
import type { Problem } from "../../errors.ts";
import { sha256 } from "../../text/hash.ts";
import type { Permissions } from "../../tool/runner.ts";
import { cacheFolder } from "../../process/folders.ts";
import type { UpstreamConfig } from "./config.ts";

export interface Embeddings {
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

/** In the format of `--allow-net`; a URL omits the default port of its scheme. */
function hostAndPort(endpoint: string): string {
  const { hostname, port, protocol } = new URL(endpoint);
  return `${hostname}:${port || (protocol === "https:" ? 443 : 80)}`;
}
