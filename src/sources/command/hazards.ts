/**
 * What a config hands over beyond what it says: base commands that run anything, and options that
 * run programs or write files. Knowledge about programs, kept as data in `configs/hazards/`; it can
 * warn, but no list is complete.
 */

import { basename, isAbsolute } from "node:path";
import { load } from "js-yaml";
import flagsText from "../../../configs/hazards/flags.yaml" with { type: "text" };
import launchersText from "../../../configs/hazards/launchers.yaml" with { type: "text" };
import type { Arg, Tool } from "../../tool/tool.ts";
import { type CommandTool, sourceOf } from "./source.ts";

/** Reasons by option, by program. */
type Flags = Readonly<Record<string, Readonly<Record<string, string>>>>;

interface Launchers {
  readonly programs: Readonly<Record<string, string>>;
  /** Options that take code, by interpreter; none when its first argument is code. */
  readonly interpreters: Readonly<Record<string, readonly string[]>>;
}

const flags = load(flagsText) as Flags;
const launchers = load(launchersText) as Launchers;

/** One sentence for each doubt about `tools`, each said once. */
export function hazardsOf(tools: readonly Tool[]): string[] {
  return [
    ...new Set(
      tools.map(asCommand).flatMap((tool) => [
        ...launcherHazards(tool),
        ...flagHazards(tool),
        ...placeHazards(tool),
      ]),
    ),
  ];
}

/** What is known of one option of `program`; nothing when nothing is. */
export function optionHazard(program: string, option: string): string | undefined {
  const known = ofProgram(flags, program);
  return known === undefined ? undefined : own(known, option.replace(/=$/, ""));
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
    const reason = own(known, flag.replace(/=$/, ""));
    return reason === undefined ? [] : [`Tool '${name}': '${flag}' ${reason}`];
  });
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
  return own(record, name) ?? own(record, name.replace(/[-.\d]+$/, ""));
}

function own<T>(record: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}
