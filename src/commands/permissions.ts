/** `climax permissions`: the Deno flags that serving some configs takes, and nothing more. */

import { isConfigPath } from "../config/locate.ts";
import { requiredVariable } from "../environment.ts";
import { ClimaxError, ExitCode } from "../errors.ts";
import { quietVariables } from "../exec/child_environment.ts";
import { findProgram } from "../exec/find_program.ts";
import { type LoadedTools, loadTools, type SessionOptions } from "../session.ts";
import { print } from "./_output.ts";

/** Settings of `climax permissions`. */
export interface PermissionsCommandOptions extends SessionOptions {
  /** Whether programs are named by absolute paths. */
  readonly resolve?: boolean;
  readonly json?: boolean;
}

/** What a process that serves must be allowed. */
export interface Permissions {
  /** Programs, by name or absolute path. */
  readonly run: readonly string[];
  readonly read: readonly string[];
  /** Names of environment variables. */
  readonly env: readonly string[];
}

/** Prints the flags on one line. */
export async function permissionsCommand(options: PermissionsCommandOptions): Promise<ExitCode> {
  const permissions = await permissionsOf(options);
  const flags = flagsOf(permissions);
  await print(options.json ? JSON.stringify({ flags, ...permissions }, null, 2) : flags.join(" "));
  return ExitCode.ok;
}

/**
 * The permissions that serving `options` takes.
 *
 * @throws {ClimaxError} when configs or policy are wrong, or a program to resolve is not found
 */
export async function permissionsOf(options: PermissionsCommandOptions): Promise<Permissions> {
  const variables = new Set<string>();
  const loaded = await loadTools(options, (name) => {
    variables.add(name);
    return requiredVariable(name);
  });
  if (loaded.problems.length > 0) {
    throw new ClimaxError("There is nothing to permit", ExitCode.file, loaded.problems);
  }
  const programs = programsOf(loaded);
  return {
    run: options.resolve ? await Promise.all(programs.map(resolveProgram)) : programs,
    read: filesOf(options, loaded),
    env: [
      "CLIMAX_AUDIT_FILE",
      "CLIMAX_LOG_FILE",
      ...Object.keys(quietVariables),
      ...variables,
    ].toSorted().filter((name, index, names) => name !== names[index - 1]),
  };
}

/** Deno's flags for `permissions`. Those of a kind are one flag, which is left out when empty. */
export function flagsOf({ run, read, env }: Permissions): string[] {
  const kinds = [["run", run], ["read", read], ["env", env]] as const;
  return kinds.filter(([, values]) => values.length > 0)
    .map(([kind, values]) => `--allow-${kind}=${values.join(",")}`);
}

function programsOf({ tools, executor }: LoadedTools): string[] {
  const programs = executor.kind === "docker"
    ? ["docker"]
    : tools.map(({ source }) => source.command[0]);
  // Ends process trees; see exec/process_tree.ts
  const ender = Deno.build.os === "windows" ? "taskkill" : "kill";
  return [...new Set([...programs, ender])];
}

function filesOf({ configs, policy }: SessionOptions, { tools }: LoadedTools): string[] {
  const directories = tools.flatMap(({ args }) =>
    args.flatMap(({ constraint }) => {
      return constraint?.within === undefined ? [] : [constraint.within];
    })
  );
  // A relative value is seen from the config's directory, or that of the server
  const own = directories.length > 0
    ? [Deno.cwd(), ...tools.flatMap(({ source }) => source.workingDir ?? [])]
    : [];
  const paths = [...configs, policy].filter((each) => typeof each === "string");
  const files = paths.filter((path) => path === policy || isConfigPath(path));
  return [...new Set([...files, ...directories, ...own])];
}

async function resolveProgram(program: string): Promise<string> {
  const path = await findProgram(program, { env: {} });
  if (path !== undefined) return path;
  const message = `Program '${program}' is not on PATH`;
  throw new ClimaxError("A program cannot be resolved", ExitCode.file, [{ message }]);
}
