/** Finds the program that a tool runs, and asks it for its version, to tell whether it is the right one. */

import type { Invocation } from "../../exec/invocation.ts";
import { run } from "../../exec/run.ts";
import { mayRead } from "../../process/permissions.ts";
import { findProgram, type ProgramSurroundings } from "../../exec/find_program.ts";
import { quote } from "../../text/excerpt.ts";
import { type CallResult, withNotes } from "../../tool/result.ts";
import { commandKind, type Tool } from "../../tool/tool.ts";
import { type CommandSource, commandSourceOf } from "./source.ts";

export interface ProgramUse extends Pick<CommandSource, "program"> {
  readonly name: string;
  readonly surroundings: ProgramSurroundings;
}

/** Returns the program of `tool`; `undefined` if the tool runs no program. */
export function configProgramOf(tool: Tool): ProgramUse | undefined {
  if (tool.source.kind !== commandKind) return undefined;
  const source = commandSourceOf(tool);
  const [command] = source.command;
  const name = command === "env" ? programOfEnv(tool) ?? command : command;
  return { program: source.program, name, surroundings: source };
}

function programOfEnv(tool: Tool): string | undefined {
  const [first] = commandSourceOf(tool).template ?? [];
  const [part] = first?.kind === "token" ? first.parts : [];
  const arg = tool.args.find(({ name }) => typeof part === "object" && name === part.arg);
  return typeof arg?.default === "string" ? arg.default : undefined;
}

export interface ToolPrograms {
  readonly count: number;
  readonly missing: readonly string[];
}

export function programsOf(tools: readonly Tool[]): ToolPrograms {
  const uses = usesOf(tools);
  // Without permission to read, every program would seem to be missing, so none is reported
  const missing = mayRead("/")
    ? [...uses.values()].filter((use) => !findProgram(use.name, use.surroundings))
    : [];
  return { count: uses.size, missing: missing.map(({ name }) => name) };
}

function usesOf(tools: readonly Tool[]): ReadonlyMap<string, ProgramUse> {
  const uses = tools.map(configProgramOf).filter((use) => use !== undefined);
  return new Map(uses.map((use) => [use.name, use]));
}

/** Returns a warning for each program of `tools` that is not installed, or if another program has its name. */
export async function programWarnings(tools: readonly Tool[]): Promise<string[]> {
  // A program with a path may be a file of the project. It is not started, as asking its version would run its code
  const named = usesOf(tools).values().filter(({ name }) => !/[/\\]/.test(name));
  const texts = named.map(async ({ name, program, surroundings }) => {
    return findProgram(name, surroundings) === undefined
      ? [`Not installed: ${name}`, program?.install ?? []].flat().join("\n")
      : await explainUse({ name, program, surroundings });
  });
  return (await Promise.all(texts)).filter((text) => text !== undefined);
}

export async function otherPrograms(tools: readonly Tool[]): Promise<readonly string[]> {
  const found = usesOf(tools).values().map(async (use) => await explainUse(use) ? [use.name] : []);
  return (await Promise.all(found)).flat();
}

async function explainUse({ name, program, surroundings: { env } }: ProgramUse) {
  return await explainProgram(program, { argv: [name], env, timeoutMs });
}

/** Adds to a failed result a text that the program is not installed, or is another program of the same name. */
export async function addProgram(
  { program, command: [name] }: CommandSource,
  invocation: Invocation,
  result: CallResult,
): Promise<CallResult> {
  const { record = { ending: "" } } = result;
  // In a container, the call starts `docker`, so the version of the tool's program cannot be asked
  if (name !== invocation.argv[0] || !/^(?:exi|not )/.test(record.ending)) return result;
  const text = await explainProgram(program, invocation);
  return text ? withNotes(result, text) : result;
}

/** A program has this many milliseconds to print its version. */
const timeoutMs = 10_000;

/** Asks a program for its version, in the call's sandbox. Returns a text if it is another program of that name. */
async function explainProgram(
  meant: CommandSource["program"],
  { argv: [name], stdin: _, ...call }: Invocation,
): Promise<string | undefined> {
  if (!meant) return undefined;
  const { ending, stdout: { text } } = await run({ ...call, argv: [name, "--version"], timeoutMs });
  if (ending.kind === "not started") return meant.install;
  // No answer may mean that the sandbox cannot start the program, so it is no proof that the program is a wrong one
  if (call.sandbox && text === "" || text.startsWith(meant.version)) return undefined;
  const found = text === "" ? "has no --version" : `says ${quote(text.trim().split("\n")[0]!)}`;
  return `This ${name} is another program of that name: it ${found}\n${meant.install}`;
}
