/** Tells which programs of a config are not installed. */

import { findProgram } from "../exec/find_program.ts";
import { programOf } from "../sources/command/program.ts";
import type { Tool } from "../tool/tool.ts";

/** The programs that tools run. */
export interface ToolPrograms {
  /** Their number. */
  readonly count: number;
  /** The names of those that are not on PATH. */
  readonly missing: readonly string[];
}

/** Looks for the programs of `tools` on PATH; runs none. */
export async function programsOf(tools: readonly Tool[]): Promise<ToolPrograms> {
  const uses = new Map(tools.flatMap((tool) => {
    const use = programOf(tool);
    return use === undefined ? [] : [[use.name, use] as const];
  }));
  const missing: string[] = [];
  for (const [name, { surroundings }] of uses) {
    if (await findProgram(name, surroundings) === undefined) missing.push(name);
  }
  return { count: uses.size, missing };
}
