/** What `climax generate` understood of a program's help, and above all what it did not. */

import { plural, thousands } from "../text/plural.ts";
import type { ExcludedCommand } from "./_excluded_options.ts";
import type { ToolDraft } from "./_tool_draft.ts";
import type { CommandTree } from "./_tree.ts";

export interface GenerateReport {
  readonly tools: number;
  readonly optionLines: number;
  readonly unread: readonly string[];
  /** Positional arguments that were found, and the names of those that were not, with their commands. */
  readonly positionals: number;
  readonly lostPositionals: readonly string[];
  readonly guesses: number;
  readonly undescribedTools: readonly string[];
  readonly arguments: number;
  readonly undescribedArguments: number;
  readonly excluded: readonly ExcludedCommand[];
  /** Commands that gave no help, and those that were not asked. */
  readonly withoutHelp: readonly string[];
  readonly unasked: readonly string[];
}

/** Counts what `tools` have of the help in `tree`. */
export function reportOn(
  { commands, withoutHelp, unasked }: CommandTree,
  tools: readonly ToolDraft[],
  excluded: readonly ExcludedCommand[],
): GenerateReport {
  const args = tools.flatMap((tool) => tool.args);
  return {
    tools: tools.length,
    optionLines: commands.reduce((sum, { help }) => sum + help.optionLines, 0),
    unread: commands.flatMap(({ help }) => help.unread),
    positionals: commands.reduce((sum, { help }) => sum + help.positionals.length, 0),
    lostPositionals: commands.flatMap(({ words, help }) => {
      return help.lostPositionals.map((name) => [...words, name].join(" "));
    }),
    guesses: tools.length + args.flatMap(({ guesses }) => guesses).length,
    undescribedTools: tools.filter(({ isDescribed }) => !isDescribed).map(({ name }) => name),
    arguments: args.length,
    undescribedArguments: args.filter(({ description }) => description === "").length,
    excluded,
    withoutHelp: withoutHelp.map((each) => each.join(" ")),
    unasked: unasked.map((each) => each.join(" ")),
  };
}

/** True when nothing says what the tools and their arguments are for. */
export function isTooThin({ tools, undescribedTools, ...report }: GenerateReport): boolean {
  return undescribedTools.length === tools && report.undescribedArguments === report.arguments;
}

export function figuresOf(report: GenerateReport): string {
  const { tools, optionLines, unread, positionals, lostPositionals, guesses } = report;
  const seen = positionals + lostPositionals.length;
  return [
    plural(tools, "tool"),
    `options: ${thousands(optionLines - unread.length)} of ${thousands(optionLines)} understood`,
    `positional arguments: ${positionals} of ${seen} found`,
    `guesses: ${guesses}`,
  ].join("; ");
}

/** What is missing: a title, and the items. */
export function lossesOf(report: GenerateReport): [title: string, items: readonly string[]][] {
  const { undescribedArguments: bare, arguments: all } = report;
  const losses: [string, readonly string[]][] = [
    ["Options not understood", report.unread],
    ["Positional arguments not found", report.lostPositionals],
    ["No description found for", report.undescribedTools],
    ["Without a description", bare === 0 ? [] : [`${bare} of ${plural(all, "argument")}`]],
    ["Left out", report.excluded.map(({ words, reason }) => `${words.join(" ")} (${reason})`)],
    ["Without help", report.withoutHelp],
    ["Not asked: too deep, or too many", report.unasked],
  ];
  return losses.filter(([, items]) => items.length > 0);
}
