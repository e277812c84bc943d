/** Search by meaning with the embedding server that the settings of a project's file name. */

import { join } from "node:path";
import type { Clock } from "../async/clock.ts";
import type { Embedder } from "../catalog/meaning/embedder.ts";
import type { Problem } from "../errors.ts";
import type { Environment } from "../files/expand.ts";
import { cacheFolder } from "../process/folders.ts";
import { sha256 } from "../text/hash.ts";
import { refuseKey } from "../trust/keys.ts";
import type { ProjectSettings } from "./project_settings.ts";

interface OpenedEmbedder {
  /** Absent if no config names an embedding server, or if its API key is missing or must not be sent to it. */
  readonly embedder?: Embedder;
  readonly warnings: readonly Problem[];
}

export async function openEmbedder(
  configs: readonly (Pick<ProjectSettings, "embeddings"> & { readonly file: string })[],
  environment: Environment,
  clock: Clock | undefined,
): Promise<OpenedEmbedder> {
  const config = configs.find(({ embeddings }) => embeddings !== undefined);
  if (config === undefined) return { warnings: [] };
  const { endpoint, model, weight, apiKeyVariable } = config.embeddings!;
  const apiKey = apiKeyVariable === undefined ? undefined : environment(apiKeyVariable);
  const missing = apiKeyVariable === undefined
    ? undefined
    : apiKey
    ? await refuseKey({ endpoint, source: `the variable ${apiKeyVariable}` })
    : {
      message: `Environment variable '${apiKeyVariable}', which 'embeddings' names, is not set`,
      hint: "Without it nothing is sent, and search uses words only",
    };
  if (missing !== undefined) return { warnings: [{ file: config.file, ...missing }] };
  const folder = cacheFolder();
  const name = `${sha256(JSON.stringify([endpoint, model]))}.bin`;
  const cache = folder === undefined ? undefined : join(folder, "embeddings", name);
  const { Embedder } = await import("../catalog/meaning/embedder.ts");
  const server = { endpoint, model, weight, ...(apiKey && { apiKey }) };
  return { embedder: new Embedder(server, cache, clock), warnings: [] };
}
