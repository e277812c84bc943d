/**
 * Everything that is loaded before a session is one: sources → built-in tools → policy → what a person
 * leaves of it, and the same again when files or servers have changed.
 */

import type { Embedder } from "./catalog/meaning/embedder.ts";
import { type CallSettings, defaultCallSettings } from "./call/context.ts";
import { type Jobs, resultTool, statusTool } from "./call/jobs.ts";
import type { OutputStore } from "./call/outputs.ts";
import { heldAgain, turnsOf } from "./catalogue_changes.ts";
import type { Problem } from "./errors.ts";
import type { Environment } from "./document/expand.ts";
import type { NamedText } from "./text/named_text.ts";
import { type Narrow, narrowed } from "./holding.ts";
import type { PolicyResult } from "./policy/load.ts";
import { atHand, holdByPolicy, type PolicyStep } from "./policy/step.ts";
import { requiredVariable } from "./process/environment.ts";
import { builtinTools } from "./sources/builtin/tools.ts";
import { openBuiltin, type OutputPlan } from "./sources/builtin/wing.ts";
import { loadConfigs, type LoadedConfigs } from "./sources/command/load.ts";
import { commandRunner } from "./sources/command/runner.ts";
import { commandKind } from "./sources/command/source.ts";
import type { UpstreamWing } from "./sources/upstream/wing.ts";
import type { Runners } from "./tool/runner.ts";
import { isBuiltin, type Owner, type Tool } from "./tool/tool.ts";

/** What to load. */
export interface LoadOptions {
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
  /** Leaves less than the policy does, before anything else sees the tools. */
  readonly narrow?: Narrow | undefined;
  readonly calls?: Partial<CallSettings> | undefined;
  /** Whether outputs that are too long for a result are kept, and read by tools of their own. */
  readonly outputs?: OutputPlan;
  /** Where calls go on behind their answers; absent: all of them are waited for. */
  readonly jobs?: Jobs | undefined;
}

/** The tools that configs and policy come to, with everything that is wrong or doubtful. */
export interface LoadedTools extends PolicyResult {
  /** What carries out the calls of the tools. */
  readonly runners: Runners;
  /** Where outputs are kept that are too long for a result. */
  readonly outputs: OutputStore | undefined;
  /** The built-in tools that the policy leaves, shown as soon as there is something to read. */
  builtin(): readonly Tool[];
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
export async function loadTools(options: LoadOptions): Promise<LoadedTools> {
  const variables = new Set<string>();
  const environment: Environment = (name) => {
    variables.add(name);
    return requiredVariable(name);
  };
  const upstream = await loadServers(options, environment);
  const around = { options, upstream, environment };
  let now = await loadMoment(options.configs, around);
  const { left, configs: { pinned, files, foundBy } } = now;
  for (const name of foundBy) variables.add(name);
  const { maxResultTokens } = { ...defaultCallSettings, ...options.calls };
  const plan = left.problems.length === 0 ? options.outputs : undefined;
  const builtin = openBuiltin(now.builtin, { plan, jobs: options.jobs, maxResultTokens });
  const { outputs } = builtin;
  const spool = outputs && ((owner?: string) => outputs.spool(owner));
  const runnerOf = ({ executor }: PolicyResult) => {
    return commandRunner({ ...options.calls, executor, spool });
  };
  const runners = new Map([
    [commandKind, runnerOf(left)],
    builtin.runner,
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
    outputs,
    builtin: () => builtin.usable(now.builtin),
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
          const next = await heldAgain(tools, before, async (each) => {
            return (await hold({ ...configs, tools: each }, { policy }, environment)).held;
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
        const next = await loadMoment(pinned, around);
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

/** What is loaded, as it is at one moment. */
interface Moment {
  readonly configs: LoadedConfigs;
  /** As it was read, so that nobody reads it again. */
  readonly policy: LoadOptions["policy"];
  /** What the policy leaves, and then a person, the built-in tools apart. */
  readonly left: PolicyResult;
  /** Names of the tools that the person took away. */
  readonly gone: ReadonlySet<string>;
  /** The built-in tools that the policy leaves. */
  readonly builtin: readonly Tool[];
}

/** What stays the same from one moment to the next. */
interface Around {
  readonly options: LoadOptions;
  readonly upstream: UpstreamWing | undefined;
  readonly environment: Environment;
}

/** Loads what `specs` stand for, puts the servers' tools to it, and holds all of it. */
async function loadMoment(
  specs: LoadOptions["configs"],
  { options, upstream, environment }: Around,
): Promise<Moment> {
  const configs = await loadConfigs(specs, environment, options);
  const loaded = upstream === undefined ? configs : withServers(configs, upstream);
  const policy = await atHand(options.policy);
  // What a server that has not answered would have is not known
  const strict = options.strict && upstream?.isComplete !== false;
  const { held, builtin } = await hold(loaded, { policy, strict }, environment);
  const isAsked = options.jobs !== undefined || options.thorough === true;
  const doubts = isAsked ? waitedFor([...held.tools, ...builtin], policy) : [];
  const warnings = [...held.warnings, ...doubts];
  const left = await narrowed({ ...held, warnings }, options.narrow);
  const leftNames = new Set(left.tools.map(({ name }) => name));
  const gone = new Set(held.tools.map(({ name }) => name).filter((name) => !leftNames.has(name)));
  return { configs, policy, left, gone, builtin };
}

/** What the policy leaves of what was `loaded`, and apart from it, of the built-in tools. */
async function hold(
  loaded: Parameters<typeof holdByPolicy>[0],
  step: PolicyStep,
  environment: Environment,
): Promise<{ readonly held: PolicyResult; readonly builtin: readonly Tool[] }> {
  // It may name the built-in ones whether or not there is any use for them
  const all = { ...loaded, tools: [...loaded.tools, ...builtinTools(loaded.tools)] };
  const held = await holdByPolicy(all, step, environment);
  const tools = held.tools.filter((tool) => !isBuiltin(tool));
  return { held: { ...held, tools }, builtin: held.tools.filter(isBuiltin) };
}

/** What a policy has be waited for, though the config says otherwise. */
function waitedFor(tools: readonly Tool[], policy: LoadOptions["policy"]): Problem[] {
  const names = new Set(tools.filter(isBuiltin).map(({ name }) => name));
  const missing = [statusTool, resultTool].filter((name) => !names.has(name));
  const tool = tools.find(({ background }) => background);
  if (policy === undefined || tool === undefined || missing.length === 0) return [];
  const file = typeof policy === "string" ? policy : policy.file;
  const message =
    `Calls of '${tool.name}' do not continue in the background, although its config says so`;
  return [{ file, message, hint: `List ${missing.map((name) => `'${name}'`).join(" and ")} too` }];
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
  { mcp = [], patienceMs, askServers: ask, calls }: LoadOptions,
  environment: Environment,
): Promise<UpstreamWing | undefined> {
  if (mcp.length === 0) return undefined;
  const { openUpstream } = await import("./sources/upstream/wing.ts");
  return await openUpstream(mcp, environment, { patienceMs, ask, keepBytes: calls?.keepBytes });
}
