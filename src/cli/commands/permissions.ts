/** `climax permissions`: the Deno flags that serving some configs takes, and nothing more. */

import { resolve } from "node:path";
import type { Command } from "@commander-js/extra-typings";
import { isConfigPath } from "../../sources/command/locate.ts";
import { requiredVariable } from "../../process/environment.ts";
import { ClimaxError, ExitCode } from "../../errors.ts";
import { quietVariables, setsLoader } from "../../exec/child_environment.ts";
import { findProgram, type ProgramSurroundings } from "../../exec/find_program.ts";
import type { LoadedTools, SessionOptions } from "../../session.ts";
import { shellWord } from "../../text/shell_word.ts";
import type { Example, Words } from "../commands.ts";
import { configsHelp, jsonOption, policyOption, strictOption } from "../options.ts";
import { print } from "../output.ts";

/** The words of `climax permissions`. */
export function grammar(command: Command) {
  return command
    .description("Print the Deno permissions that serving these configs takes, and no more")
    .argument("<config...>", configsHelp)
    .addOption(policyOption())
    .addOption(strictOption())
    .option("--resolve", "name programs by their absolute paths")
    .addOption(jsonOption());
}

export const examples: readonly Example[] = [
  ["permissions git --resolve", "print flags for `deno run`, with the path of git"],
];

/** What {@linkcode permissionsOf} is asked. */
export interface PermissionsOptions extends SessionOptions {
  /** Whether programs are named by absolute paths. */
  readonly resolve?: boolean | undefined;
}

/** What a process that serves must be allowed. */
export interface Permissions {
  /** Programs, by name or absolute path, or `all` of them. */
  readonly run: readonly string[] | "all";
  readonly read: readonly string[];
  /** Names of environment variables. */
  readonly env: readonly string[];
}

/** Prints the flags on one line. */
export async function action(...[configs, options]: Words<typeof grammar>): Promise<ExitCode> {
  const { policy, strict, json } = options;
  const permissions = await permissionsOf({ configs, policy, strict, resolve: options.resolve });
  const flags = flagsOf(permissions);
  await print(
    json ? JSON.stringify({ flags, ...permissions }, null, 2) : flags.map(forShell).join(" "),
  );
  return ExitCode.ok;
}

/**
 * The permissions that serving `options` takes.
 *
 * @throws {ClimaxError} when configs or policy are wrong, or a program to resolve is not found
 */
export async function permissionsOf(options: PermissionsOptions): Promise<Permissions> {
  const { loadTools } = await import("../../session.ts");
  const variables = new Set<string>();
  const loaded = await loadTools(options, (name) => {
    variables.add(name);
    return requiredVariable(name);
  });
  if (loaded.problems.length > 0) {
    throw new ClimaxError("The permissions were not found out", ExitCode.file, loaded.problems);
  }
  return {
    run: await programsOf(loaded, options.resolve ?? false),
    read: filesOf(options, loaded),
    env: [
      "CLIMAX_AUDIT_FILE",
      "CLIMAX_LOG_FILE",
      ...parserNames,
      ...quietNames(loaded),
      ...variables,
    ].toSorted().filter((name, index, names) => name !== names[index - 1]),
  };
}

/** What the parser looks up that says where in a file a problem is. */
const parserNames = ["LOG_STREAM", "LOG_TOKENS"];

/** The quiet variables that are looked up: Deno lets anyone read one, and a config may set them. */
function quietNames({ tools }: LoadedTools): string[] {
  return Object.keys(quietVariables).filter((name) => {
    return name !== "NO_COLOR" && tools.some(({ source }) => !Object.hasOwn(source.env, name));
  });
}

/**
 * Deno's flags for `permissions`. Those of a kind are one flag, which is left out when empty.
 *
 * @throws {ClimaxError} for a name that Deno's flags cannot hold
 */
export function flagsOf({ run, read, env }: Permissions): string[] {
  const flags = run === "all" ? ["--allow-run"] : flagOf("run", run);
  return [...flags, ...flagOf("read", read), ...flagOf("env", env)];
}

function flagOf(kind: string, values: readonly string[]): string[] {
  const problems = values.filter((value) => value.includes(",")).map((value) => ({
    message: `'${value}' has a comma in it, which a flag of Deno takes for the end of a name`,
  }));
  if (problems.length > 0) {
    throw new ClimaxError("The flags were not written", ExitCode.file, problems);
  }
  return values.length === 0 ? [] : [`--allow-${kind}=${values.join(",")}`];
}

function forShell(flag: string): string {
  return shellWord(flag, Deno.build.os === "windows" ? "windows" : "posix");
}

async function programsOf(
  { tools, executor }: LoadedTools,
  byPath: boolean,
): Promise<readonly string[] | "all"> {
  if (tools.some(({ source }) => setsLoader(source.env))) return "all";
  const sources = executor.kind === "docker" ? [] : tools.map(({ source }) => source);
  const programs = sources.map(async (source) => {
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

function filesOf(
  { configs, policy }: SessionOptions,
  { tools, looksAt }: LoadedTools,
): string[] {
  const held = tools.filter(({ args }) => {
    return args.some(({ constraint }) => constraint?.within !== undefined);
  });
  // Where the walk of a value begins, and what it has to be inside of
  const starts = held.map(({ source }) => source.workingDir ?? Deno.cwd());
  const directories = held.flatMap(({ args }) => {
    return args.flatMap(({ constraint }) => constraint?.within ?? []);
  });
  // A text at hand need not be read
  const named = [
    ...configs.filter((spec) => typeof spec === "string" && isConfigPath(spec)),
    policy,
  ];
  const files = named.filter((file) => typeof file === "string");
  return [
    ...new Set([...files, ...looksAt.map((path) => resolve(path)), ...directories, ...starts]),
  ];
}

async function pathOf(program: string, surroundings: ProgramSurroundings): Promise<string> {
  const path = await findProgram(program, surroundings);
  if (path !== undefined) return resolve(path);
  const message = `Program '${program}' is not on PATH`;
  throw new ClimaxError("The programs were not all found", ExitCode.file, [{ message }]);
}
