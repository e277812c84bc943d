/** START HERE for MCP servers as a source of tools: the part that a session needs of them. */

import type { Clock } from "../../async/clock.ts";
import type { ResultFormat } from "../../catalog/compact.ts";
import type { Embedder } from "../../catalog/meaning/embedder.ts";
import type { Environment } from "../../files/expand.ts";
import type { NamedText } from "../../text/named_text.ts";
import type { Owner } from "../../tool/tool.ts";
import type { ToolSource } from "../source.ts";
import { type Embeddings, embeddingsOf } from "./embeddings.ts";
import { featuresOf } from "./features.ts";
import { findFeature } from "./find_feature.ts";
import { lockPath } from "./lock.ts";
import { type LoadedUpstream, loadUpstream, type LoadUpstreamOptions } from "./load.ts";
import { upstreamRunner, type UpstreamRunnerOptions } from "./runner.ts";
import { sourceOf, upstreamKind } from "./source.ts";
import { toolsOf } from "./tools.ts";

export interface UpstreamToolSource extends ToolSource {
  readonly loaded: LoadedUpstream;
  /** Embeds catalogues on request; absent if no config names a server for that. */
  readonly embedder: Embedder | undefined;
  /** The settings of the first config that has them, if the policy has none. */
  readonly settings: { readonly results?: ResultFormat };
  /** True when the definitions of every server are known. */
  readonly isComplete: boolean;
  /** The servers without an answer, whose tools are unknown. */
  absent(): readonly Owner[];
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
    absent: () =>
      loaded.pool.states.filter(({ listing }) => listing === undefined).map((state) => {
        const { spec, needsLogin, failure } = state;
        const silent = "This server does not answer at present";
        const description = needsLogin && failure !== undefined ? failure : silent;
        return { name: spec.name, description, tags: [] };
      }),
    load(taken) {
      const names = new Set(taken.map(({ name }) => name));
      const { problems, unreadable } = loaded;
      const { defined, addresses } = loaded.pool;
      const tools = [...toolsOf(defined, names, addresses), ...featuresOf(defined, addresses)];
      return Promise.resolve({ tools, problems, unreadable, warnings });
    },
    findFeature: (name, args, listed) => findFeature(loaded.pool, { name, args }, listed),
    async subscribeResource(tool, onUpdate, owner) {
      const { server, tool: uri } = sourceOf(tool);
      return await loaded.pool.forSubscription(server, owner)?.subscribe(uri, onUpdate);
    },
    onLog(onLog) {
      loaded.pool.onLog.add(onLog);
      return () => loaded.pool.onLog.delete(onLog);
    },
    subscribe(onChange) {
      loaded.pool.onChange(onChange);
      loaded.pool.goLive();
    },
  };
}

/** Imported only if it is configured. */
async function embedderOf({ server, cache }: Partial<Embeddings> = {}, clock?: Clock) {
  if (server === undefined) return undefined;
  const { Embedder } = await import("../../catalog/meaning/embedder.ts");
  return new Embedder(server, cache, clock);
}
