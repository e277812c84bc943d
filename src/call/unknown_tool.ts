/** Finds the tool that is meant by a name that no tool, or more than one, has; else suggests tools in a refusal. */

import { namesLike, toolIndexOf } from "../catalog/tool_index.ts";
import { type ToolTable, withoutClientPrefix } from "../catalog/tool_table.ts";
import { excerpt, quote } from "../text/excerpt.ts";
import { isObject } from "../text/own_property.ts";
import { stopWords } from "../text/stop_words.ts";
import { readSynonyms } from "../text/synonyms.ts";
import { separateCamelCase, splitWords, toTerm } from "../text/words.ts";
import { renameAliases } from "../tool/aliases.ts";
import { kindOfName } from "../tool/feature.ts";
import type { Refusal } from "../tool/runner.ts";
import type { Tool } from "../tool/tool.ts";
import { argNames } from "../tool/value.ts";
import { isId } from "../jobs/job.ts";
import { cancelTool, statusTool } from "../jobs/jobs.ts";
import { isExplanation } from "./coerce.ts";
import { refusal } from "./refusal.ts";

/** Where several tools have a name, at most this many of them are named. */
export const maxMeant = 6;

/** Returns whether `tool` has an argument for each key of `sent`, and if `isWhole`, gets all that it requires. */
export function hasPlaces(tool: Tool, sent: Readonly<Record<string, unknown>>, isWhole = false) {
  return countFaults(tool, sent, isWhole) === 0;
}

function countFaults({ args }: Tool, sent: Readonly<Record<string, unknown>>, isWhole: boolean) {
  const { given } = renameAliases(args, sent);
  const { free } = argNames(args);
  const missing = args.filter(({ name, required }) => required && !Object.hasOwn(given, name));
  return Object.keys(given).filter((key) => !free.has(key) && !isExplanation(key, given[key]))
    .length +
    (isWhole ? missing.length : 0);
}

/** Returns whether a name of `tool` ends in `value`, as `git_stash_pop` does in `pop`. */
export function endsIn({ name, aliases = [] }: Tool, value: unknown): boolean {
  if (typeof value !== "string" || value.length < 3) return false;
  const end = value.replace(/^-+/, "").replaceAll("-", "_");
  return [name, ...aliases].some((each) => each === end || each.endsWith(`_${end}`));
}

/**
 * Chooses among the tools `meant` by a name the one whose arguments fit best (of equals that only read, the one with
 * most arguments). A key such as `pop: true` or `command: "view"` may name the end of a tool's name, and is then no
 * argument.
 */
export function chooseTool(index: ToolTable, meant: readonly Tool[], args: unknown) {
  const sent = isObject(args) ? args : {};
  const word = Object.keys(sent).find((key) => {
    return (typeof sent[key] === "string" || sent[key] === true) &&
      meant.every((tool) => !hasPlaces(tool, { [key]: "" }));
  });
  const { [word ?? ""]: said, ...rest } = sent;
  const value = said === true ? word : said;
  const ending = index.tools.filter((tool) => {
    return endsIn(tool, value) && (meant.includes(tool) || hasPlaces(tool, rest, true));
  });
  // `git_stash` with `list` is `git_stash_list`, and not `git_branch_list`
  const stems = meant.flatMap(({ name, aliases = [] }) => [name, ...aliases]);
  const longer = ending.filter(({ name }) => stems.some((stem) => name.startsWith(`${stem}_`)));
  const spelt = longer.length > 0 ? longer : ending.length === 1 ? ending : [];
  const given = spelt.length > 0 ? rest : args;
  const rated = (spelt.length > 0 ? spelt : meant).map((tool) => {
    return { tool, args: given, faults: countFaults(tool, isObject(given) ? given : {}, true) };
  }).toSorted((a, b) => a.faults - b.faults || b.tool.args.length - a.tool.args.length);
  const best = rated.filter(({ faults }) => faults === rated[0]!.faults);
  const [first] = best;
  // A destructive tool must be called by its own name, so that none is run by a guess
  const { effect, plainEffect = effect } = first?.tool ?? {};
  const isOwn = meant.length === 1 && first?.tool === meant[0];
  const isSure = isOwn || plainEffect !== "destructive";
  return isSure && (best.length === 1 || best.every(({ tool }) => tool.effect === "read"))
    ? first
    : undefined;
}

/** Matches the beginning of words that always mean to delete. */
const removing = /^(?:delet|remov|rm|eras|del)/;

/**
 * Finds the only tool whose name has a word or synonym for each word of `name`: `files_remove` for `files_delete`. Only
 * bundled and built-in tools are found, since the meaning of other names is not known. A fixed subcommand that changes
 * something (`docker start`) must be in `name`: `docker_run` may be another command.
 */
