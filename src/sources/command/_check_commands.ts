/** Whether the programs of some tools can be started here, and what they hand over. */

import type { Problem } from "../../errors.ts";
import type { Executor } from "../../exec/executor.ts";
import { reach } from "../../exec/reachable.ts";
import { findProgram } from "../../exec/find_program.ts";
import type { Check } from "../../tool/runner.ts";
import type { Tool } from "../../tool/tool.ts";
import { hazardsOf } from "./hazards.ts";
import { sourceOf } from "./source.ts";

/** What keeps the programs of `tools` from being started, and what is risky about them. */
export async function checkCommands(tools: readonly Tool[], executor: Executor): Promise<Check> {
  const warnings = hazardsOf(tools);
  if (executor.kind === "local") return { problems: await missingPrograms(tools), warnings };
  const reached = await reach(executor);
  return "reason" in reached
    ? { problems: [{ message: reached.reason }], warnings }
    : { problems: [], warnings, notes: [reached.note] };
}

async function missingPrograms(tools: readonly Tool[]): Promise<Problem[]> {
  const problems = new Map<string, Problem>();
  for (const source of tools.map(sourceOf)) {
    const [program] = source.command;
    if (problems.has(program) || await findProgram(program, source) !== undefined) continue;
    const hint = "Install it, or name it by its path";
    problems.set(program, { message: `Program '${program}' is not on PATH`, hint });
  }
  return [...problems.values()];
}
