/** `climax list`: lists the tools of configs, the configs that have a name, or the groups of a project. */

import { bundledNames } from "../../sources/command/bundled.ts";
import { ExitCode } from "../../errors.ts";
import type { SessionOptions } from "../../session/session.ts";
import type { Command, CommandArguments, Example } from "../command.ts";
import { configsHelp, sessionOf } from "../config_words.ts";
import { statOf } from "../../process/folders.ts";
import { toolOptions, withOptions } from "../options.ts";
import { useProjectFile } from "../project_file.ts";
import { sandboxWords } from "../../tool/runner.ts";
import { unknownRefused } from "../../tool/annotations.ts";
import type { LoadResult } from "../../sources/source.ts";
import type { Tool } from "../../tool/tool.ts";
import { hasColour } from "../../terminal.ts";
import { thousands } from "../../text/plural.ts";
import { effectColours, print, printJson, printTable } from "../output.ts";
import { demandWords, usageOf } from "../tool_words.ts";
import { programsOf, type ToolPrograms } from "../../sources/command/program.ts";
import { climax } from "../../process/own_command.ts";

export function define(command: Command) {
  return withOptions(
    command
      .description("List the tools of configs; without configs, the configs that have a name")
      .argument("[config...]", configsHelp)
      .option("--all", "configs for other operating systems too")
      .option("--groups", `the groups of a project's tools, which ${climax()} build has made`),
    ...[...toolOptions, "scripts", "json"] as const,
  );
}

export const examples: readonly Example[] = [
  ["list", "list the configs there are, bundled and your own"],
  ["list git", "list the tools of one"],
  ["list git ./my.yaml --policy read-only.yaml", "list what a policy leaves of two"],
  ["list --groups --json", "print the groups with their prompts and tools"],
];

export async function run(...[named, options]: CommandArguments<typeof define>) {
  const { config = [], mcp, policy, all = false, json = false } = options;
  if (options.groups) return await listGroups(mcp?.[0], json);
  // Without arguments, configs are listed instead of tools, even if CLIMAX_CONFIG names some
  if (named.length + config.length > 0 || (mcp ?? policy) !== undefined) {
    await listTools({ ...await sessionOf(options, named), scripts: options.scripts }, json);
  } else {
    await useProjectFile();
    await listConfigs(json, all);
  }
  return ExitCode.ok;
}

async function listTools(options: SessionOptions, json: boolean): Promise<void> {
  const { openSession } = await import("../../session/session.ts");
  await using session = await openSession(options);
  const { index, runners } = session;
  const sandboxOf = (tool: Tool) => runners.get(tool.source.kind)?.sandbox?.(tool);
  if (json) {
    const { entryOf } = await import("../../catalog/search_request.ts");
    const entries = index.tools.map((tool) => {
      return { ...entryOf(tool), policy: policyOf(tool), sandbox: sandboxOf(tool) };
    });
    return await printJson(entries);
  }
  const hasOneOwner = new Set(index.tools.map(({ owner }) => owner.name)).size === 1;
  const rows = index.tools.map(({ name, owner, effect, description }) => {
    const shown = effect === undefined ? "" : { text: effect, colour: effectColours[effect] };
    return [name, ...(hasOneOwner ? [] : [owner.name]), shown, description];
  });
  const below = index.tools.map((tool) => {
    const policy = demandWords(tool);
    const sandbox = sandboxOf(tool);
    const notes = [policy && `policy: ${policy}`, sandbox && `sandbox: ${sandboxWords(sandbox)}`];
    return [usageOf(tool), ...notes.flatMap((note) => note ?? [])];
  });
  const cli = hasOneOwner ? [] : ["CLI"];
  await printTable(["TOOL", ...cli, "EFFECT", "DESCRIPTION"], rows, below);
  await printLogins(options);
}

async function listGroups(path: string | undefined, json: boolean): Promise<ExitCode> {
  const { groupsTable, openProject, readGroupsOf } = await import("../project.ts");
  const read = await readGroupsOf(await openProject(path), "The groups were not read");
  if (json) await printJson(read);
  else await printTable(...groupsTable(read));
  return ExitCode.ok;
}

async function printLogins({ mcp: files = [] }: SessionOptions): Promise<void> {
  if (files.length === 0) return;
  const { readUpstreamConfig } = await import("../../sources/upstream/config.ts");
  const { loginReport } = await import("../../sources/upstream/login/logins.ts");
  const rows: string[][] = [];
  for (const file of files) {
    const read = await readUpstreamConfig(file);
    for (const spec of read.ok ? read.config.servers : []) {
      rows.push(...(await loginReport(spec)).map((words) => [spec.name, words]));
    }
  }
  if (rows.length === 0) return;
  await print("");
  await printTable(["SERVER", "LOGIN"], rows);
}

