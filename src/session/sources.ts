/** Opens the sources of a session: one line for each kind of tool. */

import type { Clock } from "../async/clock.ts";
import type { Problem } from "../errors.ts";
import { isolatesCalls } from "../exec/executor.ts";
import { sandboxWords } from "../tool/runner.ts";
import { commandKind, isBuiltin, type Tool, type WithheldTool } from "../tool/tool.ts";
import { type CallSettings, defaultCallSettings } from "../call/context.ts";
import { type Jobs, resultTool, statusTool } from "../jobs/jobs.ts";
import type { PolicyResult } from "../policy/load.ts";
import { isPolicyName } from "../policy/locate.ts";
import type { NamedText } from "../text/named_text.ts";
import type { Environment } from "../files/expand.ts";
import { configProgramOf, otherPrograms, programsOf } from "../sources/command/program.ts";
import { configsOfSet } from "../sources/command/bundled.ts";
import { BuiltinToolSource } from "../sources/builtin/builtin_source.ts";
import { CommandToolSource } from "../sources/command/command_source.ts";
import { asksIn, commandRunner } from "../sources/command/runner.ts";
import { type GivenScripts, ScriptToolSource } from "../sources/scripts/script_source.ts";
import { SkillToolSource } from "../sources/skills/skill_source.ts";
import type { ToolSource } from "../sources/source.ts";
import type { UpstreamToolSource } from "../sources/upstream/upstream_source.ts";
import type { Outputs } from "../jobs/outputs.ts";

/** The tools that a filter keeps, those that it removes, and warnings with the reasons. */
export interface FilteredTools extends Pick<PolicyResult, "tools" | "warnings"> {
  readonly withheld: readonly WithheldTool[];
}

/** Removes tools, in addition to the policy. */
export type ToolFilter = (
  loaded: Pick<PolicyResult, "tools" | "executor">,
) => Promise<FilteredTools> | FilteredTools;

export interface SourceOptions {
  /** Bundled names, paths and texts, in the order of precedence. */
  readonly configs: readonly (string | NamedText)[];
  /** Returns further configs, at each load. @default none */
  readonly moreConfigs?: (() => Promise<readonly string[]>) | undefined;
  /** Configs of upstream servers, whose tools join those of `configs`. */
  readonly mcp?: readonly (string | NamedText)[] | undefined;
  /** Milliseconds to wait for servers that the cache does not have. @default as long as they may take */
  readonly patienceMs?: number | undefined;
  /** Asks upstream servers for their tools even if the cache has them. @default false */
  readonly askServers?: boolean | undefined;
  /** The path or text of a policy; absent: every tool may be called, and tools that declare to write ask. */
  readonly policy?: string | NamedText | undefined;
  /** Runs programs and stdio servers in the usual sandbox, unless policy or config give another. @default false */
  readonly sandbox?: boolean | undefined;
  /** Reports a tool that the policy names and no config has as an error. @default false */
  readonly strict?: boolean | undefined;
  /** Adds advice on configs to the warnings. @default false */
  readonly thorough?: boolean | undefined;
  /** Leaves out configs that have problems, with a warning each, instead of loading nothing. @default false */
  readonly skipsBroken?: boolean | undefined;
  /** Serves `script_run`, which a policy can also allow by name. @default false */
  readonly scripts?: boolean | undefined;
  /** Kept scripts to serve instead of the ones in folders. */
  readonly givenScripts?: GivenScripts | undefined;
  /** Removes more tools than the policy does, before anything else sees them. */
  readonly narrow?: ToolFilter | undefined;
  readonly calls?: Partial<CallSettings> | undefined;
  /** Stores outputs that are too long for a result; absent if they are not stored. Its maker closes it. */
  readonly outputs?: Outputs | undefined;
  /** The source of the built-in tools. @default one that shows none */
  readonly builtin?: BuiltinToolSource | undefined;
  /** Holds the calls that continue in the background; absent if all calls are awaited. */
  readonly jobs?: Jobs | undefined;
  /** Measures timeouts and the intervals of watching files. @default the clock of the process */
  readonly clock?: Clock | undefined;
}

/**
 * Opens the sources in order of precedence: a name belongs to the first source that has it. `beforeStart` is called
 * with the other sources before MCP servers start to list their tools.
 */
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
  const mcp = (options.mcp ?? []).filter((file) => typeof file === "string");
  const named: string[] = [];
  const skills = new SkillToolSource({ files: () => [...commands.files, ...mcp], named });
  const scripts = new ScriptToolSource({
    isOn: options.scripts ?? false,
    policy,
    clock,
    given: options.givenScripts,
    files: () => commands.files,
    argReader: async () => (await import("../sources/command/read_config.ts")).valueArgs,
  });
  const upstream = await openServers(options, environment, async () => {
    await beforeStart?.([commands, skills, scripts, builtin]);
  });
  named.push(...upstream?.loaded.configs.flatMap((config) => config.skills ?? []) ?? []);
  // A local skill has precedence over a server's skill with the same address
  return [commands, skills, ...upstream === undefined ? [] : [upstream], scripts, builtin];
}

