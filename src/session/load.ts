/** Loads the tools of a session: sources → policy → filter. */

import type { FeatureServices } from "../call/context.ts";
import type { Catalog } from "../catalog/catalog.ts";
import type { ResultFormat } from "../catalog/compact.ts";
import type { ToolTable, Uncallable } from "../catalog/tool_table.ts";
import { formatProblem, messageOf, type Problem } from "../errors.ts";
import { log } from "../log.ts";
import type { PolicyResult } from "../policy/load.ts";
import { isPolicyName } from "../policy/locate.ts";
import { applyPolicyFile, type PolicyStep, readPolicyText } from "../policy/policy_file.ts";
import { requireVariable } from "../process/environment.ts";
import { climax } from "../process/own_command.ts";
import type { LoadResult, ToolSource } from "../sources/source.ts";
import { isFeature } from "../tool/feature.ts";
import { type AbsentOwner, isBuiltin, type Tool, type WithheldTool } from "../tool/tool.ts";
import type { Runner } from "../tool/runner.ts";
import {
  applyFilter,
  type FilteredTools,
  openSources,
  type SourceOptions,
  withConfinement,
  withOutside,
} from "./sources.ts";

export async function loadTools(options: SourceOptions): Promise<LoadedSession> {
  const sources = await openSources(options, requireVariable, async (others) => {
    const loaded = await loadSnapshot(others, { ...options, narrow: undefined });
    startPrograms(others, loaded.result);
  });
  const snapshot = await loadSnapshot(sources, options);
  return new LoadedSession(sources, snapshot, options);
}

type Reloaded = Pick<PolicyResult, "problems" | "warnings">;

/** The tools of all sources that the policy allows, with the problems of the first load. */
export class LoadedSession implements Omit<PolicyResult, "results" | "admits"> {
  readonly tools: readonly Tool[];
  readonly features: readonly Tool[];
  readonly problems: readonly Problem[];
  readonly unreadable: boolean;
  readonly warnings: readonly Problem[];
  readonly executor: PolicyResult["executor"];
  readonly runners: Map<string, Runner>;

  constructor(
    private readonly sources: readonly ToolSource[],
    private snapshot: Snapshot,
    private readonly options: SourceOptions,
  ) {
    const { result } = snapshot;
    this.tools = result.tools.filter((tool) => !isFeature(tool));
    this.features = result.tools.filter(isFeature);
    this.problems = result.problems;
    this.unreadable = result.unreadable;
    this.warnings = result.warnings;
    this.executor = result.executor;
    for (const source of sources) {
      source.permit?.(snapshot.builtin);
      source.useExecutor?.(result.executor);
    }
    this.runners = new Map(sources.map(({ kind, runner }) => [kind, runner]));
  }

  get files(): readonly string[] {
    return this.sources.flatMap(({ files = [] }) => files);
  }

  policyText(): string {
    const { policy } = this.snapshot;
    return typeof policy === "object" ? policy.text : "";
  }

  resultFormat(): ResultFormat | undefined {
    const own = this.sources.map(({ results }) => results).find((each) => each !== undefined);
    return this.snapshot.result.results ?? own;
  }

  /** Returns the servers that have not answered yet, if the policy might serve tools of theirs. */
  absent(): readonly AbsentOwner[] {
    const { policy, result: { admits = () => policy === undefined } } = this.snapshot;
    return absentFrom(this.sources).filter(admits);
  }

