/** The Deno permissions that running some command lines takes, and no more. */

import { resolve } from "node:path";
import { ClimaxError, ExitCode } from "../../errors.ts";
import { quietVariables, setsLoader } from "../../exec/child_environment.ts";
import type { Executor } from "../../exec/executor.ts";
import { findProgram, type ProgramSurroundings } from "../../exec/find_program.ts";
import type { Needs } from "../../tool/runner.ts";
import type { Tool } from "../../tool/tool.ts";
import { type CommandSource, sourceOf } from "./source.ts";

/** What `tools` take under `executor`; with `byPath`, programs by their absolute paths. */
export async function commandNeeds(
  tools: readonly Tool[],
  executor: Executor,
  byPath: boolean,
): Promise<Needs> {
  const sources = tools.map(sourceOf);
  return {
    run: await programsOf(sources, executor, byPath),
    env: [
      ...parserNames,
      ...quietNames(sources),
      ...sources.flatMap(({ inheritEnv = [] }) => inheritEnv),
    ],
  };
}

/** What the parser looks up that says where in a file a problem is. */
const parserNames = ["LOG_STREAM", "LOG_TOKENS"];

/** The quiet variables that are looked up: Deno lets anyone read one, and a config may set them. */
function quietNames(sources: readonly CommandSource[]): string[] {
  return Object.keys(quietVariables).filter((name) => {
    return name !== "NO_COLOR" && sources.some(({ env }) => !Object.hasOwn(env, name));
  });
}

async function programsOf(
  sources: readonly CommandSource[],
  executor: Executor,
  byPath: boolean,
): Promise<readonly string[] | "all"> {
  if (sources.some(({ env }) => setsLoader(env))) return "all";
  const local = executor.kind === "docker" ? [] : sources;
  const programs = local.map(async (source) => {
    const [program] = source.command;
    if (byPath) return await pathOf(program, source);
    // Deno does not know in which directory a relative path is looked for
    return /[\\/]/.test(program) ? resolve(source.workingDir ?? "", program) : program;
  });
  const others = executor.kind === "docker" ? ["docker", ender] : [ender];
  const own = others.map((program) => byPath ? pathOf(program, { env: {} }) : program);
  return [...new Set(await Promise.all([...programs, ...own]))];
}

/** Ends process trees; see exec/process_tree.ts */
const ender = Deno.build.os === "windows" ? "taskkill" : "kill";

async function pathOf(program: string, surroundings: ProgramSurroundings): Promise<string> {
  const path = await findProgram(program, surroundings);
  if (path !== undefined) return resolve(path);
  const message = `Program '${program}' is not on PATH`;
  throw new ClimaxError("A program cannot be resolved", ExitCode.file, [{ message }]);
}
