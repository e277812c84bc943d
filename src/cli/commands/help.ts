/** `climax help`: prints the help of the program, or of one command. */

import { ExitCode, UsageError } from "../../errors.ts";
import { nearHint } from "../../text/similar_names.ts";
import type { Command, CommandArguments, Example } from "../command.ts";
import { printText } from "../output.ts";
import {
  buildCommand,
  formatProgramHelp,
  groupHelp,
  helpOf,
  isGroup,
  namesShown,
} from "../program.ts";

export function define(command: Command) {
  return command.description("Print help for a command, or for a tool")
    .argument("[command...]", "the command or tool to explain")
    .option("--all", "print all commands, the bundled configs, exit codes and variables");
}

export const examples: readonly Example[] = [
  ["help call", "print the arguments and options of `climax call`"],
  ["help git_log", "print what a tool takes, with an example"],
  ["help --all", "list all commands"],
];

export async function run(...[words, { all }, , table]: CommandArguments<typeof define>) {
  const name = words.join(" ");
  const found = table.commands.get(name);
  if (found !== undefined) await printText(helpOf(await buildCommand(found)).split("\n"));
  else if (name === "") await printText(formatProgramHelp(table, "stdout", all).split("\n"));
  else if (isGroup(name, table)) await printText(groupHelp(name, table, "stdout").split("\n"));
  else {
    // Other words are those of a tool, see `runProgram`
    throw new UsageError(`Unknown command '${name}'`, nearHint(name, namesShown(table)));
  }
  return ExitCode.ok;
}
