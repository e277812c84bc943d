/**
 * Loads the tools of a session: sources → policy → filter, at the start and again when files or servers have
 * changed.
 */

import type { Outputs } from "../jobs/outputs.ts";
import type { Environment } from "../files/expand.ts";
import type { FeatureServices } from "../call/context.ts";
import type { Catalog } from "../catalog/catalog.ts";
import type { ResultFormat } from "../catalog/compact.ts";
import type { ToolTable } from "../catalog/tool_table.ts";
import type { LoadResult, ToolSource } from "../sources/source.ts";
import { openSources, type SourceOptions } from "./sources.ts";
import { featureServices } from "./features.ts";
import { foregroundWarning } from "./foreground_warning.ts";
import { explainWithheld } from "./explain_withheld.ts";
import { reapplyPolicy } from "./reapply_policy.ts";
import { applyFilter, type FilteredTools } from "./tool_filter.ts";
import type { PolicyResult } from "../policy/load.ts";
import { applyPolicyFile, type PolicyStep, readPolicyText } from "../policy/policy_file.ts";
import { requiredVariable } from "../process/environment.ts";
import type { Runners } from "../tool/runner.ts";
import { isFeature } from "../tool/feature.ts";
import type { AbsentOwner } from "../tool/owner.ts";
import { isBuiltin, type Tool } from "../tool/tool.ts";

/** The tools that result from configs and policy, with all problems and warnings. */
export interface LoadedTools extends PolicyResult {
  /** The format of search results that the policy has now, or else a config of servers. */
  resultFormat(): ResultFormat | undefined;
  /** The runners of the tools, by kind of source. */
  readonly runners: Runners;
  /** The store of outputs that are too long for a result. */
  readonly outputs: Outputs | undefined;
  /** The built-in tools that the policy allows and that have something to read. */
  builtin(): readonly Tool[];
  /** Embeds `catalog` from now on, if a config names a server for that. Resolves when that was tried once. */
  searchByMeaning(catalog: Catalog): Promise<void>;
  /** Closes everything that was opened. */
  close(): Promise<void>;
  /** Owners without an answer, whose tools are unknown; under a policy, those of which it may serve a tool. */
  absent(): readonly AbsentOwner[];
  /** The prompts and resources that the policy allows; `tools` has none of them. */
  readonly features: readonly Tool[];
  /** What calls of prompts and resources take; absent if no source has any. */
  featuresOf(index: () => ToolTable): FeatureServices | undefined;
  /**
   * The answer to a call of a tool that is withheld because a person has not accepted it as it is; nothing for others,
   * and for a tool that the policy would not serve either.
   */
  explainWithheld(name: string): Promise<string | undefined>;
  /** Updates `catalog` under the policy whenever the tools of a source have update. */
  follow(catalog: Catalog): void;
  /**
   * Loads configs and policy again and updates `catalog`. Names of configs still mean the files of the start.
   * All or nothing: with a problem, everything stays the same.
   */
  reload(catalog: Catalog): Promise<Reloaded>;
  readonly variables: ReadonlySet<string>;
  /** Paths of the configs and kept scripts, and their folders; bundled configs have none. */
  readonly files: readonly string[];
  /** Paths of the configs of MCP servers, and of their locks. */
  readonly serverFiles: readonly string[];
}

type Reloaded = Pick<PolicyResult, "problems" | "warnings">;

