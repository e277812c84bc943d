/** `climax build`: sorts a project's tools into groups. Each group becomes a sub-agent. */

import type { Command, CommandArguments, Example } from "../command.ts";
import { projectFileWords, timeoutOption, withOptions } from "../options.ts";
import { writeWhole } from "../../files/write_file.ts";
import {
  buildOffline,
  buildProposed,
  buildReused,
  type BuiltGroups,
  offline,
} from "../../agents/group_build.ts";
import type { GroupProposal, ProjectContext } from "../../agents/group_propose.ts";
import type { GroupLimits } from "../../agents/group_draft.ts";
import { requireText, textToReplace } from "../../files/text_file.ts";
import { ClimaxError, ExitCode, FileError } from "../../errors.ts";
import { askWithoutEcho } from "../ask.ts";
import { redact } from "../../agents/llm/credential.ts";
import { modelName } from "../../agents/llm/settings.ts";
import { log, note } from "../../log.ts";
import { readGroups } from "../../agents/groups.ts";
import { listNames } from "../../text/excerpt.ts";
import { plural, thousands } from "../../text/plural.ts";
import type { Tool } from "../../tool/tool.ts";
import { join } from "node:path";
import {
  groupsTable,
  openProject,
  type Project,
  projectSession,
  type UsableModel,
  usableModel,
} from "../project.ts";
import { printJson, printTable } from "../output.ts";
import { showWaiting } from "../progress_line.ts";
import { optionalVariable } from "../../io.ts";
import { climax } from "../../process/own_command.ts";

export function define(command: Command) {
  return withOptions(
    command
      .description(
        `Sort the tools of a project into groups, for ${climax()} mcp to serve as sub-agents`,
      )
      .argument("[config]", `the project's config (default: ${projectFileWords})`)
      .option("--offline", "group by owners and words of names, and ask no language model")
      .option("--keep", "keep the groups: remove missing tools, and place new ones")
      .option("--dry-run", "show the groups, and write nothing")
      .addOption(timeoutOption("seconds that the language model may take in all", 600)),
    ...["policy", "sandbox", "strict", "json"] as const,
  );
}

export const examples: readonly Example[] = [
  ["build", "ask the config's language model for groups, and write them"],
  ["build --offline --dry-run", "show the groups that owners and names make"],
  ["build --keep", "keep edited groups, add new tools and remove missing ones"],
];

type BuildOptions = CommandArguments<typeof define>[1];

export async function run(...[config, options]: CommandArguments<typeof define>) {
  const started = performance.now();
  const project = await openProject(config);
  const { policy, sandbox, strict } = options;
  const session = await projectSession(project, { policy, sandbox, strict, askServers: true });
  await session.close();
  const { tools } = session.index;
  const { file, changes, warnings, spent } = await makeGroups(project, tools, options);
  for (const warning of [...findUndescribed(tools), ...warnings]) log("warning", warning);
  for (const change of changes) note(`repaired: ${change}`);

  if (options.json) await printJson(file);
  else await printTable(...groupsTable(file));
  if (!options.dryRun) {
    const text = `${JSON.stringify(file, null, 2)}\n`;
    await writeWhole(project.groups, text, { root: project.folder });
  }
  const took = `${((performance.now() - started) / 1000).toFixed(1)} s`;
  const what = `${plural(file.groups.length, "group")} of ${plural(tools.length, "tool")}`;
  const where = options.dryRun ? "nothing was written" : `written to ${project.groups}`;
  note([what, where, ...(spent === undefined ? [] : [spent]), took].join(", "));
  return ExitCode.ok;
}

function findUndescribed(tools: readonly Tool[]): string[] {
  const undescribed = tools.filter(({ description }) => description.trim() === "");
  return [...Map.groupBy(undescribed, ({ owner }) => owner.name)].map(([owner, own]) => {
    const names = listNames(own.map(({ name }) => name), 10);
    const count = `${plural(own.length, "tool")} of '${owner}'`;
    return `${count} without a description, grouped by name alone: ${names}`;
  });
}

type Made = BuiltGroups & { readonly spent?: string };

async function makeGroups(
  project: Project,
  tools: readonly Tool[],
  options: BuildOptions,
): Promise<Made> {
  const limits = project.config.groupingConstraints;
  if (options.keep) {
    const read = await readGroups(project.groups);
    if (!read.ok) throw new FileError("There are no groups to keep", ...read.problems);
    return buildReused(tools, limits, read.value);
  }
  if (options.offline) return buildOffline(tools, limits);
  const instead = "The tools are grouped without a language model, as with --offline";
  const failure = "No groups were made: those that are there cannot be read";
  const text = await textToReplace(project.groups, failure);
  const read = text === undefined ? undefined : await readGroups({ file: project.groups, text });
  if (read?.ok === false) throw new FileError(failure, ...read.problems);
  const proposer = read?.value.proposedBy ?? offline;
  const model = await usableModel(project, askWithoutEcho(), proposer === offline ? instead : "");
  if (model !== undefined) {
    return await askForGroups(project, tools, { ...options, ...model, limits });
  }
  if (proposer === offline) return buildOffline(tools, limits);
  throw new ClimaxError("No groups were made", ExitCode.failure, [{
    file: project.groups,
    message: `The groups were made by '${proposer}', and no model can be asked now`,
    hint: "--offline replaces them by groups made without a model, --keep updates them",
  }]);
}

async function askForGroups(
  project: Project,
  tools: readonly Tool[],
  { settings, credential, limits, timeout }: BuildOptions & UsableModel & {
    readonly limits: GroupLimits;
  },
): Promise<Made> {
  const { modelFailure, openModel } = await import("../../agents/llm/model.ts");
  const { proposeGroups } = await import("../../agents/group_propose.ts");
  const context = await contextOf(project);
  const name = modelName(settings);
  const model = await openModel(settings, credential, optionalVariable);
  const signal = AbortSignal.timeout(timeout * 1000);
  const propose = async (feasible: GroupLimits): Promise<GroupProposal> => {
    return await showWaiting(`asking ${name}`, (tell) => {
      return proposeGroups(tools, {
        model,
        limits: feasible,
        project: context,
        signal,
        onRound: (round, problems) => {
          if (round > 1) {
            tell(`asking ${name} again, round ${round}: ${plural(problems.length, "problem")}`);
          }
          for (const problem of problems) {
            log("info", `round ${round - 1}: ${redact(credential, problem)}`);
          }
        },
      });
    });
  };
  try {
    const built = await buildProposed(tools, limits, { name, propose });
    const { rounds, usage: { inputTokens = 0, outputTokens = 0 } } = built.proposal;
    const tokens = `${thousands(inputTokens)} tokens in and ${thousands(outputTokens)} out`;
    return { ...built, spent: `${name} took ${plural(rounds, "round")}, ${tokens}` };
  } catch (error) {
    if (error instanceof ClimaxError) throw error;
    const message = signal.aborted
      ? `Model '${name}' took over ${timeout} s`
      : redact(credential, modelFailure(error, name));
    const hint = `${climax()} build --offline asks no language model`;
    throw new ClimaxError("No groups were made", ExitCode.failure, [{ message, hint }]);
  }
}

async function contextOf(
  { config: { projectContext = {} }, folder }: Project,
): Promise<ProjectContext> {
  const { agentFilePath, claudeFilePath, domain, customHints } = projectContext;
  const paths = [agentFilePath, claudeFilePath].flatMap((path) => path ?? []);
  const files = await Promise.all(paths.map(async (file) => {
    return { file, text: await requireText(join(folder, file), "The project was not opened") };
  }));
  return { domain, customHints, files };
}
