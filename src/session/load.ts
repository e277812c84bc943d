/**
 * The tools of a session: sources → policy → the filter of a person, at the start and again when files or
 * servers have changed.
 */

import type { Embedder } from "../catalog/meaning/embedder.ts";
import { resultTool, statusTool } from "../jobs/jobs.ts";
import type { OutputStore } from "../jobs/outputs.ts";
import type { Problem } from "../errors.ts";
import type { Environment } from "../files/expand.ts";
import type { Catalog } from "../catalog/catalog.ts";
import type { LoadResult, ToolSource } from "../sources/source.ts";
import { openSources, type SourceOptions } from "./sources.ts";
import { reapplyPolicy } from "./reapply_policy.ts";
import { applyFilter } from "./tool_filter.ts";
import type { PolicyResult } from "../policy/load.ts";
import { applyPolicyFile, type PolicyStep, readPolicyText } from "../policy/policy_file.ts";
import { requiredVariable } from "../process/environment.ts";
import type { Runners } from "../tool/runner.ts";
import { isBuiltin, type Owner, type Tool } from "../tool/tool.ts";

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
  /** Updates `catalog`, the policy applied, whenever a source has other tools. */
  follow(catalog: Catalog): void;
  /**
   * Loads configs and policy again and updates `catalog`. Names stand for the files that they were at the
   * start. All or nothing: with a problem, everything stays as it is.
   */
  reload(catalog: Catalog): Promise<Reloaded>;
  /** Names of the environment variables that were looked up. */
  readonly variables: ReadonlySet<string>;
  /** Paths of the configs that were read from files. */
  readonly files: readonly string[];
}

type Reloaded = Pick<PolicyResult, "problems" | "warnings">;

/** Loads every source and the policy; the policy sees the tools before anything else does. */
export async function loadTools(options: SourceOptions): Promise<LoadedTools> {
  const variables = new Set<string>();
  const environment: Environment = (name) => {
    variables.add(name);
    return requiredVariable(name);
  };
  const sources = await openSources(options, environment);
  const { commands, upstream, builtin } = sources;
  let now = await loadSnapshot(sources.all, options, environment);
  for (const name of commands.foundBy) variables.add(name);
  builtin.open(now.builtin, now.held.problems.length === 0 ? options.outputs : undefined);
  commands.useExecutor(now.held.executor);
  const runners = new Map(sources.all.map(({ kind, runner }) => [kind, runner] as const));
  const embedder = upstream?.embedder;

  /** The tools again, after one source has others. */
  const changed = (source: ToolSource, catalog: Catalog) =>
    catalog.update(async (before) => {
      const loaded = await loadSource(source, now.loaded);
      const tools = merged(loaded).tools.filter(({ name }) => !now.gone.has(name));
      const next = await reapplyPolicy(tools, before, async (each) => {
        return (await applyOver({ ...merged(loaded), tools: each }, now, environment)).held;
      });
      return { tools: next, commit: () => now = { ...now, loaded } };
    });
  return {
    ...upstream?.settings,
    ...now.held,
    embedder,
    variables,
    files: commands.files,
    runners,
    outputs: builtin.outputs,
    builtin: () => builtin.usable(now.builtin),
    absent: () => now.policy === undefined ? upstream?.absent() ?? [] : [],
    async close() {
      embedder?.close();
      await Promise.all([...runners.values()].map((each) => each.close()));
    },
    follow(catalog) {
      for (const source of sources.all) {
        source.subscribe?.(() => void changed(source, catalog));
      }
    },
    async reload(catalog) {
      let reloaded: Reloaded = { problems: [], warnings: [] };
      await catalog.update(async () => {
        const next = await loadSnapshot([commands], options, environment, now.loaded);
        const { tools, problems, warnings, executor } = next.held;
        reloaded = { problems, warnings };
        if (problems.length > 0) return undefined;
        const runner = commands.useExecutor(executor);
        runner.start?.(tools.filter(({ source }) => source.kind === commands.kind));
        // A call sees all of it, or nothing
        const commit = () => {
          now = next;
          runners.set(commands.kind, runner);
        };
        return { tools, commit };
      });
      return reloaded;
    },
  };
}

