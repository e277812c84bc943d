/** Finds the command of a command line in the table and runs it. */

import { ExitCode, UsageError } from "../errors.ts";
import { say } from "../log.ts";
import { isConfigPath } from "../sources/command/locate.ts";
import { ownConfig } from "../sources/command/own_configs.ts";
import { bundledNames, configSets, isBundled } from "../sources/command/bundled.ts";
import { runTool } from "../sources/scripts/script_tools.ts";
import { shellWord } from "../text/shell_word.ts";
import { nearNames } from "../text/similar_names.ts";
import { climax } from "../process/own_command.ts";
import { wordsOfOriginal } from "./_original.ts";
import { commands, commandTable, defaultCommand, divide } from "./commands.ts";
import { noteFilesBeside } from "./config_words.ts";
import { printText } from "./output.ts";
import { showWork } from "./progress_line.ts";
import { formatProgramHelp, groupHelp, isGroup, readWords } from "./program.ts";

/** Runs the command that `args` name. @throws {ClimaxError} when the line or a file is wrong */
export async function runProgram(args: readonly string[]): Promise<ExitCode> {
  const { command, words: written, implied } = divide(args);
  if (implied === "") {
    say(formatProgramHelp(commandTable, "stderr"));
    return ExitCode.usage;
  }
  if (implied !== undefined) {
    const typed = args.slice(args.indexOf(implied));
    if (await isGroupAlone(typed)) return await showGroup(typed);
    await refuseMistypedCommand(implied, typed.slice(1));
  }
  const words = wordsOfOriginal(command.name, written);
  const asked = words.filter((word) => !/^(?:-h|--help)$/.test(word));
  if (isHelpOfTool(command.name, words, asked)) {
    const read = await readWords(commands.get("call")!, asked);
    const { describe } = await import("./commands/call.ts");
    if ("words" in read) return await describe(...read.words as Parameters<typeof describe>);
  }
  const { run } = await command.load();
  const read = await readWords(command, words);
  if ("help" in read) {
    await printText(read.help.split("\n"));
    return ExitCode.ok;
  }
  showWork();
  // A server prints no notes about files: its client would not read them, and a person gets the startup banner
  if (command !== defaultCommand) await noteFilesBeside(read.configs);
  return await run(...[...read.words, commandTable] as never);
}

/** Returns true for a line that asks for the help of a tool: `help TOOL` or `call TOOL --help`. */
function isHelpOfTool(command: string, words: readonly string[], asked: readonly string[]) {
  const name = asked.join(" ");
  if (command === "call") return asked.length < words.length && /^[^-]/.test(name);
  if (command === "help" && name === runTool) return true;
  return command === "help" && /^[^-]/.test(name) && !commands.has(name) &&
    !isGroup(name, commandTable) && nearNames(name, [...commands.keys()]).length === 0;
}

/** Shows the help of a group such as `policy`, because it was asked for or because the second word is missing. */
async function showGroup([word = "", ...words]: readonly string[]): Promise<ExitCode> {
  const isAsked = words.length > 0;
  const help = groupHelp(word, commandTable, isAsked ? "stdout" : "stderr");
  if (isAsked) await printText(help.split("\n"));
  else say(help);
  return isAsked ? ExitCode.ok : ExitCode.usage;
}

/** Returns true for a group alone, such as `policy` or `policy --help`, unless the person has a config of that name. */
async function isGroupAlone([word = "", ...words]: readonly string[]): Promise<boolean> {
  const isHelp = words.length === 1 && ["-h", "--help"].includes(words[0]!);
  if (words.length > 0 && !isHelp || !isGroup(word, commandTable)) return false;
  return (await ownConfig(word)).files.length === 0;
}

/** Words by which other programs call a command, with the name that it has here. */
const synonyms: Readonly<Record<string, string>> = {
  ...{ serve: "run", start: "run", find: "search", exec: "call", config: "list", configs: "list" },
  ...{ tools: "list", ls: "list", install: "connect", uninstall: "connect --remove" },
  ...{ disconnect: "connect --remove", unconnect: "connect --remove" },
  ...{ info: "show", inspect: "show", describe: "show", "test-dialog": "approve" },
  ...{ history: "log" },
};

/** Words that people type for something that no single command does, with the hint that is printed. */
const meanings: Readonly<Record<string, (rest: string) => string>> = {
  why: (rest) => `${climax()} policy explain${rest || " git_push"} --policy work`,
  undo: () => `${climax()} log shows what was done, ${climax()} search undo the tools against it`,
  ...Object.fromEntries(["allow", "permit", "mute"].map((word) => {
    return [word, () => `${climax()} approve answers calls that wait, also for always`];
  })),
};

/** Refuses an unknown first word, because `climax serach` would otherwise be read as a config to serve. */
async function refuseMistypedCommand(word: string, others: readonly string[]): Promise<void> {
  const [second = ""] = others;
  if (word.startsWith("-") || isConfigPath(word) || isBundled(word)) return;
  if ((await ownConfig(word)).files.length > 0) return;
  const message = `No command or config is called '${word}'`;
  const rest = others.map((each) => ` ${shellWord(each)}`).join("");
  if (Object.hasOwn(meanings, word)) throw new UsageError(message, meanings[word]!(rest));
  const meant = Object.hasOwn(synonyms, word) ? synonyms[word] : undefined;
  if (meant?.endsWith("--remove") && others.length === 0) {
    const { removalHint } = await import("./connect_client.ts");
    throw new UsageError(message, await removalHint());
  }
  if (meant !== undefined) {
    throw new UsageError(message, `${climax()} ${meant}${rest}`);
  }
  const longer = commands.keys().toArray().filter((name) => name.startsWith(`${word} `));
  const isNear = nearNames(word, [...bundledNames, ...configSets.keys()]).length > 0;
  if (longer.length > 0 && !second.startsWith("-")) {
    const near = nearNames(`${word} ${second}`, longer);
    const hint = `Did you mean: ${(near.length > 0 ? near : longer).join(", ")}`;
    throw new UsageError(`Unknown command '${`${word} ${second}`.trim()}'`, hint);
  }
  const [shown, both] = [[...commands.keys()], `${word} ${second}`.trim()];
  const similar = isNear
    ? []
    : [...new Set([word, both].flatMap((each) => nearNames(each, shown)))];
  const near = longer.length > 0 ? longer : similar;
  if (near.length > 0) {
    throw new UsageError(`Unknown command '${word}'`, `Did you mean: ${near.join(", ")}`);
  }
}