export function synonymOf(index: ToolTable, name: string): readonly Tool[] {
  const termsOf = (text: string) => {
    return splitWords(separateCamelCase(text.slice(0, 60))).filter((word) => !stopWords.has(word))
      .map(toTerm);
  };
  const words = termsOf(withoutClientPrefix(name));
  if (words.length < 2) return [];
  const synonyms = readSynonyms();
  const isMeant = (one: string, other: string) => {
    return one === other ||
      [[one, other], [other, one]].every(([a, b]) => synonyms.get(a!)?.map(toTerm).includes(b!));
  };
  const found = index.tools.filter((tool) => {
    const own = termsOf(tool.name);
    const fixed = tool.effect === "write" ? tool.subcommand?.map(toTerm) : undefined;
    return own.length === words.length &&
      own.every((word) => words.some((each) => isMeant(word, each))) &&
      own.every((word) => !fixed?.includes(word) || words.includes(word)) &&
      words.every((word) => own.some((each) => isMeant(word, each)));
  });
  // `delete_all_files` and `delete_except` would delete other files than the tool found does
  const isPlain = found[0]?.effect !== "destructive" ||
    words.some((word) => removing.test(word)) &&
      splitWords(name).every((word) => !stopWords.has(word));
  const { isBundled, isBuiltin } = found[0]?.owner ?? {};
  return found.length === 1 && isPlain && (isBundled || isBuiltin) ? found : [];
}

/** Returns the call of a job tool if `args` has a job's id: it ends the job if `name` has a word such as `kill`. */
export function jobMeant(index: ToolTable, name: string, args: unknown) {
  const id = Object.values(isObject(args) ? args : {}).find((value) => {
    return typeof value === "string" && isId(value, "j");
  });
  const words = splitWords(separateCamelCase(name.slice(0, 200)));
  const isEnd = words.some((word) => /^(?:kill|stop|cancel|end|terminate|abort)/.test(word));
  const tool = index.get(isEnd ? cancelTool : statusTool);
  return id === undefined || tool === undefined ? undefined : { tool, args: { id } };
}

/** Refuses with `Unknown tool: X`, and suggests tools in the help. */
export function unknownTool(
  name: string,
  hints: readonly string[],
  help: readonly string[] = [],
): Refusal {
  const kind = kindOfName(name);
  const shown = excerpt(kind === undefined ? name : name.slice(kind.length + 1), 200);
  const meant = hints.length === 0 ? [] : [`Did you mean: ${hints.join(", ")}`];
  return refusal(`Unknown ${kind ?? "tool"}: ${shown.toWellFormed()}`, "unknown tool", [
    ...meant,
    ...help,
  ]);
}

/** Refuses an unknown name; suggests tools for the command in its arguments, or those that its words find. */
export function refuseUnknown(index: ToolTable, name: string, args: unknown): Refusal {
  const isTool = kindOfName(name) === undefined;
  const command = isTool ? commandIn(index, args) : undefined;
  if (command !== undefined) {
    const { line, tools } = command;
    const running = index.tools.filter(({ requires, args }) => {
      return requires === "sandbox" && args.some((arg) => arg.name === "program");
    }).map(({ name }) => name).join(", ");
    const instead = tools.length > 0
      ? `for ${line}: ${tools.join(", ")}`
      : `no tool for ${line}${running && `; scripts and installed programs: ${running}`}`;
    return unknownTool(name, [], [`There is no shell; ${instead}`]);
  }
  const hints = isTool ? namesLike(index, name) : [];
  if (!isTool || hints.length > 0) return unknownTool(name, hints);
  const words = splitWords(separateCamelCase(name.slice(0, 200)));
  const near = toolIndexOf(index).search({ query: words.join(" "), limit: 3 })
    .filter(({ tool_name, cli_name }) => {
      return splitWords(tool_name).some((word) => word !== cli_name && words.includes(word));
    })
    .map((entry) => entry.tool_name);
  return unknownTool(name, [], [
    `There is no tool like it${near.length === 0 ? "" : `; nearest: ${near.join(", ")}`}`,
  ]);
}

/** Matches words in front of a command: a shell and its options, a variable, a program that runs another. */
const before = /^(?:[\w/]*sh|-\w*c|\w+=.*|sudo|env|time|npx)$/;

function commandWords(text: string): string[] {
  const parts = text.split(/\d?[<>]|[|;&\n]/).map((part) => part.trim());
  const words = parts.find((part) => part !== "" && !/^cd\s/.test(part))?.split(/\s+/) ?? [];
  const first = words.findIndex((word) => !before.test(word));
  return first === -1 ? [] : words.slice(first).map((word) => word.replace(/^["']/, ""));
}

function commandIn(index: ToolTable, args: unknown) {
  const [, value] = Object.entries(isObject(args) ? args : {})
    .find(([key]) => /^(?:command|cmd|script|argv)$/.test(key)) ?? [];
  const all = commandWords([value].flat().join(" ").slice(0, 400));
  const line = all.join(" ");
  const words = all.filter((word) => /^\w[\w./-]*$/.test(word)).slice(0, 6);
  const [program] = words;
  if (program === undefined || !/^[\w./]/.test(line)) return undefined;
  const named = [3, 2, 1].flatMap((count) => {
    return index.meantBy(words.slice(0, count).join("_").replaceAll("-", "_"));
  });
  const found = words.length < 2 || !index.tools.some(({ owner }) => owner.name === program)
    ? []
    : toolIndexOf(index).search({ query: words.join(" "), cli: program, limit: 3 });
  const names = [...named.map(({ name }) => name), ...found.map((entry) => entry.tool_name)];
  return { line: quote(excerpt(line.trim(), 60)), tools: [...new Set(names)].slice(0, 4) };
}
