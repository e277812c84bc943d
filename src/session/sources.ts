/** Opens the sources of a session, such as configs and MCP servers. */

import type { Clock } from "../async/clock.ts";
import { isolatesCalls } from "../exec/executor.ts";
import { sandboxWords } from "../tool/runner.ts";
import { commandKind, type Tool, type WithheldTool } from "../tool/tool.ts";
import { type CallSettings, defaultCallSettings } from "../call/context.ts";
import type { Jobs } from "../jobs/jobs.ts";
import type { PolicyResult } from "../policy/load.ts";
import { isPolicyName } from "../policy/locate.ts";
import type { NamedText } from "../text/named_text.ts";
import type { Environment } from "../files/expand.ts";
import { configProgramOf, otherPrograms, programsOf } from "../sources/command/program.ts";
import { configsOfSet } from "../sources/command/bundled.ts";
import { BuiltinToolSource } from "../sources/builtin/builtin_source.ts";
import { CommandToolSource } from "../sources/command/load.ts";
import { asksIn, commandRunner } from "../sources/command/runner.ts";
import { ScriptToolSource } from "../sources/scripts/script_source.ts";
import type { ToolSource } from "../sources/source.ts";
import type { UpstreamToolSource } from "../sources/upstream/upstream_source.ts";
import type { Outputs } from "../jobs/outputs.ts";

export interface FilteredTools extends Pick<PolicyResult, "tools" | "warnings"> {
  readonly withheld: readonly WithheldTool[];
}

export type ToolFilter = (
  loaded: Pick<PolicyResult, "tools" | "executor">,
) => Promise<FilteredTools> | FilteredTools;

export interface SourceOptions {
  /** Names of bundled configs, paths and texts; of two configs with the same tool, the later one has precedence. */
  readonly configs: readonly (string | NamedText)[];
  /** Returns further configs, and is called again at each load. @default none */
  readonly moreConfigs?: (() => Promise<readonly string[]>) | undefined;
  readonly mcp?: readonly (string | NamedText)[] | undefined;
  /** The start waits this many milliseconds for servers that are not in the cache. @default without limit */
  readonly patienceMs?: number | undefined;
  /** True to ask MCP servers for their tools even if the cache has them. @default false */
  readonly askServers?: boolean | undefined;
  /** The path or text of a policy. @default every tool may be called, and tools that declare to write ask */
  readonly policy?: string | NamedText | undefined;
  /** True to run programs and stdio servers in a sandbox even if policy and config name none. @default false */
  readonly sandbox?: boolean | undefined;
  /** True to refuse a policy that names a tool which no config has. @default false */
  readonly strict?: boolean | undefined;
  /** True to add advice on configs to the warnings. @default false */
  readonly thorough?: boolean | undefined;
  /** True to leave out configs with problems, with warnings, instead of loading nothing. @default false */
  readonly skipsBroken?: boolean | undefined;
  readonly scripts?: boolean | undefined;
  /** A filter that removes further tools after the policy. */
  readonly narrow?: ToolFilter | undefined;
  readonly calls?: Partial<CallSettings> | undefined;
  /** Stores outputs that are too long for a result; the caller closes the store. @default outputs are cut */
  readonly outputs?: Outputs | undefined;
  readonly builtin?: BuiltinToolSource | undefined;
  /** Holds calls that continue in the background. @default every call is awaited */
  readonly jobs?: Jobs | undefined;
  readonly clock?: Clock | undefined;
}

/** Opens the sources. A tool's name belongs to the first source with it. `beforeStart` runs before MCP servers start. */
export async function openSources(
  options: SourceOptions,
  environment: Environment,
  beforeStart?: (sources: readonly ToolSource[]) => Promise<void>,
): Promise<readonly ToolSource[]> {
  const { calls, thorough, skipsBroken, clock, policy, builtin = builtinOf(options) } = options;
  const commands = new CommandToolSource(options.configs, environment, {
    ...calls,
    thorough,
    skipsBroken,
    spool: (owner) => builtin.outputs?.openOutput(owner),
    clock,
    more: options.moreConfigs,
  });
  const scripts = new ScriptToolSource({
    isOn: options.scripts ?? false,
    policy,
    clock,
  });
  const upstream = await openServers(options, environment, async () => {
    await beforeStart?.([commands, scripts, builtin]);
  });
  return [commands, ...upstream === undefined ? [] : [upstream], scripts, builtin];
}

export function builtinOf({ jobs, outputs, calls }: SourceOptions): BuiltinToolSource {
  const { maxResultTokens } = { ...defaultCallSettings, ...calls };
  return new BuiltinToolSource({ jobs, outputs, maxResultTokens });
}

async function openServers(
  { mcp = [], patienceMs, askServers: ask, calls, clock, sandbox, policy, skipsBroken }:
    SourceOptions,
  environment: Environment,
  beforeStart: () => Promise<void>,
): Promise<UpstreamToolSource | undefined> {
  if (mcp.length === 0) return undefined;
  const { openUpstream } = await import("../sources/upstream/upstream_source.ts");
  const { keepBytes } = calls ?? {};
  const isBundled = typeof policy === "string" && isPolicyName(policy);
  const hasPolicy = policy !== undefined && !isBundled && !skipsBroken;
  const options = { patienceMs, ask, keepBytes, clock, sandbox, hasPolicy, beforeStart };
  return await openUpstream(mcp, environment, options);
}