function policyOf(tool: Tool): object | undefined {
  const { rule, needsConsent = false, concurrency, keepBytes } = tool;
  if (rule === undefined) return undefined;
  const args = tool.args.filter(({ constraint }) => constraint !== undefined);
  return {
    rule,
    confirm: needsConsent,
    unknown_args: unknownRefused(tool) === "unknown" ? "refuse" : "ignore",
    concurrency,
    max_output: keepBytes && keepBytes / 1024,
    args: Object.fromEntries(args.map(({ name, required, fixed, constraint = {} }) => {
      const { pattern, maxLength, allowLeadingDash, secret, ...rest } = constraint;
      return [name, {
        required,
        value: fixed !== undefined && secret ? "***" : fixed,
        pattern: pattern?.source,
        max_length: maxLength,
        ...rest,
        allow_leading_dash: allowLeadingDash ?? false,
        secret: secret ?? false,
      }];
    })),
  };
}

const ownSystem = ({ darwin: "macos", windows: "windows" } as const)[Deno.build.os as string] ??
  "linux";

async function listConfigs(json: boolean, all: boolean): Promise<void> {
  const { isPersonalConfig, isProjectConfig, ownConfig, ownConfigNames } = await import(
    "../../sources/command/own_configs.ts"
  );
  const own = await ownConfigNames();
  const names = [...new Set([...own, ...bundledNames])].toSorted();
  const summaries = await Promise.all(names.map(async (name) => {
    const file = own.includes(name) ? (await ownConfig(name)).files[0] : undefined;
    const isLarge = file !== undefined && isProjectConfig(file) &&
      (statOf(file)?.size ?? 0) > maxLookedAt;
    const loaded = isLarge ? tooLarge : await toolsOf(name);
    return { ...await summaryOf(name, loaded), name, from: file ?? "bundled" };
  }));
  const isAbsent = ({ count, missing }: ToolPrograms) => count > 0 && missing.length === count;
  const configs = summaries.flatMap(({ systems, ...config }) => {
    return all || systems === undefined || systems.includes(ownSystem) ? [config] : [];
  }).toSorted((a, b) => Number(isAbsent(a.programs)) - Number(isAbsent(b.programs)));
  if (json) {
    return await printJson(configs.map(({ programs, ...rest }) => {
      return { ...rest, missing_programs: programs.missing };
    }));
  }
  const rows = configs.map(({ name, from, tool_count, category, programs, description }) => {
    const row = [
      name,
      thousands(tool_count),
      presenceOf(programs),
      category ?? "",
      ...(own.length === 0 ? [] : [isPersonalConfig(from) ? "yours" : from]),
      description,
    ];
    return isAbsent(programs) ? row.map((text) => ({ text, colour: "dim" as const })) : row;
  });
  const from = own.length === 0 ? [] : ["FROM"];
  await printTable(["CONFIG", "TOOLS", "HERE", "CATEGORY", ...from, "DESCRIPTION"], rows);
}

function presenceOf({ count, missing }: ToolPrograms): string {
  if (count === 0) return "";
  if (missing.length === 0) return hasColour("stdout") ? "✓" : "yes";
  if (missing.length === count) return hasColour("stdout") ? "–" : "no";
  return `${count - missing.length} of ${count} programs`;
}

async function summaryOf(name: string, { tools, problems }: Loaded) {
  const { ToolTable } = await import("../../catalog/tool_table.ts");
  const [summary] = new ToolTable(problems.length === 0 ? tools : []).summary();
  return {
    tool_count: 0,
    category: undefined,
    description: `(broken: ${climax()} validate ${name} says why)`,
    ...summary,
    systems: tools[0]?.owner.systems,
    programs: programsOf(tools),
  };
}

/** At most this many bytes of a project's config are read, because a stranger may have written the config. */
const maxLookedAt = 256 * 1024;

const tooLarge: Loaded = { tools: [], problems: [{ message: "too large to be looked at" }] };

type Loaded = Pick<LoadResult, "tools" | "problems">;

async function toolsOf(name: string): Promise<Loaded> {
  const { loadTools } = await import("../../session/load.ts");
  const { tools, problems, close } = await loadTools({ configs: [name], thorough: true });
  await close();
  return { tools, problems };
}
