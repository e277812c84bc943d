/**
 * START HERE for start-up: locate → load each source → policy → index. Everything before the first
 * call, in the order it happens, and the end of what was opened for it.
 */

import { type CallContext, callContext, type CallSettings, exchangeIndex } from "./call/context.ts";
import { closeAudit, openAudit } from "./call/open_audit.ts";
import { heldAgain, turnsOf } from "./catalogue_changes.ts";
import { type Narrow, narrowed } from "./holding.ts";
import type { ResultFormat } from "./catalog/compact.ts";
import type { Embedder } from "./catalog/meaning/embedder.ts";
import { ToolIndex } from "./catalog/tool_index.ts";
import { watchFiles } from "./watch.ts";
import type { Environment } from "./document/expand.ts";
import type { NamedText } from "./document/text_file.ts";
import { ClimaxError, ExitCode, formatProblem } from "./errors.ts";
import { log } from "./log.ts";
import { type AllNeeds, needsOf, runnersWithTools, type SessionNeedsOptions } from "./needs.ts";
import type { PolicyResult } from "./policy/load.ts";
import { atHand, holdByPolicy } from "./policy/step.ts";
import { requiredVariable } from "./process/environment.ts";
import { loadConfigs, type LoadedConfigs } from "./sources/command/load.ts";
import { commandRunner } from "./sources/command/runner.ts";
import { commandKind } from "./sources/command/source.ts";
import { plural } from "./text/plural.ts";
import type { UpstreamWing } from "./sources/upstream/wing.ts";
import type { Runners } from "./tool/runner.ts";
import type { Owner, Tool } from "./tool/tool.ts";

/** What to start with. */
export interface SessionOptions {
  /** Bundled names, paths and texts at hand, in the order they are merged. */
  readonly configs: readonly (string | NamedText)[];
  /** Configs of MCP servers, whose tools join those of `configs`. */
  readonly mcp?: readonly (string | NamedText)[] | undefined;
  /** Milliseconds to wait for servers that nothing is known of. @default as long as they may take */
  readonly patienceMs?: number | undefined;
  /** Whether MCP servers are asked for their tools, whatever is known of them. @default false */
  readonly askServers?: boolean | undefined;
  /** Path or text of a policy; absent: every tool may be called with any arguments. */
  readonly policy?: string | NamedText | undefined;
  /** Whether a tool that the policy names and no config has is an error. @default false */
  readonly strict?: boolean | undefined;
  /** Whether warnings have advice on configs too. @default false */
  readonly thorough?: boolean | undefined;
  /** Path of requests that a language model wrote for tools, which are searched too. */
  readonly examples?: string | undefined;
  /** Leaves less than the policy does, before anything else sees the tools. */
  readonly narrow?: Narrow | undefined;
  /** Path of the audit log. */
  readonly audit?: string | undefined;
  readonly calls?: Partial<CallSettings> | undefined;
  /** Whether configs and policy are loaded anew when their files change. @default false */
  readonly watch?: boolean | undefined;
  /** What agents read of tools. @default as the policy says, or the config, or else contract */
  readonly results?: ResultFormat | undefined;
}

/** A catalogue ready to be served and called. */
export interface Session extends CallContext, AsyncDisposable {
  /**
   * The permissions that serving it takes.
   *
   * @throws {ClimaxError} when a program that is to be named by its path cannot be found
   */
  needs(options?: SessionNeedsOptions): Promise<AllNeeds>;
  /**
   * From now on the catalogue follows its servers: what they have news of is held by the policy and
   * exchanged as a whole. To be called behind the first answer.
   */
  goLive(): void;
  /**
   * From now on `context`, the session itself if it is none of its parts, is searched by meaning too
   * where a config names a server for embeddings. Resolves when its tools are embedded, or that failed.
   */
  searchByMeaning(context?: CallContext): Promise<void>;
  /** Ends everything that the session opened; resolves when it is gone. */
  close(): Promise<void>;
}

/**
 * Opens a session, all or nothing. Doubts that do not keep it from opening are logged.
 *
 * @throws {ClimaxError} with every problem of every config and of the policy when there is one
 */
export async function openSession(options: SessionOptions): Promise<Session> {
  const enriched = options.examples === undefined
    ? undefined
    : await (await import("./catalog/written_examples.ts")).enriching(options.examples);
  const loaded = await loadTools(options);
  const { tools, runners, problems, warnings } = loaded;
  if (problems.length > 0) {
    await loaded.close();
    const count = plural(problems.length, "problem");
    throw new ClimaxError(`Nothing was loaded: ${count}`, ExitCode.file, problems);
  }
  const audit = await openAudit(options.audit, loaded.close);
  for (const warning of warnings) log("warning", formatProblem(warning));
  for (const [runner, own] of runnersWithTools(loaded)) runner.start?.(own);
  const { concurrency } = options.calls ?? {};
  const indexOf = (some: readonly Tool[]) => {
    return new ToolIndex(enriched?.(some) ?? some, loaded.absent());
  };
  const results = options.results ?? loaded.results;
  const context = callContext(indexOf(tools), { runners, concurrency, audit, results });
  const take = (some: readonly Tool[]) => exchangeIndex(session, indexOf(some));
  const files = options.watch ? { configs: loaded.files, policy: options.policy } : { configs: [] };
  const unwatch = await watchFiles(files, context.gate, () => loaded.reload(take));
  const end = async () => {
    unwatch();
    await loaded.close();
    closeAudit(audit, options.audit);
  };
  let ending: Promise<void> | undefined;
  const close = () => ending ??= end();
  const session: Session = {
    ...context,
    needs: (asked) => needsOf(loaded, options, asked),
    goLive: () => loaded.follow(take),
    searchByMeaning: async (context = session) => await loaded.embedder?.follow(context),
    close,
    [Symbol.asyncDispose]: close,
  };
  return session;
}

