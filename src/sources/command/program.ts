/** The program of a tool, for commands that inspect it without a call. */

import { mayRead } from "../../process/permissions.ts";
import { findProgram, PathFolders, type ProgramSurroundings } from "../../exec/find_program.ts";
import { commandKind, type Tool } from "../../tool/tool.ts";
import { commandSourceOf, type Piece } from "./source.ts";

export interface ProgramUse {
  /** The name in the config, and where it is searched. */
  readonly name: string;
  readonly surroundings: ProgramSurroundings;
  /** Program and subcommands, up to the first option. */
  readonly words: readonly [string, ...string[]];
  /** Options that the tool may use, without values. */
  readonly flags: readonly string[];
}

/** The program of `tool`; nothing for other kinds of tools. */
export function configProgramOf(tool: Tool): ProgramUse | undefined {
  if (tool.source.kind !== commandKind) return undefined;
  const source = commandSourceOf(tool);
  const [command, ...words] = source.command;
  const name = command === "env" ? programOfEnv(tool) ?? command : command;
  const end = words.findIndex((word) => word.startsWith("-"));
  return {
    name,
    surroundings: source,
    words: [name, ...(end === -1 ? words : words.slice(0, end))],
    // A start asks for names alone
    get flags() {
      const flags = [
        ...words,
        ...(source.template ?? []).flatMap(literalsIn),
        ...tool.args.flatMap(({ role }) => role.kind === "flag" ? [role.flag] : []),
      ].filter((word) => word.startsWith("-")).map((word) => word.split("=")[0]!);
      return [...new Set(flags)].filter((flag) => !/^-+$/.test(flag));
    },
  };
}

/** The program that `env` starts, where an argument says so and has a default. */
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
export function programsOf(
  tools: readonly Tool[],
  folders?: PathFolders,
): ToolPrograms {
  const uses = new Map(tools.flatMap((tool) => {
    const use = configProgramOf(tool);
    return use === undefined ? [] : [[use.name, use] as const];
  }));
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
