/** Inspects the program of a tool without a call. */

import type { Invocation } from "../../exec/invocation.ts";
import { run } from "../../exec/run.ts";
import { mayRead } from "../../process/permissions.ts";
import { findProgram, PathFolders, type ProgramSurroundings } from "../../exec/find_program.ts";
import { quote } from "../../text/excerpt.ts";
import { type CallResult, withNotes } from "../../tool/result.ts";
import { commandKind, type Tool } from "../../tool/tool.ts";
import { type CommandSource, commandSourceOf, type Piece } from "./source.ts";

export interface ProgramUse extends Pick<CommandSource, "program"> {
  /** The name in the config, and where it is searched. */
  readonly name: string;
  readonly surroundings: ProgramSurroundings;
  /** The program and its subcommands, up to the first option. */
  readonly words: readonly [string, ...string[]];
  /** Options that the tool may use, without values. */
  readonly flags: readonly string[];
}

/** Returns the program of `tool`; `undefined` for other kinds of tools. */
export function configProgramOf(tool: Tool): ProgramUse | undefined {
  if (tool.source.kind !== commandKind) return undefined;
  const source = commandSourceOf(tool);
  const [command, ...words] = source.command;
  const name = command === "env" ? programOfEnv(tool) ?? command : command;
  const end = words.findIndex((word) => word.startsWith("-"));
  const flags = [
    ...words,
    ...(source.template ?? []).flatMap(literalsIn),
    ...tool.args.flatMap(({ role }) => role.kind === "flag" ? [role.flag] : []),
  ].filter((word) => word.startsWith("-")).map((word) => word.split("=")[0]!);
  return {
    program: source.program,
    name,
    surroundings: source,
    words: [name, ...(end === -1 ? words : words.slice(0, end))],
    flags: [...new Set(flags)].filter((flag) => !/^-+$/.test(flag)),
  };
}

/** Returns the program that `env` starts, if an argument with a default names it. */
function programOfEnv(tool: Tool): string | undefined {
  const [first] = commandSourceOf(tool).template ?? [];
  const [part] = first?.kind === "token" ? first.parts : [];
  const arg = tool.args.find(({ name }) => typeof part === "object" && name === part.arg);
  return typeof arg?.default === "string" ? arg.default : undefined;
}

function literalsIn(piece: Piece): string[] {
  switch (piece.kind) {
    case "rest":
    case "condition":
    case "helper":
      return [];
    case "group":
      return piece.pieces.flatMap(literalsIn);
    case "token": {
      const [first] = piece.parts;
      return typeof first === "string" ? [first] : [];
    }
  }
}

export interface ToolPrograms {
  readonly count: number;
  /** The names of those that are not on PATH. */
  readonly missing: readonly string[];
}

/** Looks for the programs of `tools` on PATH, which has `folders`; runs none. */
export function programsOf(tools: readonly Tool[], folders?: PathFolders): ToolPrograms {
  const uses = usesOf(tools);
  const missing: string[] = [];
  const lists = folders ?? (uses.size > 4 ? new PathFolders() : undefined);
  for (const [name, { surroundings }] of uses) {
    // Without the permission to read, every program would seem to be gone
    if (mayRead("/") && findProgram(name, surroundings, lists) === undefined) {
      missing.push(name);
    }
  }
  return { count: uses.size, missing };
}

/** Returns the programs of `tools` by name. */
function usesOf(tools: readonly Tool[]): ReadonlyMap<string, ProgramUse> {
  const uses = tools.map(configProgramOf).filter((use) => use !== undefined);
  return new Map(uses.map((use) => [use.name, use]));
}

/** Returns a text for each program of `tools` that is absent from PATH, or is another one of its name. */
export async function programWarnings(tools: readonly Tool[]): Promise<string[]> {
  // A path may lead to a file of a project, which nothing here starts
  const named = usesOf(tools).values().filter(({ name }) => !/[/\\]/.test(name));
  const texts = named.map(({ name, program, surroundings }) => {
    return findProgram(name, surroundings) === undefined
      ? [`Not installed: ${name}`, ...program ? [program.install] : []].join("\n")
      : explainProgram(program, { argv: [name], env: surroundings.env, timeoutMs });
  });
  return (await Promise.all(texts)).filter((text) => text !== undefined);
}

/** Returns the names of programs of `tools` that are others of their name. */
export async function otherPrograms(tools: readonly Tool[]): Promise<readonly string[]> {
  const found = usesOf(tools).values().map(async ({ name, program, surroundings: { env } }) => {
    return await explainProgram(program, { argv: [name], env, timeoutMs }) ? [name] : [];
  });
  return (await Promise.all(found)).flat();
}

/** Adds to a failure that the program is absent, or is another one of its name. */
export async function addProgram(
  { program, command: [name] }: CommandSource,
  invocation: Invocation,
  result: CallResult,
): Promise<CallResult> {
  const { record = { ending: "" } } = result;
  // On another machine, the first word is the client of that machine
  if (name !== invocation.argv[0] || !/^(?:exi|not )/.test(record.ending)) return result;
  const text = await explainProgram(program, invocation);
  return text ? withNotes(result, text) : result;
}

/** A program has this many milliseconds to print its version. */
const timeoutMs = 10_000;

/** Asks the program for its version, with the sandbox and the variables of a call. */
async function explainProgram(
  meant: CommandSource["program"],
  { argv: [name], stdin: _, ...call }: Invocation,
): Promise<string | undefined> {
  if (!meant) return undefined;
  const { ending, stdout: { text } } = await run({ ...call, argv: [name, "--version"], timeoutMs });
  if (ending.kind === "not started") return meant.install;
  // The program also fails in a sandbox that cannot start it
  if (call.sandbox && text === "" || text.startsWith(meant.version)) return undefined;
  const found = text === "" ? "has no --version" : `says ${quote(text.trim().split("\n")[0]!)}`;
  return `This ${name} is another program of that name: it ${found}\n${meant.install}`;
}
