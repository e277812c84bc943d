/** START HERE for MCP servers as a source of tools: the part that a session needs of them. */

import type { ResultFormat } from "../../catalog/compact.ts";
import { formatProblem } from "../../errors.ts";
import type { Environment } from "../../files/expand.ts";
import { log } from "../../log.ts";
import type { NamedText } from "../../text/named_text.ts";
import type { AbsentOwner } from "../../tool/owner.ts";
import type { ToolSource } from "../source.ts";
import { ConfiguredEmbedder } from "./_configured_embedder.ts";
import { embeddingsOf } from "./embeddings.ts";
import { featuresOf } from "./features.ts";
import { findFeature } from "./find_feature.ts";
import { AcceptedEntries, lockPaths } from "./lock.ts";
import {
  loadedOf,
  type LoadedUpstream,
  loadUpstream,
  type LoadUpstreamOptions,
  readServers,
  withheldOf,
} from "./load.ts";
import { definedIn } from "./_pool_members.ts";
import type { UpstreamPool } from "./pool.ts";
import type { PoolChange } from "./pool_options.ts";
import { upstreamRunner, type UpstreamRunnerOptions } from "./runner.ts";
import { sourceOf, upstreamKind } from "./source.ts";
import { withheldTools } from "./_withheld_tools.ts";
import { toolPrefix, toolsOf } from "./tools.ts";

export interface UpstreamToolSource extends ToolSource {
  readonly loaded: LoadedUpstream;
  /** Embeds catalogues on request, if a config names a server for that. */
  readonly embedding: ConfiguredEmbedder;
  /** The format of search results of the first config that has one. */
  readonly results: ResultFormat | undefined;
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
  const also = {
    ...embeddings?.needs,
    read: loaded.configs.flatMap(({ file }) => lockPaths(file)),
  };
  const { pool } = loaded;
  const withheld = () => pool.states.flatMap(withheldOf).map(formatProblem);
  /** Among the warnings, or logged. */
  const said = new Set(withheld());
  const embedding = new ConfiguredEmbedder(clock);
  (await embedding.change(embeddings))();
  const accepted = new AcceptedEntries();
  accepted.add(pool.states);
  type Current = Omit<LoadedUpstream, "pool">;
  const withWarnings = (read: Current, more = embeddings?.warnings): Current => {
    return { ...read, warnings: [...read.warnings, ...more ?? []] };
  };
  let current = withWarnings(loaded);
  /** What is read, and not committed yet. */
  let next:
    | { readonly loaded: Current } & Pick<PoolChange, "states" | "addresses">
    | undefined;
  return {
    get loaded() {
      return { ...current, pool };
    },
    files: files.flatMap((file) => typeof file === "string" ? [file, ...lockPaths(file)] : []),
    embedding,
    get results() {
      return current.configs.find(({ results }) => results !== undefined)?.results;
    },
    get isComplete() {
      return pool.states.every(({ listing }) => listing !== undefined);
    },
    kind: upstreamKind,
    runner: upstreamRunner(pool, { environment, keepBytes, keepAnsi, also }),
    absent: () => absentFrom(pool),
    load(taken) {
      const names = new Set(taken.map(({ name }) => name));
      const { problems, unreadable, warnings } = next?.loaded ?? current;
      const states = next?.states ?? pool.states;
      const defined = definedIn(states);
      const addresses = next?.addresses ?? pool.addresses;
      const tools = [...toolsOf(defined, names, addresses), ...featuresOf(defined, addresses)];
      const withheld = withheldTools(states);
      return Promise.resolve({ tools, problems, unreadable, warnings, withheld });
    },
    async reload() {
      const read = await readServers(files, options.sandbox ?? false);
      const members = read.members.map((member) => accepted.check(member));
      const change = read.problems.length > 0 ? undefined : await pool.change(members);
      const states = change?.states ?? pool.states;
      const embeddings = embeddingsOf(read.configs, environment);
      const replaceEmbedder = await embedding.change(embeddings);
      const more = [...accepted.warnings(read.locks), ...embeddings?.warnings ?? []];
      const reread = withWarnings(loadedOf(read, states), more);
      next = { loaded: reread, states, addresses: change?.addresses ?? pool.addresses };
      return {
        commit() {
          accepted.add(members);
          change?.commit();
          replaceEmbedder();
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
    onLog: (onLog, owner) => pool.logs.add(onLog, owner),
    subscribe(onChange) {
      const changed = () => {
        for (const text of withheld().filter((text) => !said.has(text))) {
          log("warning", text);
          said.add(text);
        }
        onChange();
      };
      pool.onChange(changed);
      pool.goLive();
    },
  };
}

function absentFrom(pool: UpstreamPool): AbsentOwner[] {
  const unknown = pool.states.filter(({ listing, isMoved }) => listing === undefined || isMoved);
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
