/**
 * `climax validate`: every problem of the configs and the policy, whether the programs can be found,
 * and what they hand over beyond what they say.
 */

import type { Command } from "@commander-js/extra-typings";
import { bundledConfigs } from "../../sources/command/bundled.ts";
import { ExitCode, formatProblem, type Problem } from "../../errors.ts";
import { dockerVersion } from "../../exec/docker.ts";
import { findProgram } from "../../exec/find_program.ts";
import { checkDefaults } from "../../policy/check.ts";
import type { LoadedTools, SessionOptions } from "../../session.ts";
import type { Tool } from "../../tool/tool.ts";
import { plural } from "../../text/plural.ts";
import type { Example, Words } from "../commands.ts";
import { configsHelp, policyOption, strictOption } from "../options.ts";
import { print } from "../output.ts";

/** The words of `climax validate`. */
export function grammar(command: Command) {
  return command
    .description("Check configs and a policy, and whether the programs they run are on PATH")
    .argument("<config...>", configsHelp)
    .addOption(policyOption())
    .addOption(strictOption());
}

export const examples: readonly Example[] = [
  ["validate ./my.yaml", "check a config of your own"],
  [
    "validate git --policy read-only.yaml --strict",
    "check a policy and what it leaves of a config",
  ],
];

/** Prints what is right and wrong about each config, then about the policy; 0 when nothing is wrong. */
export async function action(...[configs, options]: Words<typeof grammar>): Promise<ExitCode> {
  const { loadTools } = await import("../../session.ts");
  const { hazardsOf } = await import("../../sources/command/hazards.ts");
  const { policy, strict } = options;
  let exitCode: ExitCode = ExitCode.ok;
  for (const config of new Set(configs)) {
    const loaded = await loadTools({ configs: [config] });
    const hasPolicy = policy !== undefined;
    const missing = hasPolicy ? [] : await missingPrograms(config, loaded.tools);
    // With a policy, its own report says this of the tools it leaves
    const refused = hasPolicy ? [] : await refusedDefaults(loaded.tools);
    const doubts = [...hazardsOf(loaded.tools), ...refused]
      .map((message) => ({ file: fileOf(config), message }));
    const code = await report(config, loaded, { problems: missing, warnings: doubts });
    exitCode = worse(exitCode, code);
  }
  if (policy === undefined || exitCode !== ExitCode.ok) return exitCode;
  return await validatePolicy({ configs, policy, strict }, policy);
}

async function validatePolicy(options: SessionOptions, policy: string): Promise<ExitCode> {
  const { loadTools } = await import("../../session.ts");
  const loaded = await loadTools(options);
  const { tools, executor } = loaded;
  const problems = executor.kind === "docker"
    ? await missingDocker(policy)
    : await missingPrograms(policy, tools);
  const warnings = (await refusedDefaults(tools)).map((message) => ({ file: policy, message }));
  return await report(policy, loaded, { problems, warnings });
}

async function refusedDefaults(tools: readonly Tool[]): Promise<string[]> {
  return (await Promise.all(tools.map(checkDefaults))).flat();
}

/** What was found besides what loading says. */
interface Findings {
  readonly problems: readonly Problem[];
  readonly warnings: readonly Problem[];
}

async function report(subject: string, loaded: LoadedTools, more: Findings): Promise<ExitCode> {
  const warnings = [...loaded.warnings, ...more.warnings];
  // What programs a broken config runs is not known
  const problems = loaded.problems.length > 0 ? loaded.problems : more.problems;
  for (const warning of warnings) await print(`warning: ${formatProblem(warning)}`);
  for (const problem of problems) await print(formatProblem(problem));
  if (problems.length === 0) {
    await print(`${subject}: ok, ${plural(loaded.tools.length, "tool")}`);
    return ExitCode.ok;
  }
  await print(`${subject}: ${plural(problems.length, "problem")}`);
  return loaded.unreadable ? ExitCode.file : ExitCode.no;
}

async function missingPrograms(config: string, tools: readonly Tool[]): Promise<Problem[]> {
  const problems = new Map<string, Problem>();
  for (const { source } of tools) {
    const [program] = source.command;
    if (problems.has(program) || await findProgram(program, source) !== undefined) continue;
    const hint = "Install it, or name it by its path";
    const message = `Program '${program}' is not on PATH`;
    problems.set(program, { file: fileOf(config), message, hint });
  }
  return [...problems.values()];
}

async function missingDocker(policy: string): Promise<Problem[]> {
  const answer = await dockerVersion();
  if ("reason" in answer) {
    return [{ file: policy, message: `docker does not answer: ${answer.reason}` }];
  }
  await print(`docker: answers, version ${answer.version}`);
  return [];
}

function fileOf(config: string): string {
  return bundledConfigs.has(config) ? `bundled:${config}` : config;
}

function worse(a: ExitCode, b: ExitCode): ExitCode {
  return a > b ? a : b;
}
