/**
 * `climax validate`: every problem of the configs and the policy, whether the programs can be found,
 * and what they hand over beyond what they say.
 */

import type { Command } from "@commander-js/extra-typings";
import { ExitCode, formatProblem, type Problem } from "../../errors.ts";
import { runnersWithTools } from "../../needs.ts";
import { checkDefaults } from "../../policy/defaults.ts";
import type { LoadedTools } from "../../session.ts";
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
  const { loadTools } = await import("../../session.ts");
  let exitCode: ExitCode = ExitCode.ok;
  for (const config of new Set(configs)) {
    const loaded = await loadTools({ configs: [config] });
    const { problems, hazards, refused } = await findingsOf(
      loaded,
      loaded.files[0] ?? `bundled:${config}`,
    );
    // With a policy, its own report says the rest of the tools it leaves
    const found = policy === undefined
      ? { problems, warnings: [...hazards, ...refused] }
      : { problems: [], warnings: hazards };
    exitCode = worse(exitCode, await report(config, loaded, found));
    if (lock !== undefined) exitCode = worse(exitCode, await reportDrift(loaded.tools, lock));
  }
  for (const file of new Set(mcp)) {
    const loaded = await loadTools({ configs: [], mcp: [file], askServers: true });
    const { problems, hazards, refused } = await findingsOf(loaded, file);
    const found = { problems, warnings: policy === undefined ? [...hazards, ...refused] : hazards };
    exitCode = worse(exitCode, await report(file, loaded, found));
  }
  if (policy === undefined || exitCode !== ExitCode.ok) return exitCode;
  const loaded = await loadTools({ configs, mcp, policy, strict });
  const { problems, refused } = await findingsOf(loaded, policy);
  return await report(policy, loaded, { problems, warnings: refused });
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

async function report(subject: string, loaded: LoadedTools, more: Reported): Promise<ExitCode> {
  await loaded.close();
  // What programs a broken config runs is not known
  const problems = loaded.problems.length > 0 ? loaded.problems : more.problems;
  const said = new Set(problems.map(formatProblem));
  const warnings = [...loaded.warnings, ...more.warnings]
    .filter((warning) => !said.has(formatProblem(warning)));
  for (const warning of warnings) await print(`warning: ${formatProblem(warning)}`);
  for (const problem of problems) await print(formatProblem(problem));
  if (problems.length === 0) {
    await print(`${subject}: ok, ${plural(loaded.tools.length, "tool")}`);
    return ExitCode.ok;
  }
  await print(`${subject}: ${plural(problems.length, "problem")}`);
  return loaded.unreadable ? ExitCode.file : ExitCode.no;
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
