/** `climax validate`: every problem of the configs, and whether their programs can be found. */

import { loadConfigs } from "../config/load.ts";
import { bundledConfigs } from "../config/bundled.ts";
import { requiredVariable } from "../environment.ts";
import { ExitCode, formatProblem, type Problem } from "../errors.ts";
import { findProgram } from "../exec/find_program.ts";
import type { Tool } from "../tool/tool.ts";
import { print } from "./_output.ts";

/** Prints what is right and wrong about each config; 0 when nothing is wrong. */
export async function validateCommand(configs: readonly string[]): Promise<ExitCode> {
  let exitCode: ExitCode = ExitCode.ok;
  for (const config of new Set(configs)) {
    const loaded = await loadConfigs([config], requiredVariable);
    const { tools, problems, unreadable, warnings } = loaded;
    for (const warning of warnings) await print(`warning: ${formatProblem(warning)}`);
    const missing = problems.length > 0 ? [] : await missingPrograms(config, tools);
    for (const problem of [...problems, ...missing]) await print(formatProblem(problem));

    const count = problems.length + missing.length;
    if (count === 0) {
      await print(`${config}: ok, ${plural(tools.length, "tool")}`);
    } else {
      await print(`${config}: ${plural(count, "problem")}`);
      exitCode = worse(exitCode, unreadable ? ExitCode.file : ExitCode.no);
    }
  }
  return exitCode;
}

async function missingPrograms(config: string, tools: readonly Tool[]): Promise<Problem[]> {
  const file = bundledConfigs.has(config) ? `bundled:${config}` : config;
  const problems = new Map<string, Problem>();
  for (const { source } of tools) {
    const [program] = source.command;
    if (problems.has(program)) continue;
    if (await findProgram(program, source) !== undefined) continue;
    const hint = "Install it, or name it by its path";
    problems.set(program, { file, message: `Program '${program}' is not on PATH`, hint });
  }
  return [...problems.values()];
}

function worse(a: ExitCode, b: ExitCode): ExitCode {
  return a > b ? a : b;
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
