/**
 * What a config hands over beyond what it says: base commands that run anything, and options that
 * run programs or write files. Knowledge about programs, kept as data in `configs/hazards/`; it can
 * warn, but no list is complete.
 */

import { basename, isAbsolute } from "node:path";
import { load } from "js-yaml";
import flagsText from "../../../configs/hazards/flags.yaml" with { type: "text" };
import launchersText from "../../../configs/hazards/launchers.yaml" with { type: "text" };
import valuesText from "../../../configs/hazards/values.yaml" with { type: "text" };
import type { Arg, Tool } from "../../tool/tool.ts";
import { type CommandTool, sourceOf } from "./source.ts";
import { ownProperty } from "../../text/own_property.ts";

/** Reasons by option, by program. */
type Flags = Readonly<Record<string, Readonly<Record<string, string>>>>;

interface Launchers {
  readonly programs: Readonly<Record<string, string>>;
  /** Options that take code, by interpreter; none when its first argument is code. */
  readonly interpreters: Readonly<Record<string, readonly string[]>>;
}

/** A program that takes code, or names of files and addresses, from plain values. */
interface ValueHazard {
  readonly does: string;
  /** What to do about it. */
  readonly add: string;
  /** Subcommands it is true of; absent: all. */
  readonly only?: readonly string[];
  /** Words of a command that make it harmless. */
  readonly unless?: readonly string[];
  /** A variable that makes it harmless. */
  readonly env?: string;
  /** Whether it is harmless where the program inherits only the variables that the config names. */
  readonly inherits?: boolean;
}

const flags = load(flagsText) as Flags;
const values = load(valuesText) as Readonly<Record<string, ValueHazard>>;
const launchers = load(launchersText) as Launchers;

/** One sentence for each doubt about `tools`, each said once. */
export function hazardsOf(tools: readonly Tool[]): string[] {
  return [
    ...new Set(
      tools.map(asCommand).flatMap((tool) => [
        ...launcherHazards(tool),
        ...flagHazards(tool),
        ...valueHazards(tool),
        ...placeHazards(tool),
      ]),
    ),
  ];
}

/** What is known of one option of `program`; nothing when nothing is. */
export function optionHazard(program: string, option: string): string | undefined {
  const known = ofProgram(flags, program);
  return known === undefined ? undefined : ownProperty(known, option.replace(/=$/, ""));
}

function asCommand(tool: Tool): CommandTool {
  return { ...tool, source: sourceOf(tool) };
}

function launcherHazards({ name, args, source: { command } }: CommandTool): string[] {
  const [path, ...words] = command;
  const reason = ofProgram(launchers.programs, path);
  if (reason !== undefined) return [`The base command '${path}' ${reason}`];
  const options = ofProgram(launchers.interpreters, path);
  if (options === undefined) return [];
  if (options.length === 0) return [`The base command '${path}' runs any code it is given`];
  const option = words.find((word) => takesCode(word, options));
  const settable = flagsOf(args).filter((flag) => takesCode(flag, options));
  return [
    ...(option === undefined ? [] : [`The command '${path} ${option}' runs any code it is given`]),
    ...settable.map((flag) => `Tool '${name}': '${flag}' runs any code it is given`),
  ];
}

/** Whether `word` is one of `options`, or letters behind one dash of which the last is one. */
function takesCode(word: string, options: readonly string[]): boolean {
  const option = word.replace(/=$/, "");
  return options.includes(option) ||
    (/^-[A-Za-z]{2,}$/.test(option) && options.includes(`-${option.at(-1)}`));
}

/** Options an agent may set, and one at the end of the command, which takes the next value. */
function flagHazards({ name, args, source: { command } }: CommandTool): string[] {
  const known = ofProgram(flags, command[0]);
  if (known === undefined) return [];
  const last = command.length > 1 ? [command.at(-1)!] : [];
  return [...flagsOf(args), ...last].flatMap((flag) => {
    const reason = ownProperty(known, flag.replace(/=$/, ""));
    return reason === undefined ? [] : [`Tool '${name}': '${flag}' ${reason}`];
  });
}

/** Plain values that no rule holds, of a program that does more with them than their name says. */
function valueHazards(
  { name, args, source: { command, env, inheritEnv, template = [] } }: CommandTool,
): string[] {
  const known = ofProgram(values, command[0]);
  if (known === undefined) return [];
  const fixed = template.flatMap((piece) => {
    return piece.kind === "token" ? piece.parts.filter((part) => typeof part === "string") : [];
  });
  const words = [...command.slice(1), ...fixed];
  const { does, add, only, unless = [] } = known;
  if (only !== undefined && !only.some((each) => hasWords(words, each.split(" ")))) return [];
  if (words.some((word) => unless.includes(word))) return [];
  if (known.env !== undefined && Object.hasOwn(env, known.env)) return [];
  if (known.inherits && inheritEnv !== undefined) return [];
  const loose = args.filter(isLoose).map((arg) => `'${arg.name}'`).join(" or ");
  return loose === "" ? [] : [`Tool '${name}': ${loose} ${does}; ${add}`];
}

/** Whether the first words that are no options are `wanted`. */
function hasWords(words: readonly string[], wanted: readonly string[]): boolean {
  const plain = words.filter((word) => !word.startsWith("-"));
  return wanted.every((word, index) => plain[index] === word);
}

/** Whether any text may stand where a program takes plain values from. */
function isLoose({ role, type, list, limits, ...arg }: Arg): boolean {
  const stands = role.kind === "positional" || role.kind === "placed" || role.kind === "stdin" ||
    (role.kind === "flag" && role.flag === "--");
  if (!stands || arg.fixed !== undefined || (list?.type ?? type) !== "string") return false;
  const isHeld = limits?.pattern !== undefined || limits?.within !== undefined;
  return !isHeld && (list?.enum ?? arg.enum) === undefined;
}

/** A program named by a relative path is looked for where the run is to happen. */
function placeHazards({ name, args, source: { command: [path] } }: CommandTool): string[] {
  const place = args.find(({ role }) => role.kind === "cwd");
  if (place === undefined || !/[\\/]/.test(path) || isAbsolute(path)) return [];
  return [`Tool '${name}': '${place.name}' chooses the directory that '${path}' is run from`];
}

function flagsOf(args: readonly Arg[]): string[] {
  return args.flatMap(({ role }) => role.kind === "flag" ? [role.flag] : []);
}

/** What is known of the program at `path`, also under a name with a version, as in `python3.12`. */
function ofProgram<T>(record: Readonly<Record<string, T>>, path: string): T | undefined {
  const name = basename(path).replace(/\.(?:exe|cmd|bat)$/i, "");
  return ownProperty(record, name) ?? ownProperty(record, name.replace(/[-.\d]+$/, ""));
}
