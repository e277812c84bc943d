/**
 * Defines `climax completions`, which prints scripts for shells. These call it again for the words
 * that complete a command line.
 */

import { type Command, type CommandUnknownOpts, type Option } from "@commander-js/extra-typings";
import { ClimaxError, ExitCode, UsageError } from "../../errors.ts";
import type { CommandArguments, CommandTable, Example } from "../command.ts";
import { oneOf } from "../options.ts";
import { print } from "../output.ts";
import bash from "../completions/climax.bash" with { type: "text" };
import fish from "../completions/climax.fish" with { type: "text" };
import zsh from "../completions/climax.zsh" with { type: "text" };
import { optionalVariable } from "../../io.ts";
import { bundledNames } from "../../sources/command/bundled.ts";
import { ownConfigNames } from "../../sources/command/own_configs.ts";
import { configSets } from "../../sources/command/bundled.ts";
import type { Tool } from "../../tool/tool.ts";
import { inFrontOfDashes, orAll } from "../config_words.ts";
import { buildCommand, visibleOptions } from "../program.ts";
import { climax } from "../../process/own_command.ts";

const scripts = { bash, zsh, fish };

type Shell = keyof typeof scripts;

const shells = Object.keys(scripts) as Shell[];

export function define(command: Command) {
  return command
    .description("Print a shell completion script, or the words that complete a command line")
    .argument("[words...]", `${shells.join(", ")} (default: yours); or after --, a command line`);
}

export const examples: readonly Example[] = [
  ["completions bash", "print the script, for: source <(…)"],
  ["completions -- run g", "print the words that may complete the line: run g"],
];

/** Prints the script, or the candidates for the last of the words after `--`. */
export async function run(...[words, , behind, table]: CommandArguments<typeof define>) {
  if (behind !== undefined) {
    const found = await complete(behind, table);
    if (found.length > 0) await print(found.join("\n"));
    return ExitCode.ok;
  }
  const [named, another] = words;
  if (another !== undefined) throw new UsageError(`Too many arguments: '${another}'`);
  const shell = named === undefined ? ownShell() : oneOf("The shell", shells)(named);
  await print(
    scripts[shell].replaceAll("climax completions", `${climax(true)} completions`)
      .trimEnd(),
  );
  return ExitCode.ok;
}

function ownShell(): Shell {
  const login = optionalVariable("SHELL") ?? "";
  const own = login.split(/[/\\]/).at(-1);
  const shell = shells.find((each) => each === own);
  if (shell !== undefined) return shell;
  const why = login === "" ? "SHELL is not set" : `SHELL is '${login}'`;
  throw new UsageError(
    `Which shell is yours is not known: ${why}`,
    `Name one of ${shells.join(", ")}: ${climax()} completions bash`,
  );
}

export async function complete(
  words: readonly string[],
  table: CommandTable,
): Promise<readonly string[]> {
  const prefix = words.at(-1) ?? "";
  const candidates = await candidatesFor(words.slice(0, -1), prefix, table);
  // A shell would misread a candidate with control characters
  // deno-lint-ignore no-control-regex
  const plain = candidates.filter((candidate) => !/[\x00-\x1f\x7f-\x9f]/.test(candidate));
  return [...new Set(plain.filter((candidate) => candidate.startsWith(prefix)))];
}

async function candidatesFor(before: readonly string[], prefix: string, table: CommandTable) {
  if (before.length === 0) {
    const flags = table.flags.keys().toArray().filter((flag) => flag.startsWith("--"));
    return prefix.startsWith("-") ? flags : [...nextOfName(table, []), ...await configNames()];
  }
  const ofName = nextOfName(table, before);
  if (ofName.length > 0) return ofName;
  const { command: entry, words } = table.divide(before);
  const command = await buildCommand(entry);
  if (entry.name === "help") return nextOfName(table, words);
  if (entry.name === "completions") return shells;

  const { positionals, configs, open } = read(command, words);
  const takesConfigs = command.registeredArguments[0]?.name() === "config";
  const about = takesConfigs ? [...configs, ...positionals] : configs;
  const [, flag, equals] = /^(--[^=]+)(=?)/.exec(prefix) ?? [];
  if (words.includes("--")) {
    // Words after `--` are not options
  } else if (equals) {
    const option = command.options.find(({ long, required }) => required && long === flag);
    const values = option === undefined ? [] : await valuesOf(option, about);
    return values.map((value) => `${flag}=${value}`);
  } else if (open !== undefined && !prefix.startsWith("-")) {
    return await valuesOf(open, about);
  } else if (prefix.startsWith("-")) return visibleOptions(command);
  const args = command.registeredArguments;
  const last = args.at(-1);
  const argument = args[positionals.length] ?? (last?.variadic ? last : undefined);
  const calls = args[0]?.name() === "tool" ? divideCall(words, positionals, configs) : undefined;
  if (calls !== undefined && calls.tool !== undefined) {
    return await argumentsOf(calls.tool, calls.given, calls.configs, prefix);
  }
  if (calls !== undefined) {
    const isFirst = positionals.length + configs.length === 0 && !words.includes("--");
    const tools = await toolsOf(calls.configs);
    return [...tools.map(({ name }) => name), ...isFirst ? await configNames() : []];
  }
  if (["trust", "login", "logout", "remove"].includes(entry.name)) return await serverNames();
  if (argument?.name() === "config") return await configNames();
  return argument?.argChoices ?? [];
}