/** The tools that configs and policy come to, with everything that is wrong or doubtful. */
export interface LoadedTools extends PolicyResult {
  /** What carries out the calls of the tools. */
  readonly runners: Runners;
  /** What has catalogues embedded, where there is a server for that. */
  readonly embedder: Embedder | undefined;
  /** Ends whatever was opened. */
  close(): Promise<void>;
  /** What would have tools if it answered; nobody hears of it under a policy, which may not want it. */
  absent(): readonly Owner[];
  /** Has `take` given the tools anew, the policy applied, whenever a source has others. */
  follow(take: Take): void;
  /**
   * Loads configs and policy anew, and gives `take` what they come to. What was named stands for the
   * files that it was at the start. All or nothing: with a problem, everything stays as it is.
   */
  reload(take: Take): Promise<Reloaded>;
  /** Names of the environment variables that were looked up. */
  readonly variables: ReadonlySet<string>;
  /** Paths of the configs that were read from files. */
  readonly files: readonly string[];
}

type Take = (tools: readonly Tool[]) => void;

type Reloaded = Pick<PolicyResult, "problems" | "warnings">;

/** Loads every source and the policy; the policy sees the tools before anything else does. */
export async function loadTools(options: SessionOptions): Promise<LoadedTools> {
  const variables = new Set<string>();
  const environment: Environment = (name) => {
    variables.add(name);
    return requiredVariable(name);
  };
  const upstream = await loadServers(options, environment);
  const load = async (specs: SessionOptions["configs"]) => {
    const configs = await loadConfigs(specs, environment, options);
    const loaded = upstream === undefined ? configs : withServers(configs, upstream);
    const policy = await atHand(options.policy);
    // What a server that has not answered would have is not known
    const strict = options.strict && upstream?.isComplete !== false;
    const held = await holdByPolicy(loaded, { policy, strict }, environment);
    const left = await narrowed(held, options.narrow);
    const leftNames = new Set(left.tools.map(({ name }) => name));
    const gone = new Set(held.tools.map(({ name }) => name).filter((name) => !leftNames.has(name)));
    return { configs, policy, left, gone };
  };
  let now = await load(options.configs);
  const { left, configs: { pinned, files, foundBy } } = now;
  for (const name of foundBy) variables.add(name);
  const runnerOf = ({ executor }: PolicyResult) => commandRunner({ ...options.calls, executor });
  const runners = new Map([
    [commandKind, runnerOf(left)],
    ...(upstream === undefined ? [] : [upstream.runner]),
  ]);
  const inTurn = turnsOf(left.tools);
  const embedder = upstream?.embedder;
  return {
    ...upstream?.settings,
    ...left,
    embedder,
    variables,
    files,
    runners,
    absent: () => now.policy === undefined ? upstream?.absent() ?? [] : [],
    async close() {
      embedder?.close();
      await Promise.all([...runners.values()].map((each) => each.close()));
    },
    follow(take) {
      if (upstream === undefined) return;
      const { pool } = upstream.loaded;
      pool.onChange(() => {
        void inTurn(async (before) => {
          const { configs, policy, gone } = now;
          const tools = upstream.withTools(configs.tools).filter(({ name }) => !gone.has(name));
          const next = await heldAgain(tools, before, (each) => {
            return holdByPolicy({ ...configs, tools: each }, { policy }, environment);
          });
          take(next);
          return next;
        });
      });
      pool.goLive();
    },
    async reload(take) {
      let reloaded: Reloaded = { problems: [], warnings: [] };
      await inTurn(async (before) => {
        const next = await load(pinned);
        const { tools, problems, warnings } = next.left;
        reloaded = { problems, warnings };
        if (problems.length > 0) return before;
        const runner = runnerOf(next.left);
        runner.start?.(tools.filter(({ source }) => source.kind === commandKind));
        // Nothing is awaited from here on: a call sees all of it, or nothing
        now = next;
        runners.set(commandKind, runner);
        take(tools);
        return tools;
      });
      return reloaded;
    },
  };
}

/** Commands and servers together. */
function withServers(configs: LoadedConfigs, { withTools, loaded }: UpstreamWing) {
  return {
    tools: withTools(configs.tools),
    problems: [...configs.problems, ...loaded.problems],
    unreadable: configs.unreadable || loaded.unreadable,
    warnings: [...configs.warnings, ...loaded.warnings],
  };
}

/** The wing of MCP servers, which a start without any does not load. */
async function loadServers(
  { mcp = [], patienceMs, askServers: ask, calls }: SessionOptions,
  environment: Environment,
): Promise<UpstreamWing | undefined> {
  if (mcp.length === 0) return undefined;
  const { openUpstream } = await import("./sources/upstream/wing.ts");
  return await openUpstream(mcp, environment, { patienceMs, ask, keepBytes: calls?.keepBytes });
}
