/**
 * Warns of tools whose options can run programs or write files, by the data in `configs/hazards/`, which is not
 * complete.
 */

import { basename, isAbsolute } from "node:path";
import { load } from "js-yaml";
import flagsText from "../../../configs/hazards/flags.yaml" with { type: "text" };
import launchersText from "../../../configs/hazards/launchers.yaml" with { type: "text" };
import valuesText from "../../../configs/hazards/values.yaml" with { type: "text" };
import { io } from "../../io.ts";
import type { Problem } from "../../errors.ts";
import { ask } from "../../exec/ask_program.ts";
import { type Executor, sandboxesOf, sandboxOf } from "../../exec/executor.ts";
import { findProgram } from "../../exec/find_program.ts";
import { sandboxProblem } from "../../exec/sandbox_check.ts";
import type { Check } from "../../tool/runner.ts";
import type { Arg, Tool } from "../../tool/tool.ts";
import { commandSourceOf, type CommandTool, type Piece, secretName } from "./source.ts";
import { ownProperty } from "../../text/own_property.ts";
import { trimEndOf } from "../../text/excerpt.ts";

interface Launchers {
  readonly programs: Readonly<Record<string, string>>;
  readonly interpreters: Readonly<Record<string, readonly string[]>>;
}

interface ValueHazard {
  readonly does: string;
  readonly add: string;
  /** The subcommands to which the warning applies; absent: all. */
  readonly only?: readonly string[];
  readonly unless?: readonly string[];
  readonly env?: string;
  /** True if the danger comes from inherited variables, so that a config with `inherit_env` gets no warning. */
  readonly inherits?: boolean;
}

const flags = load(flagsText) as Readonly<Record<string, Readonly<Record<string, string>>>>;
const values = load(valuesText) as Readonly<Record<string, ValueHazard>>;
const launchers = load(launchersText) as Launchers;

export function hazardsOf(tools: readonly Tool[]): string[] {
  return [
    ...new Set((tools as readonly CommandTool[]).flatMap((tool) => [
      ...launcherHazards(tool),
      ...flagHazards(tool),
      ...valueHazards(tool),
      ...directoryHazards(tool),
    ])),
  ];
}

export function optionHazard(program: string, option: string): string | undefined {
  const known = ofProgram(flags, program);
  return known === undefined ? undefined : ownProperty(known, option.replace(/=$/, ""));
}

export function runsWords(program: string): boolean {
  const known: Readonly<Record<string, unknown>> = {
    ...launchers.programs,
    ...launchers.interpreters,
  };
  return ofProgram(known, program) !== undefined;
}

function launcherHazards(
  { name, args, requires, source: { command, stdin, template = [] } }: CommandTool,
): string[] {
  // No warning is needed for a tool with `requires`: it says that it runs code of the project, and needs a sandbox
  if (requires !== undefined) return [];
  const [path, ...words] = command;
  const reason = ofProgram(launchers.programs, path);
  if (reason !== undefined) return [`The base command '${path}' ${reason}`];
  const options = ofProgram(launchers.interpreters, path);
  if (options === undefined) return [];
  if (options.length === 0) return [`The base command '${path}' runs any code it is given`];
  const option = words.find((word) => takesCode(word, options));
  const settable = flagsOf(args).filter((flag) => takesCode(flag, options));
  const isFixed = stdin !== undefined ||
    [...words, ...wordsOfFixed(template)].some((word) => /^[^-]/.test(word));
  const loose = isFixed || option !== undefined ? [] : args.filter(isLoose);
  return [
    ...loose.map((arg) => `Tool '${name}': '${arg.name}' is code that '${path}' runs, or its file`),
    ...(option === undefined ? [] : [`The command '${path} ${option}' runs any code it is given`]),
    ...settable.map((flag) => `Tool '${name}': '${flag}' runs any code it is given`),
  ];
}

function takesCode(word: string, options: readonly string[]): boolean {
  const option = word.replace(/=$/, "");
  return options.includes(option) ||
    (/^-[A-Za-z]{2,}$/.test(option) && options.includes(`-${option.at(-1)}`));
}

/** Warns of dangerous options that an agent may set, or that end the command and so take the next argument as value. */
function flagHazards({ name, args, source: { command } }: CommandTool): string[] {
  const known = ofProgram(flags, command[0]);
  if (known === undefined) return [];
  const last = command.length > 1 ? [command.at(-1)!] : [];
  return [...flagsOf(args), ...last].flatMap((flag) => {
    const reason = ownProperty(known, flag.replace(/=$/, ""));
    return reason === undefined ? [] : [`Tool '${name}': '${flag}' ${reason}`];
  });
}