/** The tools of each source, in the order of the sources. */
type LoadedSources = ReadonlyMap<ToolSource, LoadResult>;

/** Everything that was loaded, as it is at one moment. */
interface Snapshot {
  readonly loaded: LoadedSources;
  /** The policy's text as it was read, which nothing reads again. */
  readonly policy: SourceOptions["policy"];
  /** The tools that the policy leaves, and then a person, the built-in ones apart. */
  readonly held: PolicyResult;
  /** Names of the tools that the person took away. */
  readonly gone: ReadonlySet<string>;
  /** The built-in tools that the policy leaves. */
  readonly builtin: readonly Tool[];
}

/** Loads `sources`, with `before` of the others, and applies the policy and the filter. */
async function loadSnapshot(
  sources: readonly ToolSource[],
  options: SourceOptions,
  environment: Environment,
  before: LoadedSources = new Map(),
): Promise<Snapshot> {
  let loaded = before;
  for (const source of sources) loaded = await loadSource(source, loaded);
  const policy = await readPolicyText(options.policy);
  // What a server that has not answered would have is not known
  const isComplete = [...loaded.keys()].every((source) => source.isComplete !== false);
  const strict = options.strict && isComplete;
  const { held, builtin } = await applyOver(merged(loaded), { policy, strict }, environment);
  const isAsked = options.jobs !== undefined || options.thorough === true;
  const doubts = isAsked ? waitedFor([...held.tools, ...builtin], policy) : [];
  const warnings = [...held.warnings, ...doubts];
  const left = await applyFilter({ ...held, warnings }, options.narrow);
  const leftNames = new Set(left.tools.map(({ name }) => name));
  const gone = new Set(held.tools.map(({ name }) => name).filter((name) => !leftNames.has(name)));
  return { loaded, policy, held: left, gone, builtin };
}

/** `loaded` with the tools that `source` has now; those of the sources after it give way to them. */
async function loadSource(source: ToolSource, loaded: LoadedSources): Promise<LoadedSources> {
  const sources = loaded.has(source) ? [...loaded.keys()] : [...loaded.keys(), source];
  const next = new Map<ToolSource, LoadResult>();
  for (const each of sources) {
    const isLater = next.has(source);
    const known = loaded.get(each);
    const taken = merged(next).tools;
    next.set(
      each,
      known === undefined || each === source || isLater ? await each.load(taken) : known,
    );
  }
  return next;
}

/** The tools of all sources together. */
function merged(loaded: LoadedSources): LoadResult {
  const results = [...loaded.values()];
  return {
    tools: results.flatMap(({ tools }) => tools),
    problems: results.flatMap(({ problems }) => problems),
    unreadable: results.some(({ unreadable }) => unreadable),
    warnings: results.flatMap(({ warnings }) => warnings),
  };
}

/** The tools that the policy leaves of `loaded`, the built-in ones apart. */
async function applyOver(
  loaded: LoadResult,
  { policy, strict }: PolicyStep,
  environment: Environment,
): Promise<{ readonly held: PolicyResult; readonly builtin: readonly Tool[] }> {
  // It may name the built-in ones whether or not there is any use for them
  const held = await applyPolicyFile(loaded, { policy, strict }, environment);
  const tools = held.tools.filter((tool) => !isBuiltin(tool));
  return { held: { ...held, tools }, builtin: held.tools.filter(isBuiltin) };
}

/** What a policy has be waited for, though the config says otherwise. */
function waitedFor(tools: readonly Tool[], policy: SourceOptions["policy"]): Problem[] {
  const names = new Set(tools.filter(isBuiltin).map(({ name }) => name));
  const missing = [statusTool, resultTool].filter((name) => !names.has(name));
  const tool = tools.find(({ background }) => background);
  if (policy === undefined || tool === undefined || missing.length === 0) return [];
  const file = typeof policy === "string" ? policy : policy.file;
  const message =
    `Calls of '${tool.name}' do not continue in the background, although its config says so`;
  return [{ file, message, hint: `List ${missing.map((name) => `'${name}'`).join(" and ")} too` }];
}
