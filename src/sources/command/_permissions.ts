/** The Deno permissions that running some command lines takes, and no more. */

import { quietVariables, setsLoader } from "../../exec/child_environment.ts";
import { clientOf, type Executor } from "../../exec/executor.ts";
import { neededPrograms } from "../../exec/needed_programs.ts";
import type { Permissions } from "../../tool/runner.ts";
import type { Tool } from "../../tool/tool.ts";
import { type CommandSource, sourceOf } from "./source.ts";

/** What `tools` take under `executor`; with `byPath`, programs by their absolute paths. */
export async function commandNeeds(
  tools: readonly Tool[],
  executor: Executor,
  byPath: boolean,
): Promise<Permissions> {
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
  const programs = executor.kind !== "local"
    ? [{ program: clientOf(executor), env: {} }]
    : sources.map(({ command: [program], env, workingDir }) => {
      return { program, env, ...(workingDir === undefined ? {} : { workingDir }) };
    });
  return await neededPrograms(programs, byPath);
}
