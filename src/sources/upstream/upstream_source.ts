/** START HERE for MCP servers as a source of tools: the part that a session needs of them. */

import type { Clock } from "../../async/clock.ts";
import type { ResultFormat } from "../../catalog/compact.ts";
import type { Embedder } from "../../catalog/meaning/embedder.ts";
import type { Environment } from "../../files/expand.ts";
import type { NamedText } from "../../text/named_text.ts";
import type { AbsentOwner } from "../../tool/owner.ts";
import type { ToolSource } from "../source.ts";
import { type Embeddings, embeddingsOf } from "./embeddings.ts";
import { featuresOf } from "./features.ts";
import { findFeature } from "./find_feature.ts";
import { lockPath } from "./lock.ts";
import {
  loadedOf,
  type LoadedUpstream,
  loadUpstream,
  type LoadUpstreamOptions,
  readServers,
} from "./load.ts";
import { definedIn } from "./_pool_members.ts";
import type { UpstreamPool } from "./pool.ts";
import type { PoolChange } from "./pool_options.ts";
import { upstreamRunner, type UpstreamRunnerOptions } from "./runner.ts";
import { sourceOf, upstreamKind } from "./source.ts";
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
  /** Paths of the configs and of their locks, which may not exist. */
  readonly files: readonly string[];
  /**
   * Reads configs and locks again. `load` returns what they say until the change is committed or discarded: servers
   * that are new are not started before that, and those that are gone run on.
   */
  reload(): Promise<UpstreamChange>;
}

/** To be either committed or discarded. */
export interface UpstreamChange {
  /** Servers whose transport is the same stay connected; calls of those that are gone end as cancelled. */
  commit(): void;
  discard(): void;
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
  const { results } = loaded.configs.find((config) => config.results !== undefined) ?? {};
  const { pool } = loaded;
  const extra = embeddings?.warnings ?? [];
  let current: Omit<LoadedUpstream, "pool"> = {
    ...loaded,
    warnings: [...loaded.warnings, ...extra],
  };
  /** What is read, and not committed yet. */
  let next:
    | { readonly loaded: typeof current } & Pick<PoolChange, "states" | "addresses">
    | undefined;
  return {
    get loaded() {
      return { ...current, pool };
    },
    files: files.flatMap((file) => typeof file === "string" ? [file, lockPath(file)] : []),
    embedder: await embedderOf(embeddings, clock),
    settings: results === undefined ? {} : { results },
    get isComplete() {
      return pool.states.every(({ listing }) => listing !== undefined);
    },
    kind: upstreamKind,
    runner: upstreamRunner(pool, { environment, keepBytes, keepAnsi, also }),
    absent: () => absentFrom(pool),
    load(taken) {
      const names = new Set(taken.map(({ name }) => name));
      const { problems, unreadable, warnings } = next?.loaded ?? current;
      const defined = definedIn(next?.states ?? pool.states);
      const addresses = next?.addresses ?? pool.addresses;
      const tools = [...toolsOf(defined, names, addresses), ...featuresOf(defined, addresses)];
      return Promise.resolve({ tools, problems, unreadable, warnings });
    },
    async reload() {
      const read = await readServers(files, options.sandbox ?? false);
      const change = read.problems.length > 0 ? undefined : await pool.change(read.members);
      const states = change?.states ?? pool.states;
      const reread = loadedOf(read, states);
      next = { loaded: reread, states, addresses: change?.addresses ?? pool.addresses };
      return {
        commit() {
          change?.commit();
          current = reread;
          next = undefined;
        },
        discard: () => void (next = undefined),
      };
    },
    findFeature: (name, args, listed) => findFeature(pool, { name, args }, listed),
    async subscribeResource(tool, onUpdate, owner) {
      const { server, tool: uri } = sourceOf(tool);
      return await pool.forSubscription(server, owner)?.subscribe(uri, onUpdate);
    },
    onLog(onLog) {
      pool.onLog.add(onLog);
      return () => pool.onLog.delete(onLog);
    },
    subscribe(onChange) {
      pool.onChange(onChange);
      pool.goLive();
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
    explain: () => pool.absence(name),
    retry: () => pool.retry(name),
  }));
}

/** Imported only if it is configured. */
async function embedderOf({ server, cache }: Partial<Embeddings> = {}, clock?: Clock) {
  if (server === undefined) return undefined;
  const { Embedder } = await import("../../catalog/meaning/embedder.ts");
  return new Embedder(server, cache, clock);
}
