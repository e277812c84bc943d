/** `climax validate`: looks for problems of configs, policy and programs, and for risky options. */

import { ExitCode, type Problem } from "../../errors.ts";
import { plural } from "../../text/plural.ts";
import type { Command, CommandArguments, Example } from "../command.ts";
import { paint } from "../../terminal.ts";
import { configsHelp, requireSource } from "../config_words.ts";
import { toolOptions, withOptions } from "../options.ts";
import { label, printJson, printProblem, printText } from "../output.ts";
import type { Report } from "../../setup/validation.ts";

export function define(command: Command) {
  return withOptions(
    command
      .description("Check configs and a policy, and whether programs are on PATH")
      .argument("[config...]", configsHelp),
    ...toolOptions,
    "json",
  );
}

export const examples: readonly Example[] = [
  ["validate ./my.yaml", "check a config of your own"],
  ["validate git --policy read-only.yaml --strict", "check what a policy leaves"],
  ["validate ./my.yaml --json", "print the result for a program"],
];

export async function run(...[words, options]: CommandArguments<typeof define>) {
  const { config, mcp, policy, sandbox, strict, json = false } = options;
  const configs = requireSource(mcp, words, config);
  const { validation } = await import("../../setup/validation.ts");
  const reports: Report[] = [];
  for await (const report of validation({ configs, mcp: mcp ?? [], policy, sandbox, strict })) {
    reports.push(report);
    if (!json) await show(report);
  }
  const exitCode = Math.max(ExitCode.ok, ...reports.map((report) => report.exitCode)) as ExitCode;
  if (json) await printJson({ ok: exitCode === ExitCode.ok, reports: reports.map(forScripts) });
  return exitCode;
}

async function show(report: Report): Promise<void> {
  const { about, subject, tools, problems, warnings, notes } = report;
  for (const note of notes) await printText(note);
  for (const warning of warnings) await printProblem(warning, `${label("warning", "stdout")} `);
  for (const problem of problems) await printProblem(problem);
  if (about === "together") return;
  const outcome = problems.length > 0
    ? paint(plural(problems.length, "problem"), "red", "stdout")
    : tools === undefined
    ? "nothing wrong by itself; what it leaves of the configs is not known"
    : `${paint("ok", "green", "stdout")}, ${plural(tools, "tool")}`;
  await printText(`${subject}: ${outcome}`);
}

/** Returns the report for `--json`, with every key, even those of empty lists. */
function forScripts(report: Report): object {
  const { about, subject, exitCode, tools = null, notes } = report;
  const problems = report.problems.map(problemForScripts);
  const warnings = report.warnings.map(problemForScripts);
  return { about, subject, ok: exitCode === ExitCode.ok, tools, problems, warnings, notes };
}

function problemForScripts(problem: Problem): object {
  const { file = null, line = null, column = null, message, hint = null } = problem;
  return { file, line, column, message, hint };
}
