/** START HERE for MCP servers: loads their configs, and is the source of their tools for a session. */

import type { Clock } from "../../async/clock.ts";
import type { ResultFormat } from "../../catalog/compact.ts";
import type { Environment } from "../../files/expand.ts";
import type { NamedText } from "../../text/named_text.ts";
import type { AbsentOwner, Tool } from "../../tool/tool.ts";
import type { Runner } from "../../tool/runner.ts";
import { openEmbedder } from "../project_embeddings.ts";
import type { LoadResult, SourceChange, ToolSource } from "../source.ts";
import { featuresOf, findFeature } from "./features.ts";
import { lockPaths, ServedServers } from "./lock.ts";
import { trustFile } from "../../trust/accepted.ts";
import { type LoadedUpstream, namesakesOf, readServers, toLoaded, withheldTools } from "./load.ts";
import { servedDefinitions } from "./_pool_members.ts";
import { type PoolChange, UpstreamPool } from "./pool.ts";
import { upstreamRunner, type UpstreamRunnerOptions } from "./runner.ts";
import { toolPrefix, toolsOf } from "./tools.ts";
import { upstreamKind, upstreamSourceOf } from "./spec.ts";

interface UpstreamOptions extends Omit<UpstreamRunnerOptions, "environment" | "embeds"> {
  /** A start waits this many milliseconds for servers that are not in the cache. @default until they answer or fail */
  readonly patienceMs?: number | undefined;
  readonly ask?: boolean | undefined;
  readonly sandbox?: boolean | undefined;
  readonly clock?: Clock | undefined;
  /**
   * True if a policy is used: its rules tell a server and a config apart only by name, so the names must differ.
   * @default false
   */
  readonly hasPolicy?: boolean | undefined;
  readonly beforeStart?: (() => Promise<void>) | undefined;
}

export async function openUpstream(
  files: readonly (string | NamedText)[],
  environment: Environment,
  options: UpstreamOptions,
): Promise<UpstreamToolSource> {
  const { patienceMs, ask = false, sandbox = false, clock, hasPolicy = false } = options;
  const read = await readServers(files, sandbox);
  const { beforeStart } = options;
  const opening = { environment, patienceMs, useCache: !ask, clock, beforeStart };
  const pool = await UpstreamPool.open(read.members, opening);
  const { embedder, warnings } = await openEmbedder(read.configs, environment, clock);
  const loaded = toLoaded(read, pool.states, warnings);
  const embeds = embedder !== undefined;
  const runner = upstreamRunner(pool, { ...options, environment, embeds });
  return new UpstreamToolSource({ files, sandbox, hasPolicy, pool, loaded, embedder, runner });
}

interface OpenedUpstream {
  readonly files: readonly (string | NamedText)[];
  readonly sandbox: boolean;
  readonly hasPolicy: boolean;
  readonly pool: UpstreamPool;
  readonly loaded: LoadedUpstream;
  readonly embedder: ToolSource["embedding"];
  readonly runner: Runner;
}

export class UpstreamToolSource implements ToolSource {
  readonly kind = upstreamKind;
  readonly runner: Runner;
  readonly files: readonly string[];
  readonly embedding: ToolSource["embedding"];
  readonly #pool: UpstreamPool;
  readonly #served = new ServedServers();
  #loaded: LoadedUpstream;
  #next: Pick<PoolChange, "states" | "addresses"> & { readonly loaded: LoadedUpstream } | undefined;

  constructor(private readonly opened: OpenedUpstream) {
    const { files, pool, loaded } = opened;
    this.#pool = pool;
    this.#loaded = loaded;
    this.runner = opened.runner;
    this.embedding = opened.embedder;
    this.files = files.flatMap((file) =>
      typeof file === "string" ? [file, ...lockPaths(file), trustFile() ?? []].flat() : []
    );
    this.#served.add(pool.states);
  }

  get loaded(): LoadedUpstream {
    return this.#loaded;
  }

  get results(): ResultFormat | undefined {
    return this.#loaded.configs.find(({ results }) => results !== undefined)?.results;
  }

  get isComplete(): boolean {
    return this.#pool.states.every(({ listing }) => listing !== undefined);
  }

  absent(): readonly AbsentOwner[] {
    const pool = this.#pool;
    const unknown = pool.states.filter(({ listing, isMoved }) => listing === undefined || isMoved);
    return unknown.map(({ spec: { name }, failure, isMoved }) => ({
      name,
      description: "",
      tags: [],
      isServer: true,
      prefix: toolPrefix(name),
      hasFailed: failure !== undefined || isMoved,
      explain: () => pool.absence(name),
      retry: () => pool.retry(name),
    }));
  }

  load(taken: readonly Tool[]): Promise<LoadResult> {
    const names = new Set(taken.map(({ name }) => name));
    const { states, addresses } = this.#next ?? this.#pool;
    const defined = servedDefinitions(states);
    const tools = [...toolsOf(defined, names, addresses), ...featuresOf(defined, addresses)];
    const { unreadable, warnings, ...loaded } = this.#next?.loaded ?? this.#loaded;
    const namesakes = this.opened.hasPolicy ? namesakesOf(states, taken) : [];
    const problems = [...loaded.problems, ...namesakes];
    const withheld = withheldTools(states);
    return Promise.resolve({ tools, problems, unreadable, warnings, withheld });
  }

  /** Reads the files again. Until the commit, new servers are not started and removed servers run on. */
  async reload(): Promise<SourceChange> {
    const { files, sandbox } = this.opened;
    const read = await readServers(files, sandbox);
    const members = read.members.map((member) => this.#served.check(member));
    const change = read.problems.length > 0 ? undefined : await this.#pool.change(members);
    const { states, addresses } = change ?? this.#pool;
    const loaded = toLoaded(read, states, this.#served.warnings(read.locks));
    this.#next = { loaded, states, addresses };
    return {
      commit: () => {
        this.#served.add(members);
        change?.commit();
        this.#loaded = loaded;
        this.#next = undefined;
      },
      discard: () => void (this.#next = undefined),
    };
  }

  findFeature(name: string, args: unknown, listed: (name: string) => Tool | undefined) {
    return findFeature(this.#pool, { name, args }, listed);
  }

  async subscribeResource(tool: Tool, onUpdate: () => void, owner: string | undefined) {
    const { server, tool: uri } = upstreamSourceOf(tool);
    return await this.#pool.forSubscription(server, owner)?.subscribe(uri, onUpdate, owner);
  }

  subscribe(onChange: () => void): void {
    this.#pool.goLive(onChange);
  }
}
