/** `climax help`: prints the help of the program, or of one command. */

import type { Command } from "@commander-js/extra-typings";
import { ExitCode, UsageError } from "../../errors.ts";
import { nearNames } from "../../text/similar_names.ts";
import type { CommandArguments, Example } from "../command.ts";
import { printText } from "../output.ts";
import { buildCommand, helpOf } from "../program.ts";
import { groupHelp, isGroup, namesShown, programHelp } from "../program_help.ts";

export function define(command: Command) {
  return command.description("Print help for a command")
    .argument("[command...]", "the command to explain");
}

export const examples: readonly Example[] = [
  ["help call", "explain the words of `climax call`"],
];

/** Prints the help that was asked for. */
export async function run(
  ...[words, , , table]: CommandArguments<typeof define>
): Promise<ExitCode> {
  const name = words.join(" ");
  const found = table.commands.get(name);
  if (found !== undefined) await printText(helpOf(await buildCommand(found)).split("\n"));
  else if (name === "") await printText(programHelp(table, "stdout").split("\n"));
  else if (isGroup(name, table)) await printText(groupHelp(name, table, "stdout").split("\n"));
  else throw unknownTopic(name, namesShown(table));
  return ExitCode.ok;
}

function unknownTopic(name: string, known: readonly string[]): UsageError {
  const near = nearNames(name, known);
  const hint = near.length > 0
    ? `Did you mean: ${near.join(", ")}`
    : "climax --help lists the commands";
  return new UsageError(`Unknown command '${name}'`, hint);
}
