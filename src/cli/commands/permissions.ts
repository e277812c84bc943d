/** `climax permissions`: the Deno flags that serving some configs takes, and nothing more. */

import { requiredVariable } from "../../process/environment.ts";
import { ClimaxError, ExitCode } from "../../errors.ts";
import { type AllNeeds, needsOf } from "../../needs.ts";
import { loadTools, type SessionOptions } from "../../session.ts";
import { print } from "../output.ts";

/** Settings of `climax permissions`. */
export interface PermissionsCommandOptions extends SessionOptions {
  /** Whether programs are named by absolute paths. */
  readonly resolve?: boolean;
  readonly json?: boolean;
}

/** Prints the flags on one line. */
export async function permissionsCommand(options: PermissionsCommandOptions): Promise<ExitCode> {
  const permissions = await permissionsOf(options);
  const flags = flagsOf(permissions);
  await print(
    options.json
      ? JSON.stringify({ flags, ...permissions }, null, 2)
      : flags.map(quoteForShell).join(" "),
  );
  return ExitCode.ok;
}

/**
 * The permissions that serving `options` takes.
 *
 * @throws {ClimaxError} when configs or policy are wrong, or a program to resolve is not found
 */
export async function permissionsOf(options: PermissionsCommandOptions): Promise<AllNeeds> {
  const variables = new Set<string>();
  const loaded = await loadTools(options, (name) => {
    variables.add(name);
    return requiredVariable(name);
  });
  if (loaded.problems.length > 0) {
    throw new ClimaxError("There is nothing to permit", ExitCode.file, loaded.problems);
  }
  return await needsOf(loaded, options, { resolve: options.resolve ?? false, variables });
}

/**
 * Deno's flags for `permissions`. Those of a kind are one flag, which is left out when empty.
 *
 * @throws {ClimaxError} for a name that Deno's flags cannot hold
 */
export function flagsOf({ run, read, write, env, net }: AllNeeds): string[] {
  return [
    ...flagOf("run", run),
    ...flagOf("read", read),
    ...flagOf("write", write),
    ...flagOf("env", env),
    ...flagOf("net", net),
  ];
}

function flagOf(kind: string, values: readonly string[] | "all"): string[] {
  if (values === "all") return [`--allow-${kind}`];
  const problems = values.filter((value) => value.includes(",")).map((value) => ({
    message: `'${value}' has a comma in it, which a flag of Deno takes for the end of a name`,
  }));
  if (problems.length > 0) {
    throw new ClimaxError("There are no flags for this", ExitCode.file, problems);
  }
  return values.length === 0 ? [] : [`--allow-${kind}=${values.join(",")}`];
}

/** One word for a POSIX shell, or for the Windows command line. */
function quoteForShell(flag: string): string {
  if (/^[\w\-=,./:@+]*$/.test(flag)) return flag;
  if (Deno.build.os === "windows") return /[\s&^]/.test(flag) ? `"${flag}"` : flag;
  return `'${flag.replaceAll("'", `'\\''`)}'`;
}