  featuresOf(index: () => ToolTable): FeatureServices | undefined {
    const allow = async (tool: Tool) => (await this.#allow([tool])).get(tool.name);
    return featureServices(this.sources, index, allow);
  }

  /** Returns why a tool is withheld from agents; `undefined` if it is not withheld. */
  async explainWithheld(name: string): Promise<string | undefined> {
    const withheld = await this.uncallable().withheld();
    return withheld.find(({ tool }) => tool.name === name)?.explanation;
  }

  /** Tells a search which tools cannot be called, and why. */
  uncallable(): Uncallable {
    const { loaded, result } = this.snapshot;
    const { tools, withheld = [] } = mergeLoaded(loaded);
    const allowed = async (all: readonly WithheldTool[]) => {
      const names = all.length === 0 ? new Map() : await this.#allow(all.map(({ tool }) => tool));
      return all.filter(({ tool }) => names.has(tool.name));
    };
    return {
      withheld: async () => [
        ...result.withheld,
        ...await allowed(withheld),
        ...await withheldByEffect(this.options.policy, tools),
      ],
      async notLoaded() {
        const all = [...tools, ...withheld.map(({ tool }) => tool)];
        return await allowed(await toolsNotLoaded(new Set(all.map(({ owner }) => owner.name))));
      },
    };
  }

  async searchByMeaning(catalog: Catalog): Promise<void> {
    await Promise.all(this.sources.map(({ embedding }) => embedding?.follow(catalog)));
  }

  follow(catalog: Catalog): void {
    for (const source of this.sources) {
      source.subscribe?.(() => void this.#update(source, catalog));
    }
  }

  async reload(catalog: Catalog): Promise<Reloaded> {
    let reloaded: Reloaded = { problems: [{ message: "An error ended the reload" }], warnings: [] };
    await catalog.update(async () => {
      const changes = await Promise.all(this.sources.map((source) => source.reload?.()));
      const discard = () => changes.forEach((change) => change?.discard());
      const next = await loadSnapshot(this.sources, this.options).catch((error) => {
        discard();
        throw error;
      });
      const { tools, problems, warnings } = next.result;
      reloaded = { problems, warnings };
      if (problems.length > 0) {
        discard();
        return undefined;
      }
      startPrograms(this.sources, next.result);
      // The state changes in one step, so that each call sees either the whole old state or the whole new one
      const commit = () => {
        this.snapshot = next;
        for (const change of changes) change?.commit();
        for (const source of this.sources) {
          source.permit?.(next.builtin);
          this.runners.set(source.kind, source.runner);
        }
      };
      return { tools, commit };
    });
    return reloaded;
  }

  readonly close = async (): Promise<void> => {
    for (const { embedding } of this.sources) embedding?.close();
    await Promise.all([...this.runners.values()].map((each) => each.close?.()));
  };

  async #allow(tools: readonly Tool[]): Promise<ReadonlyMap<string, Tool>> {
    const alone = { tools, problems: [], unreadable: false, warnings: [] };
    return new Map((await this.#applyPolicy(alone)).tools.map((tool) => [tool.name, tool]));
  }

  async #applyPolicy(loaded: LoadResult, step: PolicyStep = {}): Promise<PolicyResult> {
    const { sandbox } = this.options;
    const whole = { ...step, sandbox, policy: this.snapshot.policy };
    return (await applyOver(loaded, whole)).result;
  }

  async #update(source: ToolSource, catalog: Catalog): Promise<void> {
    await catalog.update(async (before) => {
      const loaded = await loadFrom(source, this.sources, this.snapshot.loaded);
      const all = mergeLoaded(loaded);
      const removed = new Set(this.snapshot.result.withheld.map(({ tool }) => tool.name));
      const tools = all.tools.filter(({ name }) => !removed.has(name));
      const step = { absent: absentFrom(this.sources) };
      const applied = await this.#applyPolicy({ ...all, tools }, step);
      const commit = () => this.snapshot = { ...this.snapshot, loaded };
      if (applied.problems.length === 0) return { tools: applied.tools, commit };
      for (const problem of applied.problems) log("error", formatProblem(problem));
      log("error", "The policy cannot be applied to the changed catalogue: new tools are left out");
      const names = new Set(tools.map(({ name }) => name));
      return { tools: before.filter(({ name }) => names.has(name)), commit };
    });
  }
}

function absentFrom(sources: readonly ToolSource[]): readonly AbsentOwner[] {
  return sources.flatMap((source) => source.absent?.() ?? []);
}

interface Snapshot {
  readonly loaded: readonly LoadResult[];
  /** The policy as a text, so that its file is not read again when the tools of one source change. */
  readonly policy: SourceOptions["policy"];
  /** The tools that the policy and the filter allow, without the built-in tools. */
  readonly result: PolicyResult & Pick<FilteredTools, "withheld">;
  readonly builtin: readonly Tool[];
}

async function loadSnapshot(
  sources: readonly ToolSource[],
  options: SourceOptions,
): Promise<Snapshot> {
  const loaded = await loadFrom(sources[0]!, sources);
  const policy = await readPolicyText(options.policy);
  const strict = options.strict && sources.every(({ isComplete = true }) => isComplete);
  const { result, builtin } = await applyOver(mergeLoaded(loaded), {
    policy,
    strict,
    absent: absentFrom(sources),
    sandbox: options.sandbox,
  });
  return { loaded, policy, result: await applyFilter(result, options), builtin };
}

/** Finds the programs of `tools` before any runs, so that sandboxes can protect the programs' files. */
function startPrograms(sources: readonly ToolSource[], { tools, executor }: PolicyResult): void {
  for (const source of sources) {
    const runner = source.useExecutor?.(executor);
    runner?.start?.(tools.filter((tool) => tool.source.kind === source.kind));
  }
}

/** Loads `source` and the sources after it, in order, as a tool's name belongs to the first source that has it. */
async function loadFrom(
  source: ToolSource,
  sources: readonly ToolSource[],
  before: readonly LoadResult[] = [],
): Promise<readonly LoadResult[]> {
  const start = sources.indexOf(source);
  const loaded = before.slice(0, start);
  for (const each of sources.slice(start)) loaded.push(await each.load(mergeLoaded(loaded).tools));
  return loaded;
}

function mergeLoaded(results: readonly LoadResult[]): LoadResult {
  return {
    tools: results.flatMap(({ tools }) => tools),
    problems: results.flatMap(({ problems }) => problems),
    unreadable: results.some(({ unreadable }) => unreadable),
    warnings: results.flatMap(({ warnings }) => warnings),
    withheld: results.flatMap(({ withheld = [] }) => withheld),
  };
}

async function applyOver(loaded: LoadResult, step: PolicyStep) {
  const { withheld, ...others } = loaded;
  const result = await applyPolicyFile(others, { ...step, withheld }, requireVariable);
  const all = result.tools.map((tool) => withOutside(tool, result.executor));
  const tools = all.filter((tool) => !isBuiltin(tool))
    .map((tool) => withConfinement(tool, result.executor));
  return { result: { ...result, tools }, builtin: all.filter(isBuiltin) };
}

function featureServices(
  sources: readonly ToolSource[],
  index: () => ToolTable,
  allow: (tool: Tool) => Promise<Tool | undefined>,
): FeatureServices | undefined {
  const own = sources.filter((source) => source.findFeature !== undefined);
  if (own.length === 0) return undefined;
  const findListed = (name: string) => index().feature(name);
  const find: FeatureServices["find"] = async (name, args) => {
    for (const source of own) {
      const found = source.findFeature!(name, args, findListed);
      if (found === undefined) continue;
      const tool = found.isUnlisted ? await allow(found.tool) : found.tool;
      return tool && { tool, args: found.args };
    }
    return undefined;
  };
  return {
    find,
    async subscribe(name, onUpdate, owner) {
      const found = await find(name, {});
      if (found === undefined || found.tool.feature?.isTemplate) return undefined;
      const source = own.find(({ kind }) => kind === found.tool.source.kind);
      return await source?.subscribeResource?.(found.tool, () => {
        // The policy may have changed since the subscription, so an update is sent only if the resource is still allowed
        find(name, {}).then((now) => now && onUpdate(), (error) => log("debug", messageOf(error)));
      }, owner);
    },
  };
}

/** Returns the tools that a bundled policy withholds because of their effect. For a person's own policy, returns none. */
async function withheldByEffect(
  policy: SourceOptions["policy"],
  tools: readonly Tool[],
): Promise<WithheldTool[]> {
  if (typeof policy !== "string" || !isPolicyName(policy)) return [];
  const { explainDecisions, readPolicy } = await import("../policy/load.ts");
  const read = await readPolicy(policy);
  if (!read.ok) return [];
  const decisions = await explainDecisions(read, tools);
  return tools.flatMap((tool, at) => {
    const { decision } = decisions[at]!;
    if (decision.isServed || decision.rule !== "effects") return [];
    const explanation =
      `Tool '${tool.name}' is withheld by the policy '${policy}': ${decision.reason}\n` +
      "Ask a person to start climax with --policy ask, which asks before each call that changes something";
    return [{ tool, explanation }];
  });
}

let bundled: Promise<LoadResult> | undefined;

async function toolsNotLoaded(loaded: ReadonlySet<string>): Promise<WithheldTool[]> {
  const { bundledNames } = await import("../sources/command/bundled.ts");
  const { loadConfigs } = await import("../sources/command/load.ts");
  const { tools } = await (bundled ??= loadConfigs([...bundledNames], () => undefined));
  return tools.filter(({ owner }) => !loaded.has(owner.name)).map((tool) => ({
    tool,
    explanation:
      `The bundled config '${tool.owner.name}' has '${tool.name}': a person can load it, ` +
      `${climax()} connect CLIENT ${tool.owner.name}`,
  }));
}