/** Returns the words that may follow `before` in the name of a command, which has one or two. */
function nextOfName(table: CommandTable, before: readonly string[]): string[] {
  return table.commands.keys().toArray().map((name) => name.split(" ")).flatMap((name) => {
    const [next] = name.slice(before.length);
    return next !== undefined && before.every((word, at) => word === name[at]) ? [next] : [];
  });
}

/** Returns the names of the servers in the file of this folder. A completion starts no server. */
async function serverNames(): Promise<readonly string[]> {
  const { serversFile } = await import("../project_file.ts");
  const { readUpstreamConfig } = await import("../../sources/upstream/config.ts");
  return await orNone(async () => {
    const read = await readUpstreamConfig(await serversFile());
    return read.ok ? read.config.servers.map(({ name }) => name) : [];
  });
}

/** Divides a call, with configs before `--` or without. */
function divideCall(
  words: readonly string[],
  positionals: readonly string[],
  named: readonly string[],
) {
  const dashes = words.indexOf("--");
  const behind = dashes === -1 ? undefined : words.slice(dashes + 1);
  const { configs, others: [tool, ...given] } = inFrontOfDashes(positionals, behind);
  return { configs: [...named, ...configs], tool, given };
}

async function valuesOf(option: Option, configs: readonly string[]): Promise<readonly string[]> {
  switch (option.name()) {
    case "config":
      return await configNames();
    case "category":
      return (await toolsOf(configs)).flatMap(({ owner }) => owner.category ?? []);
    case "cli":
      return (await toolsOf(configs)).map(({ owner }) => owner.name);
    case "policy": {
      const { bundledPolicies } = await import("../../policy/bundled.ts");
      return [...bundledPolicies.keys()];
    }
    default:
      return option.argChoices ?? [];
  }
}

/** Returns the arguments that the call does not have yet, or the values of the last one. */
async function argumentsOf(
  name: string,
  given: readonly string[],
  configs: readonly string[],
  prefix: string,
): Promise<readonly string[]> {
  const tool = (await toolsOf(configs)).find((each) => each.name === name);
  const open = tool?.args.filter(({ fixed }) => fixed === undefined) ?? [];
  const [begun] = /^[^=]*(?==)/.exec(prefix) ?? [];
  if (begun === undefined) {
    // A list may be given word by word
    const left = open.filter(({ name, list }) => {
      return list !== undefined || !given.some((word) => word.startsWith(`${name}=`));
    });
    return left.map(({ name }) => `${name}=`);
  }
  const arg = open.find((each) => each.name === begun);
  const values = arg?.list?.enum ?? arg?.enum ?? (arg?.type === "boolean" ? [true, false] : []);
  return values.map((value) => `${begun}=${value}`);
}

async function configNames(): Promise<string[]> {
  return [...bundledNames, ...configSets.keys(), ...await ownConfigNames()];
}

/** Divides words into configs and options; `open` is the option whose value comes next. */
function read(command: CommandUnknownOpts, words: readonly string[]) {
  const positionals: string[] = [];
  let open: Option | undefined;
  const configs: string[] = [];
  for (const word of words) {
    if (word.startsWith("-")) {
      open = command.options.find(({ short, long, required }) => {
        return required && (word === short || word === long);
      });
      continue;
    }
    if (open?.name() === "config") configs.push(word);
    if (open === undefined) positionals.push(word);
    open = undefined;
  }
  return { positionals, configs, open };
}

/** Returns the tools of `configs`, or of the default ones. A completion starts no server. */
async function toolsOf(configs: readonly string[]): Promise<readonly Tool[]> {
  const { openSession } = await import("../../session/session.ts");
  return await orNone(async () => {
    const session = await openSession({ ...await orAll(configs), preparesCalls: false });
    await session.close();
    return session.index.tools;
  });
}

/** Returns what `find` does; nothing for a file or a folder that is wrong, which a completion cannot report. */
async function orNone<T>(find: () => Promise<readonly T[]>): Promise<readonly T[]> {
  try {
    return await find();
  } catch (error) {
    if (error instanceof ClimaxError) return [];
    throw error;
  }
}