function valueHazards(
  { name, args, source: { command, env, inheritEnv, template = [] } }: CommandTool,
): string[] {
  const known = ofProgram(values, command[0]);
  if (known === undefined) return [];
  const words = [...command.slice(1), ...wordsOfFixed(template)];
  const { does, add, only, unless = [] } = known;
  if (only !== undefined && !only.some((each) => hasWords(words, each.split(" ")))) return [];
  if (words.some((word) => unless.includes(word))) return [];
  if (known.env !== undefined && Object.hasOwn(env, known.env)) return [];
  if (known.inherits && inheritEnv !== undefined) return [];
  const loose = args.filter(isLoose).map((arg) => `'${arg.name}'`).join(" or ");
  return loose === "" ? [] : [`Tool '${name}': ${loose} ${does}; ${add}`];
}

function wordsOfFixed(template: readonly Piece[]): string[] {
  return template.flatMap((piece) => {
    return piece.kind === "token" ? piece.parts.filter((part) => typeof part === "string") : [];
  });
}

function hasWords(words: readonly string[], wanted: readonly string[]): boolean {
  const plain = words.filter((word) => !word.startsWith("-"));
  return wanted.every((word, index) => plain[index] === word);
}

function isLoose({ role, type, list, limits, ...arg }: Arg): boolean {
  const stands = role.kind === "positional" || role.kind === "placed" || role.kind === "stdin" ||
    (role.kind === "flag" && role.flag === "--");
  if (!stands || arg.fixed !== undefined || (list?.type ?? type) !== "string") return false;
  const isLimited = limits?.pattern !== undefined || limits?.within !== undefined;
  return !isLimited && (list?.enum ?? arg.enum) === undefined;
}

/** Warns if the program has a relative path and an argument sets the directory, as it then decides what runs. */
function directoryHazards({ name, args, source: { command: [path] } }: CommandTool): string[] {
  const directory = args.find(({ role }) => role.kind === "cwd");
  if (directory === undefined || !/[\\/]/.test(path) || isAbsolute(path)) return [];
  return [`Tool '${name}': '${directory.name}' chooses the directory that '${path}' is run from`];
}

function flagsOf(args: readonly Arg[]): string[] {
  return args.flatMap(({ role }) => role.kind === "flag" ? [role.flag] : []);
}

function ofProgram<T>(record: Readonly<Record<string, T>>, path: string): T | undefined {
  const file = basename(path).replace(/\.(?:exe|cmd|bat)$/i, "");
  const name = Deno.build.os === "windows" ? file.toLowerCase() : file;
  return ownProperty(record, name) ?? ownProperty(record, trimEndOf(name, "-.0123456789"));
}

export async function checkCommands(tools: readonly Tool[], executor: Executor): Promise<Check> {
  const warnings = [...hazardsOf(tools), ...findPassedSecrets(tools, executor)];
  if (executor.kind === "local") {
    const sandbox = await sandboxProblem(sandboxesOf(executor));
    const problems = findMissingPrograms(tools);
    return { problems: sandbox === undefined ? problems : [sandbox, ...problems], warnings };
  }
  const answer = await ask("docker", ["version", "--format", "{{.Server.Version}}"], ".");
  return answer.ok
    ? { problems: [], warnings, notes: [`docker: answers, version ${answer.stdout}`] }
    : { problems: [{ message: `docker does not answer: ${answer.complaint}` }], warnings };
}

function findPassedSecrets(all: readonly Tool[], executor: Executor): string[] {
  const names = executor.kind === "local" ? secretNames() : [];
  // A program in a sandbox gets no other variables than the config names, so no warning about them is needed
  const tools = all.filter(({ name }) => sandboxOf(executor, name) === undefined);
  if (names.length === 0 || tools.length === 0) return [];
  const open = tools.filter((tool) => commandSourceOf(tool).inheritEnv === undefined);
  const listed = tools.flatMap((tool) => commandSourceOf(tool).inheritEnv ?? []);
  const passed = open.length > 0 ? names : names.filter((name) => listed.includes(name));
  if (passed.length === 0) return [];
  const owners = new Set((open.length > 0 ? open : tools).map(({ owner }) => owner.name));
  return [
    `The programs of ${[...owners].join(", ")} inherit what look like secrets: ` +
    `${passed.join(", ")}; 'inherit_env' names what a config's programs may have`,
  ];
}

function secretNames(): string[] {
  try {
    return Object.keys(io().env.toObject()).filter((name) => secretName.test(name)).toSorted();
  } catch (error) {
    if (error instanceof Deno.errors.NotCapable) return [];
    throw error;
  }
}

function findMissingPrograms(tools: readonly Tool[]): Problem[] {
  const sources = Map.groupBy(tools.map(commandSourceOf), ({ command }) => command[0]);
  return [...sources].flatMap(([program, all]) => {
    const source = all.find((each) => findProgram(program, each) === undefined);
    if (source === undefined) return [];
    const hint = source.program?.install ?? "Install it, or name it by its path";
    return [{ message: `Program '${program}' is not on PATH`, hint }];
  });
}
