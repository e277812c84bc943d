/** Checks that the programs of tools exist on this machine, and warns of secrets that they would inherit. */

import { io } from "../../io.ts";
import type { Problem } from "../../errors.ts";
import { type Executor, sandboxesOf, sandboxOf } from "../../exec/executor.ts";
import { sandboxProblem } from "../../exec/sandbox_check.ts";
import { findProgram } from "../../exec/find_program.ts";
import type { Check } from "../../tool/runner.ts";
import type { Tool } from "../../tool/tool.ts";
import { hazardsOf } from "./hazards.ts";
import { commandSourceOf, secretName } from "./source.ts";
import { ask } from "../../exec/ask_program.ts";

export async function checkCommands(tools: readonly Tool[], executor: Executor): Promise<Check> {
  const warnings = [...hazardsOf(tools), ...findPassedSecrets(tools, executor)];
  if (executor.kind === "local") {
    const sandbox = await sandboxProblem(sandboxesOf(executor));
    const problems = findMissingPrograms(tools);
    return { problems: sandbox === undefined ? problems : [sandbox, ...problems], warnings };
  }
  const answer = await ask("docker", ["version", "--format", "{{.Server.Version}}"], ".");
  return answer.ok
    ? { problems: [], warnings, notes: [`docker: answers, version ${answer.stdout}`] }
    : { problems: [{ message: `docker does not answer: ${answer.complaint}` }], warnings };
}

function findPassedSecrets(all: readonly Tool[], executor: Executor): string[] {
  const names = executor.kind === "local" ? secretNames() : [];
  // A program in a sandbox gets only the variables that its config names, so it needs no warning
  const tools = all.filter(({ name }) => sandboxOf(executor, name) === undefined);
  if (names.length === 0 || tools.length === 0) return [];
  const open = tools.filter((tool) => commandSourceOf(tool).inheritEnv === undefined);
  const listed = tools.flatMap((tool) => commandSourceOf(tool).inheritEnv ?? []);
  const passed = open.length > 0 ? names : names.filter((name) => listed.includes(name));
  if (passed.length === 0) return [];
  const owners = [...new Set((open.length > 0 ? open : tools).map(({ owner }) => owner.name))];
  return [
    `The programs of ${owners.join(", ")} inherit what look like secrets: ${passed.join(", ")}; ` +
    "'inherit_env' names what a config's programs may have",
  ];
}

function secretNames(): string[] {
  try {
    return Object.keys(io().env.toObject()).filter((name) => secretName.test(name)).toSorted();
  } catch (error) {
    if (error instanceof Deno.errors.NotCapable) return [];
    throw error;
  }
}

function findMissingPrograms(tools: readonly Tool[]): Problem[] {
  const problems = new Map<string, Problem>();
  for (const source of tools.map(commandSourceOf)) {
    const [program] = source.command;
    if (problems.has(program) || findProgram(program, source) !== undefined) continue;
    const hint = source.program?.install ?? "Install it, or name it by its path";
    problems.set(program, { message: `Program '${program}' is not on PATH`, hint });
  }
  return [...problems.values()];
}
