/** The programs that running others takes, as Deno's permissions name them. */

import { resolve } from "node:path";
import { ClimaxError, ExitCode } from "../errors.ts";
import { findProgram, type ProgramSurroundings } from "./find_program.ts";

/** A program to run, and what decides where it is. */
export interface NeededProgram extends ProgramSurroundings {
  readonly program: string;
}

/** What finds and ends the programs of a call; see `process_tree.ts`. */
const enders = Deno.build.os === "windows" ? ["taskkill"] : ["kill", "ps"];

/**
 * `programs` and those that end them; with `byPath`, by their absolute paths.
 *
 * @throws {ClimaxError} when one of `programs` is to be named by its path and is not found
 */
export async function neededPrograms(
  programs: readonly NeededProgram[],
  byPath: boolean,
): Promise<readonly string[]> {
  const named = programs.map((needed) => byPath ? pathOf(needed) : nameOf(needed));
  const own = enders.map((program) => byPath ? findProgram(program, { env: {} }) : program);
  // Where one of ours is missing, ending a call does without
  const all = (await Promise.all([...named, ...own])).filter((each) => each !== undefined);
  return [...new Set(all)];
}

/** Deno does not know in which directory a relative path is looked for. */
function nameOf({ program, workingDir }: NeededProgram): string {
  return /[\\/]/.test(program) ? resolve(workingDir ?? "", program) : program;
}

async function pathOf({ program, ...surroundings }: NeededProgram): Promise<string> {
  const path = await findProgram(program, surroundings);
  if (path !== undefined) return resolve(path);
  const message = `Program '${program}' is not on PATH`;
  throw new ClimaxError("A program cannot be resolved", ExitCode.file, [{ message }]);
}
