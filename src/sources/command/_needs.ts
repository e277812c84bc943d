/** Lists the permissions of Deno that command-line programs need. */

import { searchVariables } from "../../exec/search_path.ts";
import { quietVariables, setsLoader } from "../../exec/child_environment.ts";
import { type Executor, sandboxesOf } from "../../exec/executor.ts";
import { findNeededPrograms, type SandboxNeeds } from "../../exec/needed_programs.ts";
import type { Permissions } from "../../tool/runner.ts";
import type { Tool } from "../../tool/tool.ts";
import { type CommandSource, commandSourceOf } from "./source.ts";

/** Returns the permissions for `tools` under `executor`. */
export async function commandNeeds(
  tools: readonly Tool[],
  executor: Executor,
): Promise<Permissions> {
  const sources = tools.map(commandSourceOf);
  const sandboxes = await needsOfSandboxes(executor);
  return {
    run: await programsOf(sources, executor),
    read: sandboxes.read,
    write: sandboxes.write,
    env: [
      // Those that the YAML parser reads when it locates a problem
      ...["LOG_STREAM", "LOG_TOKENS"],
      // Read and set, so that no program is started from where an agent may write
      ...["PATH", "HOME", ...searchVariables],
      // Every program may read NO_COLOR, and a config may set the others
      ...Object.keys(quietVariables).filter((name) => {
        return name !== "NO_COLOR" && sources.some(({ env }) => !Object.hasOwn(env, name));
      }),
      ...sources.flatMap(({ inheritEnv = [] }) => inheritEnv),
      ...sandboxes.env,
    ],
  };
}

async function programsOf(
  sources: readonly CommandSource[],
  executor: Executor,
): Promise<readonly string[] | "all"> {
  if (sources.some(({ env }) => setsLoader(env))) return "all";
  const programs = executor.kind !== "local"
    ? [{ program: "docker", env: {} }]
    : sources.map(({ command: [program], env, workingDir }) => {
      return { program, env, ...(workingDir === undefined ? {} : { workingDir }) };
    });
  const { programs: wrappers } = await needsOfSandboxes(executor);
  return findNeededPrograms([...programs, ...wrappers]);
}

async function needsOfSandboxes(executor: Executor): Promise<SandboxNeeds> {
  const sandboxes = sandboxesOf(executor);
  if (sandboxes.length === 0) return { programs: [], env: [], read: [], write: [] };
  const { sandboxNeeds } = await import("../../exec/needed_programs.ts");
  return sandboxNeeds(sandboxes);
}