/** Loads every source and the policy. Nothing but the policy sees the tools that it denies. */
export async function loadTools(options: SourceOptions): Promise<LoadedTools> {
  const variables = new Set<string>();
  const environment: Environment = (name) => {
    variables.add(name);
    return requiredVariable(name);
  };
  const sources = await openSources(options, environment);
  const { commands, upstream, scripts, builtin } = sources;
  const absent = () => upstream?.absent() ?? [];
  let snapshot = await loadSnapshot(sources.all, { ...options, absent }, environment);
  for (const name of [...commands.foundBy, ...scripts.foundBy]) variables.add(name);
  builtin.open(
    snapshot.builtin,
    snapshot.result.problems.length === 0 ? options.outputs : undefined,
  );
  commands.useExecutor(snapshot.result.executor);
  const runners = new Map(sources.all.map(({ kind, runner }) => [kind, runner] as const));

  /** `tool`, which no list has, as the policy leaves it. */
  const allow = async (tool: Tool) => {
    const alone = { tools: [tool], problems: [], unreadable: false, warnings: [] };
    return (await applyOver(alone, { policy: snapshot.policy }, environment)).result.tools[0];
  };

  /** Updates the catalogue after one source has update. */
  const update = (source: ToolSource, catalog: Catalog) =>
    catalog.update(async (before) => {
      const loaded = await loadSource(source, snapshot.loaded);
      const all = merged(loaded);
      const removed = new Set(snapshot.result.withheld.map(({ tool }) => tool.name));
      const tools = all.tools.filter(({ name }) => !removed.has(name));
      const next = await reapplyPolicy(tools, before, async (each) => {
        const step = { policy: snapshot.policy, absent: absent() };
        return (await applyOver({ ...all, tools: each }, step, environment)).result;
      });
      return { tools: next, commit: () => snapshot = { ...snapshot, loaded } };
    });
  return {
    ...snapshot.result,
    resultFormat: () => snapshot.result.results ?? upstream?.results,
    tools: snapshot.result.tools.filter((tool) => !isFeature(tool)),
    features: snapshot.result.tools.filter(isFeature),
    searchByMeaning: async (catalog) => await upstream?.embedding.follow(catalog),
    variables,
    get files() {
      return [...commands.files, ...scripts.files];
    },
    serverFiles: upstream?.files ?? [],
    runners,
    outputs: builtin.outputs,
    builtin: () => builtin.usable(snapshot.builtin),
    absent: () => {
      const { admits = () => snapshot.policy === undefined } = snapshot.result;
      return absent().filter(admits);
    },
    async close() {
      upstream?.embedding.close();
      await Promise.all([...runners.values()].map((each) => each.close()));
    },
    featuresOf: (index) => featureServices(sources.all, index, allow),
    explainWithheld: (name) => explainWithheld(name, { ...snapshot, allow }),
    follow(catalog) {
      for (const source of sources.all) {
        source.subscribe?.(() => void update(source, catalog));
      }
    },
    async reload(catalog) {
      let reloaded: Reloaded = { problems: [], warnings: [] };
      await catalog.update(async () => {
        const change = await upstream?.reload();
        const again = upstream === undefined ? [commands] : [commands, upstream];
        const next = await loadSnapshot(
          again,
          { ...options, absent },
          environment,
          snapshot.loaded,
        ).catch((error) => {
          change?.discard();
          throw error;
        });
        const { tools, problems, warnings, executor } = next.result;
        reloaded = { problems, warnings };
        if (problems.length > 0) {
          change?.discard();
          return undefined;
        }
        const runner = commands.useExecutor(executor);
        runner.start?.(tools.filter(({ source }) => source.kind === commands.kind));
        // A call sees either the old state or the new one
        const commit = () => {
          snapshot = next;
          change?.commit();
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

/** Everything that was loaded at one moment. */
interface Snapshot {
  readonly loaded: LoadedSources;
  /** The text of the policy as it was read; the file is not read again. */
  readonly policy: SourceOptions["policy"];
  /** The tools that the policy and then the filter allow, without built-in ones. */
  readonly result: PolicyResult & Pick<FilteredTools, "withheld">;
  /** The built-in tools that the policy allows. */
  readonly builtin: readonly Tool[];
}

/** Loads `sources`, keeps the tools of the others from `before`, and applies the policy and the filter. */
async function loadSnapshot(
  sources: readonly ToolSource[],
  options: SourceOptions & { readonly absent: () => readonly AbsentOwner[] },
  environment: Environment,
  before: LoadedSources = new Map(),
): Promise<Snapshot> {
  let loaded = before;
  for (const source of sources) loaded = await loadSource(source, loaded);
  const policy = await readPolicyText(options.policy);
  // The tools of a server that has not answered are unknown
  const isComplete = [...loaded.keys()].every((source) => source.isComplete !== false);
  const strict = options.strict && isComplete;
  const { result, builtin } = await applyOver(merged(loaded), {
    policy,
    strict,
    absent: options.absent(),
    sandbox: options.sandbox,
  }, environment);
  const isAsked = options.jobs !== undefined || options.thorough === true;
  const hints = isAsked ? foregroundWarning([...result.tools, ...builtin], policy) : [];
  const warnings = [...result.warnings, ...hints];
  const filtered = await applyFilter({ ...result, warnings }, options.narrow);
  return { loaded, policy, result: filtered, builtin };
}

/** Loads `source` again, and the sources after it: a name belongs to the first source that has it. */
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

function merged(loaded: LoadedSources): LoadResult {
  const results = [...loaded.values()];
  return {
    tools: results.flatMap(({ tools }) => tools),
    problems: results.flatMap(({ problems }) => problems),
    unreadable: results.some(({ unreadable }) => unreadable),
    warnings: results.flatMap(({ warnings }) => warnings),
    withheld: results.flatMap(({ withheld = [] }) => withheld),
  };
}

/** Applies the policy, and separates the built-in tools. */
async function applyOver(
  loaded: LoadResult,
  step: PolicyStep,
  environment: Environment,
): Promise<{ readonly result: PolicyResult; readonly builtin: readonly Tool[] }> {
  // A policy may name built-in tools even while they have nothing to read
  const { withheld, ...others } = loaded;
  const result = await applyPolicyFile(others, { ...step, withheld }, environment);
  const tools = result.tools.filter((tool) => !isBuiltin(tool));
  return { result: { ...result, tools }, builtin: result.tools.filter(isBuiltin) };
}
