/** Finds the command of a command line in the table and runs it. */

import { ExitCode, UsageError } from "../errors.ts";
import { say } from "../log.ts";
import { climax } from "../process/own_command.ts";
import { bundledNames, configSets, isBundled } from "../sources/command/bundled.ts";
import { isConfigPath } from "../sources/command/locate.ts";
import { ownConfig } from "../sources/command/own_configs.ts";
import { shellWord } from "../text/shell_word.ts";
import { nearNames } from "../text/similar_names.ts";
import { wordsOfOriginal } from "./_original.ts";
import { commands, commandTable, divide } from "./commands.ts";
import { printText } from "./output.ts";
import { formatProgramHelp, groupHelp, isGroup, readWords } from "./program.ts";
import { showWork } from "./progress_line.ts";

const isHelp = (word: string) => /^(?:-h|--help)$/.test(word);

export async function runProgram(args: readonly string[]): Promise<ExitCode> {
  const { command, words: written, implied } = divide(args);
  if (implied === "") {
    say(formatProgramHelp(commandTable, "stderr"));
    return ExitCode.usage;
  }
  if (implied !== undefined) {
    const others = args.slice(args.indexOf(implied) + 1);
    if (isGroup(implied, commandTable) && others.every(isHelp)) {
      return await showGroup(implied, others.length > 0);
    }
    await refuseMistypedCommand(implied, others);
  }
  const words = wordsOfOriginal(command.name, written);
  const asked = words.filter((word) => !isHelp(word));
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
  return await run(...[...read.words, commandTable] as never);
}

/** Returns true for a line that asks for the help of a tool: `help TOOL` or `call TOOL --help`. */
function isHelpOfTool(command: string, words: readonly string[], asked: readonly string[]) {
  const name = asked.join(" ");
  if (command === "call") return asked.length < words.length && /^[^-]/.test(name);
  return command === "help" && /^[^-]/.test(name) && !commands.has(name) &&
    !isGroup(name, commandTable) && nearNames(name, [...commands.keys()]).length === 0;
}

async function showGroup(word: string, isAsked: boolean): Promise<ExitCode> {
  const help = groupHelp(word, commandTable, isAsked ? "stdout" : "stderr");
  if (isAsked) await printText(help.split("\n"));
  else say(help);
  return isAsked ? ExitCode.ok : ExitCode.usage;
}

/** Names that other programs have for a command, with the command's name in climax. */
const synonyms: Readonly<Record<string, string>> = {
  ...{ serve: "run", start: "run", find: "search", exec: "call", config: "list", configs: "list" },
  ...{ tools: "list", ls: "list", info: "show", inspect: "show", describe: "show", history: "log" },
  ...{ install: "connect", uninstall: "connect --remove", disconnect: "connect --remove" },
  ...{ why: "policy explain", undo: "log", allow: "approve", permit: "approve" },
  "test-dialog": "approve",
};

/** Refuses an unknown first word, because `climax serach` would otherwise be read as a config to serve. */
async function refuseMistypedCommand(word: string, others: readonly string[]): Promise<void> {
  if (word.startsWith("-") || isConfigPath(word) || isBundled(word)) return;
  if ((await ownConfig(word)).files.length > 0) return;
  if (Object.hasOwn(synonyms, word)) {
    const line = [climax(), synonyms[word], ...others.map((each) => shellWord(each))];
    throw new UsageError(`No command or config is called '${word}'`, line.join(" "));
  }
  const names = [...commands.keys()];
  const typed = `${word} ${others[0] ?? ""}`.trim();
  const isOfGroup = isGroup(word, commandTable);
  const isConfig = nearNames(word, [...bundledNames, ...configSets.keys()]).length > 0;
  const near = isOfGroup
    ? names.filter((name) => name.startsWith(`${word} `))
    : isConfig
    ? []
    : [...new Set([word, typed].flatMap((each) => nearNames(each, names)))];
  if (near.length === 0) return;
  const unknown = isOfGroup ? typed : word;
  throw new UsageError(`Unknown command '${unknown}'`, `Did you mean: ${near.join(", ")}`);
}
