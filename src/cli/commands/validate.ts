/**
 * `climax validate`: every problem of the configs and the policy, whether the programs can be found,
 * and what they hand over beyond what they say.
 */

import type { Command } from "@commander-js/extra-typings";
import { ExitCode, formatProblem, type Problem } from "../../errors.ts";
import { runnersWithTools } from "../../needs.ts";
import { checkDefaults } from "../../policy/defaults.ts";
import type { LoadedTools } from "../../loading.ts";
import { withoutSets } from "../../sources/command/sets.ts";
import type { Tool } from "../../tool/tool.ts";
import { plural } from "../../text/plural.ts";
import type { Example, Words } from "../commands.ts";
import {
  configsHelp,
  lockedOption,
  lockFileOf,
  lockOption,
  mcpOption,
  policyOption,
  somethingToLoad,
  strictOption,
} from "../options.ts";
import { print } from "../output.ts";

/** The words of `climax validate`. */
export function grammar(command: Command) {
  return command
    .description("Check configs and a policy, and whether the programs they run are on PATH")
    .argument("[config...]", configsHelp)
    .addOption(mcpOption())
    .addOption(policyOption())
    .addOption(strictOption())
    .addOption(lockedOption())
    .addOption(lockOption());
}

export const examples: readonly Example[] = [
  ["validate ./my.yaml", "check a config of your own"],
  [
    "validate git --policy read-only.yaml --strict",
    "check a policy and what it leaves of a config",
  ],
];

/** Prints what is right and wrong about each config, then about the policy; 0 when nothing is wrong. */
export async function action(...[named, options]: Words<typeof grammar>): Promise<ExitCode> {
  const { mcp, policy, strict } = options;
  const lock = lockFileOf(options);
  const configs = somethingToLoad(named, mcp);
  const { loadTools } = await import("../../loading.ts");
  let exitCode: ExitCode = ExitCode.ok;
  const said = new Set<string>();
  for (const config of new Set(withoutSets(configs))) {
    const loaded = await loadTools({ configs: [config], thorough: true });
    const { problems, hazards, refused } = await findingsOf(
      loaded,
      loaded.files[0] ?? `bundled:${config}`,
    );
    // With a policy, its own report says the rest of the tools it leaves
    const found = policy === undefined
      ? { problems, warnings: [...hazards, ...refused] }
      : { problems: [], warnings: hazards };
    exitCode = worse(exitCode, await report(config, loaded, found, said));
    if (lock !== undefined) exitCode = worse(exitCode, await reportDrift(loaded.tools, lock));
  }
  for (const file of new Set(mcp)) {
    const loaded = await loadTools({ configs: [], mcp: [file], askServers: true });
    const { problems, hazards, refused } = await findingsOf(loaded, file);
    const found = { problems, warnings: policy === undefined ? [...hazards, ...refused] : hazards };
    exitCode = worse(exitCode, await report(file, loaded, found, said));
  }
  if (policy === undefined) {
    if (new Set(configs).size > 1) await reportTogether(configs, said);
    return exitCode;
  }
  const loaded = await loadTools({ configs, mcp, policy, strict, thorough: true });
  if (exitCode === ExitCode.ok) {
    const { problems, refused } = await findingsOf(loaded, policy);
    return await report(policy, loaded, { problems, warnings: refused }, said);
  }
  return worse(exitCode, await reportAlone(policy, loaded, said));
}

/** Says what is wrong with a policy whatever its configs are, where those are broken. */
async function reportAlone(
  policy: string,
  loaded: LoadedTools,
  said: Set<string>,
): Promise<ExitCode> {
  const problems = loaded.problems.filter(({ file }) => file === policy);
  if (problems.length > 0) {
    return await report(policy, { ...loaded, problems }, { problems: [], warnings: [] }, said);
  }
  await loaded.close();
  await print(`${policy}: nothing wrong by itself; what it leaves of the configs is not known`);
  return ExitCode.ok;
}

/** Says what is doubtful about configs only where they meet: tools that two of them define. */
async function reportTogether(configs: readonly string[], said: Set<string>): Promise<void> {
  const { loadTools } = await import("../../loading.ts");
  const { warnings, close } = await loadTools({ configs });
  await close();
  await printWarnings(warnings, said);
}

/** Says what has changed since the lock; every help is asked. */
async function reportDrift(tools: readonly Tool[], file: string): Promise<ExitCode> {
  const { describeChange, driftOf } = await import("../../author/drift.ts");
  const { readLock } = await import("../../author/lock_file.ts");
  const changes = await driftOf(tools, await readLock(file), { thorough: true });
  for (const change of changes) {
    const text = formatProblem({ file, message: describeChange(change) });
    await print(change.isBreaking ? text : `warning: ${text}`);
  }
  const broken = changes.filter(({ isBreaking }) => isBreaking).length;
  await print(broken === 0 ? `${file}: ok` : `${file}: ${plural(broken, "change")}`);
  return broken === 0 ? ExitCode.ok : ExitCode.no;
}

/** What was found besides what loading says. */
interface Findings {
  readonly problems: readonly Problem[];
  readonly hazards: readonly Problem[];
  readonly refused: readonly Problem[];
}

/** What a report says besides what loading says. */
type Reported = Readonly<Record<"problems" | "warnings", readonly Problem[]>>;

async function report(
  subject: string,
  loaded: LoadedTools,
  more: Reported,
  said: Set<string>,
): Promise<ExitCode> {
  await loaded.close();
  // What programs a broken config runs is not known
  const problems = loaded.problems.length > 0 ? loaded.problems : more.problems;
  for (const problem of problems) said.add(formatProblem(problem));
  await printWarnings([...loaded.warnings, ...more.warnings], said);
  for (const problem of problems) await print(formatProblem(problem));
  if (problems.length === 0) {
    await print(`${subject}: ok, ${plural(loaded.tools.length, "tool")}`);
    return ExitCode.ok;
  }
  await print(`${subject}: ${plural(problems.length, "problem")}`);
  return loaded.unreadable ? ExitCode.file : ExitCode.no;
}

/** Prints each warning that has not been said. */
async function printWarnings(warnings: readonly Problem[], said: Set<string>): Promise<void> {
  for (const warning of warnings.map(formatProblem)) {
    if (!said.has(warning)) await print(`warning: ${warning}`);
    said.add(warning);
  }
}

/** What the runners find, and the defaults that would be refused; notes are printed at once. */
async function findingsOf(loaded: LoadedTools, file: string): Promise<Findings> {
  const { tools, runners } = loaded;
  const checks = await Promise.all(
    runnersWithTools(loaded).map(([runner, own]) => {
      return runner.check(own);
    }),
  );
  const refused = await Promise.all(tools.map((tool) => {
    return checkDefaults(tool, runners.get(tool.source.kind));
  }));
  for (const note of checks.flatMap(({ notes = [] }) => notes)) await print(note);
  return {
    problems: checks.flatMap(({ problems }) => problems).map((problem) => ({ file, ...problem })),
    hazards: checks.flatMap(({ warnings }) => warnings).map((message) => ({ file, message })),
    refused: refused.flat().map((message) => ({ file, message })),
  };
}

function worse(a: ExitCode, b: ExitCode): ExitCode {
  return a > b ? a : b;
}
