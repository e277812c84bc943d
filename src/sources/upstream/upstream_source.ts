/** START HERE for MCP servers as a source of tools: what a session needs of them, and nothing more. */

import type { ResultFormat } from "../../catalog/compact.ts";
import type { Embedder } from "../../catalog/meaning/embedder.ts";
import type { Environment } from "../../files/expand.ts";
import type { NamedText } from "../../text/named_text.ts";
import type { Owner } from "../../tool/tool.ts";
import type { ToolSource } from "../source.ts";
import { type Embeddings, embeddingsOf } from "./embeddings.ts";
import { lockPath } from "./lock.ts";
import { type LoadedUpstream, loadUpstream, type LoadUpstreamOptions } from "./load.ts";
import { upstreamRunner, type UpstreamRunnerOptions } from "./runner.ts";
import { upstreamKind } from "./source.ts";
import { toolsOf } from "./tools.ts";

/** The servers of a session. */
export interface UpstreamToolSource extends ToolSource {
  readonly loaded: LoadedUpstream;
  /** What has catalogues embedded, once it is asked to; absent where no config names a server for it. */
  readonly embedder: Embedder | undefined;
  /** Where the policy says nothing: of several configs the first that does. */
  readonly settings: { readonly results?: ResultFormat };
  /** True if it is known of every server what it defines. */
  readonly isComplete: boolean;
  /** The servers of which nothing is known, because they do not answer. */
  absent(): readonly Owner[];
}

/** Loads the configs at `files` and what calls the tools of their servers. */
export async function openUpstream(
  files: readonly (string | NamedText)[],
  environment: Environment,
  options: LoadUpstreamOptions & Omit<UpstreamRunnerOptions, "environment">,
): Promise<UpstreamToolSource> {
  const loaded = await loadUpstream(files, environment, options);
  const { keepBytes, keepAnsi } = options;
  const embeddings = embeddingsOf(loaded.configs, environment);
  // A file that names no server has its lock looked for all the same
  const also = { ...embeddings?.needs, read: loaded.configs.map(({ file }) => lockPath(file)) };
  const warnings = [...loaded.warnings, ...embeddings?.warnings ?? []];
  const { results } = loaded.configs.find((config) => config.results !== undefined) ?? {};
  return {
    loaded: { ...loaded, warnings },
    embedder: await embedderOf(embeddings),
    settings: results === undefined ? {} : { results },
    isComplete: loaded.pool.states.every(({ listing }) => listing !== undefined),
    kind: upstreamKind,
    runner: upstreamRunner(loaded.pool, { environment, keepBytes, keepAnsi, also }),
    absent: () =>
      loaded.pool.states.filter(({ listing }) => listing === undefined).map(({ spec }) => {
        return { name: spec.name, description: "This server does not answer at present", tags: [] };
      }),
    load(taken) {
      const names = new Set(taken.map(({ name }) => name));
      const { problems, unreadable } = loaded;
      const tools = toolsOf(loaded.pool.defined, names);
      return Promise.resolve({ tools, problems, unreadable, warnings });
    },
    subscribe(onChange) {
      loaded.pool.onChange(onChange);
      loaded.pool.goLive();
    },
  };
}

/** Not loaded where nothing is configured. */
async function embedderOf({ server, cache }: Partial<Embeddings> = {}) {
  if (server === undefined) return undefined;
  const { Embedder } = await import("../../catalog/meaning/embedder.ts");
  return new Embedder(server, cache);
}
