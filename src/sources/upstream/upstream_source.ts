/** START HERE for MCP servers as a source of tools: the part that a session needs of them. */

import type { Clock } from "../../async/clock.ts";
import type { ResultFormat } from "../../catalog/compact.ts";
import type { Embedder } from "../../catalog/meaning/embedder.ts";
import type { Environment } from "../../files/expand.ts";
import type { NamedText } from "../../text/named_text.ts";
import type { AbsentOwner } from "../../tool/tool.ts";
import type { ToolSource } from "../source.ts";
import { type Embeddings, embeddingsOf } from "./embeddings.ts";
import { lockPath } from "./lock.ts";
import { type LoadedUpstream, loadUpstream, type LoadUpstreamOptions } from "./load.ts";
import type { UpstreamPool } from "./pool.ts";
import { upstreamRunner, type UpstreamRunnerOptions } from "./runner.ts";
import { upstreamKind } from "./source.ts";
import { toolPrefix, toolsOf } from "./tools.ts";

export interface UpstreamToolSource extends ToolSource {
  readonly loaded: LoadedUpstream;
  /** Embeds catalogues on request; absent if no config names a server for that. */
  readonly embedder: Embedder | undefined;
  /** The settings of the first config that has them, if the policy has none. */
  readonly settings: { readonly results?: ResultFormat };
  /** True when the definitions of every server are known. */
  readonly isComplete: boolean;
  /** The servers without an answer, whose tools are unknown. */
  absent(): readonly AbsentOwner[];
}

export async function openUpstream(
  files: readonly (string | NamedText)[],
  environment: Environment,
  options: LoadUpstreamOptions & Omit<UpstreamRunnerOptions, "environment">,
): Promise<UpstreamToolSource> {
  const loaded = await loadUpstream(files, environment, options);
  const { keepBytes, keepAnsi, clock } = options;
  const embeddings = embeddingsOf(loaded.configs, environment);
  // The lock is read even for a file without servers
  const also = { ...embeddings?.needs, read: loaded.configs.map(({ file }) => lockPath(file)) };
  const warnings = [...loaded.warnings, ...embeddings?.warnings ?? []];
  const { results } = loaded.configs.find((config) => config.results !== undefined) ?? {};
  return {
    loaded: { ...loaded, warnings },
    embedder: await embedderOf(embeddings, clock),
    settings: results === undefined ? {} : { results },
    isComplete: loaded.pool.states.every(({ listing }) => listing !== undefined),
    kind: upstreamKind,
    runner: upstreamRunner(loaded.pool, { environment, keepBytes, keepAnsi, also }),
    absent: () => absentFrom(loaded.pool),
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

function absentFrom(pool: UpstreamPool): AbsentOwner[] {
  const unknown = pool.states.filter(({ listing }) => listing === undefined);
  return unknown.map(({ spec: { name } }) => ({
    name,
    description: "",
    tags: [],
    isServer: true,
    prefix: toolPrefix(name),
    explain: () => pool.get(name)?.absence ?? `Server '${name}' was removed`,
    retry: () => pool.retry(name),
  }));
}

/** Imported only if it is configured. */
async function embedderOf({ server, cache }: Partial<Embeddings> = {}, clock?: Clock) {
  if (server === undefined) return undefined;
  const { Embedder } = await import("../../catalog/meaning/embedder.ts");
  return new Embedder(server, cache, clock);
}
