/**
 * What a config hands over beyond what it says: base commands that run anything, and options that
 * run programs or write files. Knowledge about programs, kept as data in `configs/hazards/`; it can
 * warn, but no list is complete.
 */

import { basename } from "node:path";
import { load } from "js-yaml";
import flagsText from "../../configs/hazards/flags.yaml" with { type: "text" };
import launchersText from "../../configs/hazards/launchers.yaml" with { type: "text" };
import type { Tool } from "../tool/tool.ts";

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
  return [...new Set(tools.flatMap((tool) => [...launcherHazards(tool), ...flagHazards(tool)]))];
}

function launcherHazards({ source: { command } }: Tool): string[] {
  const [path, ...words] = command;
  const program = programName(path);
  const reason = own(launchers.programs, program);
  if (reason !== undefined) return [`The base command '${path}' ${reason}`];
  const options = own(launchers.interpreters, program);
  if (options === undefined) return [];
  const option = words.find((word) => options.includes(word));
  if (option !== undefined) return [`The command '${path} ${option}' runs any code it is given`];
  return options.length === 0 ? [`The base command '${path}' runs any code it is given`] : [];
}

/** Options an agent may set, and one at the end of the command, which takes the next value. */
function flagHazards({ name, args, source: { command } }: Tool): string[] {
  const known = own(flags, programName(command[0]));
  if (known === undefined) return [];
  const settable = args.flatMap(({ role }) => role.kind === "flag" ? [role.flag] : []);
  const last = command.length > 1 ? [command.at(-1)!] : [];
  return [...settable, ...last].flatMap((flag) => {
    const reason = own(known, flag.replace(/=$/, ""));
    return reason === undefined ? [] : [`Tool '${name}': '${flag}' ${reason}`];
  });
}

function programName(path: string): string {
  return basename(path).replace(/\.(?:exe|cmd|bat)$/i, "");
}

function own<T>(record: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}