/** Returns a filter that removes tools of sets such as `@dev` whose program is not installed. It warns once. */
export function narrowToInstalled({ configs, skipsBroken }: SourceOptions): ToolFilter {
  const named = configs.filter((each) => typeof each === "string");
  const fromSets = new Set(named.flatMap((each) => configsOfSet(each) ?? []))
    .difference(new Set(named));
  let missing: ReturnType<typeof absentOf> | undefined;
  return async (loaded) => {
    const left = { tools: loaded.tools, withheld: [], warnings: [] };
    if (loaded.executor.kind !== "local" || skipsBroken) return left;
    const isTold = missing === undefined;
    // Programs are searched once, because the process may later not be permitted to read the same folders
    const absent = await (missing ??= absentOf(left.tools, fromSets));
    if (absent.size === 0) return left;
    const explanation = `Not installed: ${absent.values().toArray().join(", ")}`;
    const { gone = [], tools = [] } = Object.groupBy(left.tools, (tool) => {
      const isGone = absent.has(configProgramOf(tool)?.name ?? "");
      return isGone && fromSets.has(tool.owner.name) ? "gone" : "tools";
    });
    const withheld = gone.map((tool) => ({ tool, explanation }));
    const remedies = new Set(
      tools.map(configProgramOf).flatMap((use) => {
        return use?.program && absent.has(use.name) ? [use.program.install] : [];
      }),
    );
    const hint = remedies.size === 0 ? {} : { hint: [...remedies].join("; ") };
    const explained = isTold ? [{ message: explanation, ...hint }] : [];
    return { tools, withheld, warnings: explained };
  };
}

async function absentOf(tools: readonly Tool[], fromSets: ReadonlySet<string>) {
  const others = await otherPrograms(tools.filter(({ owner }) => fromSets.has(owner.name)));
  return new Map([
    ...others.map((name) => [name, `${name} (there is another program of that name)`] as const),
    ...programsOf(tools).missing.map((name) => [name, name] as const),
  ]);
}

/** Withholds tools that would run a project's code without a sandbox, and tools that the filter `narrow` removes. */
export async function applyFilter(
  given: PolicyResult,
  { narrow, thorough = false, skipsBroken = false }: Partial<SourceOptions>,
): Promise<PolicyResult & Pick<FilteredTools, "withheld">> {
  const { unsandboxed = [], sandboxed = [] } = Object.groupBy(given.tools, (tool) => {
    return !thorough && runsFreely(tool, given) ? "unsandboxed" : "sandboxed";
  });
  const ownersOf = (tools: readonly Tool[]) => new Set(tools.map(({ owner }) => owner.name));
  const emptied = skipsBroken ? [] : [...ownersOf(unsandboxed).difference(ownersOf(sandboxed))];
  const explained = emptied.map((name) => ({
    message: `Nothing of '${name}' is served: ${codeNeeds}`,
  }));
  const loaded = { ...given, warnings: [...given.warnings, ...explained] };
  const own = unsandboxed.map((tool) => ({
    tool,
    explanation:
      `Tool '${tool.name}' is withheld: it runs the project's own code, and nothing holds that\n` +
      "Ask a person to start climax with --sandbox, or with --policy ask, which asks before each call",
  }));
  if (narrow === undefined || loaded.problems.length > 0) {
    return { ...loaded, tools: sandboxed, withheld: own };
  }
  const { tools, warnings, withheld } = await narrow({ ...loaded, tools: sandboxed });
  const all = { warnings: [...loaded.warnings, ...warnings], withheld: [...own, ...withheld] };
  return { ...loaded, tools, ...all };
}

/** Adds to the description of a tool that runs a project's code what confines that code. */
export function withConfinement(tool: Tool, executor: PolicyResult["executor"]): Tool {
  if (tool.requires === undefined) return tool;
  const confinement = confinementWords(tool, executor);
  const about = tool.description.replace(/(?<![.\s])[.\s]+$/, "");
  return { ...tool, description: `${about === "" ? "" : `${about}. `}${confinement}`, confinement };
}

/** Decides for `confirm: outside` which calls ask a person, which depends on the sandbox of the tool. */
export function withOutside(tool: Tool, executor: PolicyResult["executor"]): Tool {
  if (tool.needsConsent !== "outside") return tool;
  if (tool.source.kind === commandKind) return { ...tool, ...asksIn(executor, tool) };
  const consentReason = tool.effect === undefined
    ? "nothing says what it does"
    : tool.annotations?.openWorldHint
    ? "it reaches beyond this machine"
    : "it changes something, and no sandbox holds it";
  const isFree = tool.effect === "read" && tool.annotations?.openWorldHint !== true;
  return isFree ? { ...tool, needsConsent: false } : { ...tool, needsConsent: true, consentReason };
}

function confinementWords(tool: Tool, executor: PolicyResult["executor"]): string {
  switch (executor.kind) {
    case "docker": {
      const { image, volumes, network } = executor;
      const opens = [...volumes, network === "none" ? "no network" : "network"];
      return `In a container of ${image}: ${opens.join("; ")}`;
    }
    case "local": {
      const record = commandRunner({ executor }).sandbox?.(tool);
      if (record !== undefined) return `In a sandbox: ${sandboxWords(record)}`;
      return "Nothing confines it: it may do what the user of climax may, network included";
    }
  }
}

function runsFreely({ name, requires, needsConsent }: Tool, { executor }: PolicyResult): boolean {
  return requires !== undefined && !needsConsent && !isolatesCalls(executor, name);
}

const codeNeeds = "it runs the project's own code; serve it with --sandbox or --policy ask";
