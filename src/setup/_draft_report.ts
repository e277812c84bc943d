/**
 * Summarizes what `climax generate` has drafted: what was read from a program's help, and what the drafted config
 * lacks.
 */

import { listNames } from "../text/excerpt.ts";
import { plural } from "../text/plural.ts";
import { type ExcludedCommand, needless } from "./_excluded_options.ts";
import type { ToolDraft } from "./_tool_draft.ts";
import type { CommandNode, CommandTree } from "./_tree.ts";

export type DraftReport = ReturnType<typeof reportOn>;

export const maxItems = 20;

/** Matches a sentence that says that a help text is not complete, such as "See all commands with --list". */
const otherParts =
  /^(?! *-(?!-help)|.*(?:<\w+>|\[command\]|\b(?:about|on) an? ))(?=.*\b(?:all|more|full|extra|advanced|global|details)\b).*(?:--help[-=]\w|--help all|--list\b(?!-)|\bhelp (?:all|flags|options|topics|commands)\b|(?<!\\)\bhelp['"]|['"`]man ).*$/im;

export function reportOn(
  { commands, withoutHelp, unasked }: CommandTree,
  tools: readonly ToolDraft[],
  excluded: readonly ExcludedCommand[],
) {
  const args = tools.flatMap((tool) => tool.args);
  const bare = args.filter(({ description }) => description === "").length;
  const guesses = tools.length + args.flatMap(({ guesses }) => guesses).length;
  const lines = commands.flatMap(({ help }) => help.optionLines).reduce((sum, each) => sum + each);
  const ofHelps = (namesOf: (node: CommandNode) => readonly string[], reason = "") =>
    commands.flatMap((node) =>
      namesOf(node).map((name) => `${[...node.words, name].join(" ").trim()}${reason}`)
    );
  const named = (words: readonly string[], reason: string) => `${words.join(" ")} (${reason})`;
  const leftOut = Map.groupBy(
    tools.flatMap((tool) => tool.leftOut.map((option) => ({ ...option, tool: tool.name })))
      .filter(({ reason }) => !needless.has(reason)),
    ({ name }) => name,
  );
  const putBack = [...leftOut].map(([name, all]) => {
    const of = [...new Set(all.map(({ tool }) => tool))];
    return of.length === tools.length ? name : `${name} (${listNames(of, 3)})`;
  });
  const withoutTool = [
    ...excluded.map(({ words, reason }) => named(words, reason)),
    ...ofHelps(({ help }) => help.dropped.filter((name) => name !== "help"), " (about itself)"),
    ...withoutHelp.map((words) => named(words, "no help")),
    ...unasked.map((words) => named(words, "too deep, or too many")),
  ];
  const more = commands.flatMap(({ words, help, text }) => {
    const isShort = help.layout === "git" && words.length > 1;
    return isShort ? `${words.join(" ")} -h` : otherParts.exec(text)?.[0].trim() ?? [];
  });
  const losses: readonly (readonly [title: string, items: readonly string[]])[] = [
    ["Not understood", commands.flatMap(({ help }) => [...help.unread, ...help.lost])],
    [
      "Perhaps misread, compare with the help",
      tools.flatMap(({ name, doubtful }) => doubtful.map((each) => `${name} ${each}`)),
    ],
    ["Positional arguments not found", ofHelps(({ help }) => help.lostPositionals)],
    ["Options left out; --include=--NAME puts one back", putBack],
    ["Tools that may do nothing", tools.flatMap(({ name, isUseless }) => isUseless ? name : [])],
    ["Forms of a call without a tool", ofHelps(({ help }) => help.otherUsages)],
    ["No description found", tools.flatMap(({ name, isDescribed }) => isDescribed ? [] : name)],
    ["Without a description", bare === 0 ? [] : [`${bare} of ${plural(args.length, "argument")}`]],
    ["More than its help has", more],
    ["Commands without a tool; --include=NAME drafts one", withoutTool],
    ["With the options of the command above", ofHelps(({ sharesHelp }) => sharesHelp ? [""] : [])],
  ];
  return {
    tools: tools.length,
    figures: `${plural(tools.length, "tool")}, ${plural(args.length, "argument")}; ${
      plural(lines, "line")
    } of options; guesses: ${guesses}`,
    losses: losses.map(([title, items]) => [title, [...new Set(items)]] as const)
      .filter(([, items]) => items.length > 0)
      .map(([title, items]) => `${title} (${items.length}): ${listNames(items, maxItems)}`),
  };
}
