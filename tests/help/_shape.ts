/** Writes what was read of a help in one line for each part. */

import type { CommandHelp, OptionHelp, ValueHelp } from "../../src/help/command_help.ts";

/** Lines for the arguments, options, commands and remarks of a help. */
export function linesOf(help: CommandHelp): string[] {
  const many = (label: string, items: readonly string[]) =>
    items.map((each) => `${label}: ${each}`);
  return [
    ...many(
      "argument",
      help.positionals.map(({ name, required, value }) => {
        const choices = value.choices === undefined ? "" : ` ${value.choices.join("|")}`;
        const type = value.type === "string" ? "" : ` ${value.type}`;
        return `${name}${required ? "!" : ""}${value.list ? "..." : ""}${type}${choices}`;
      }),
    ),
    ...many("option", help.options.map(shapeOf)),
    ...help.subcommands.flatMap(({ name, help: own }) => [
      `command: ${name}`,
      ...(own === undefined ? [] : linesOf(own).map((line) => `  ${line}`)),
    ]),
    ...many("unread", help.unread),
    ...many("lost", help.lost),
    ...many("also", help.otherUsages),
  ];
}

/** An option as `names type`, with what is marked about it. */
export function shapeOf({ names, negations, value, required, glue }: OptionHelp): string {
  return [
    [...names, ...negations.map((each) => `!${each}`)].join(","),
    value === undefined ? "boolean" : typeOf(value),
    ...(required ? ["required"] : []),
    ...(glue === undefined ? [] : [`joined by "${glue}"`]),
  ].join(" ");
}

function typeOf({ type, list, choices, optional, default: preset }: ValueHelp): string {
  return [
    type,
    ...(list === undefined ? [] : [list.kind]),
    ...(choices === undefined ? [] : [choices.join("|")]),
    ...(optional ? ["optional"] : []),
    ...(preset === undefined ? [] : [`=${preset}`]),
  ].join(" ");
}