export function builtinOf({ jobs, outputs, calls }: SourceOptions): BuiltinToolSource {
  const { maxResultTokens } = { ...defaultCallSettings, ...calls };
  return new BuiltinToolSource({ jobs, outputs, maxResultTokens });
}

/** Opens MCP servers. The module is imported on demand, as most sessions have none. */
async function openServers(
  { mcp = [], patienceMs, askServers: ask, calls, clock, sandbox, policy, skipsBroken }:
    SourceOptions,
  environment: Environment,
  beforeStart: () => Promise<void>,
): Promise<UpstreamToolSource | undefined> {
  if (mcp.length === 0) return undefined;
  const { openUpstream } = await import("../sources/upstream/upstream_source.ts");
  const { keepBytes } = calls ?? {};
  // A bundled policy has no rules for all tools of a program; with `skipsBroken`, configs were not chosen
  const isBundled = typeof policy === "string" && isPolicyName(policy);
  const hasPolicy = policy !== undefined && !isBundled && !skipsBroken;
  const options = { patienceMs, ask, keepBytes, clock, sandbox, hasPolicy, beforeStart };
  return await openUpstream(mcp, environment, options);
}

/** Returns a filter for tools of a set such as `@dev` whose program is missing, or another. It warns once. */
export function narrowToInstalled({ configs, skipsBroken }: SourceOptions): ToolFilter {
  const named = configs.filter((each) => typeof each === "string");
  const fromSets = new Set(named.flatMap((each) => configsOfSet(each) ?? []))
    .difference(new Set(named));
  let missing: ReturnType<typeof absentOf> | undefined;
  return async (loaded) => {
    const left = { tools: loaded.tools, withheld: [], warnings: [] };
    // A session that ignores broken configs gets no warning
    if (loaded.executor.kind !== "local" || skipsBroken) return left;
    const isTold = missing === undefined;
    // Programs are searched once: the process may later be permitted to read less
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

/** Returns a text for each missing program; for the configs `fromSets`, also for other programs with its name. */
async function absentOf(tools: readonly Tool[], fromSets: ReadonlySet<string>) {
  const others = await otherPrograms(tools.filter(({ owner }) => fromSets.has(owner.name)));
  return new Map([
    ...others.map((name) => [name, `${name} (there is another program of that name)`] as const),
    ...programsOf(tools).missing.map((name) => [name, name] as const),
  ]);
}

/** Withholds tools that run a project's code without a sandbox, and those that the options' filter removes. */
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
  const own = unsandboxed.map((tool) => ({ tool, explanation: needsSandbox(tool) }));
  if (narrow === undefined || loaded.problems.length > 0) {
    return { ...loaded, tools: sandboxed, withheld: own };
  }
  const { tools, warnings, withheld } = await narrow({ ...loaded, tools: sandboxed });
  const all = { warnings: [...loaded.warnings, ...warnings], withheld: [...own, ...withheld] };
  return { ...loaded, tools, ...all };
}

/** Adds the sandbox of a tool that runs a project's code, which no config can know. */
export function withConfinement(tool: Tool, executor: PolicyResult["executor"]): Tool {
  if (tool.requires === undefined) return tool;
  const confinement = confinementWords(tool, executor);
  const about = tool.description.replace(/(?<![.\s])[.\s]+$/, "");
  return { ...tool, description: `${about === "" ? "" : `${about}. `}${confinement}`, confinement };
}

/** Decides which calls of `tool` ask under `confirm: outside`, which depends on its sandbox. */
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

/** Returns whether `tool` would run a project's code without a sandbox, and without a person who confirms it. */
function runsFreely({ name, requires, needsConsent }: Tool, { executor }: PolicyResult): boolean {
  return requires !== undefined && !needsConsent && !isolatesCalls(executor, name);
}

const codeNeeds = "it runs the project's own code; serve it with --sandbox or --policy ask";

function needsSandbox({ name }: Tool): string {
  return `Tool '${name}' is withheld: it runs the project's own code, and nothing holds that\n` +
    "Ask a person to start climax with --sandbox, or with --policy ask, which asks before each call";
}

/** Warns if a policy denies the tools that read jobs, so that a background tool blocks its caller. */
export function foregroundWarning(
  tools: readonly Tool[],
  policy: SourceOptions["policy"],
): Problem[] {
  const names = new Set(tools.filter(isBuiltin).map(({ name }) => name));
  const missing = [statusTool, resultTool].filter((name) => !names.has(name));
  const tool = tools.find(({ background }) => background);
  if (policy === undefined || tool === undefined || missing.length === 0) return [];
  const file = typeof policy === "string" ? policy : policy.file;
  const message =
    `Calls of '${tool.name}' do not continue in the background, although its config says so`;
  return [{ file, message, hint: `List ${missing.map((name) => `'${name}'`).join(" and ")} too` }];
}
