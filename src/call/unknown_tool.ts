/** Chooses among several tools that a name may mean, and suggests tools if no tool has the name. */

import { namesLike } from "../catalog/tool_index.ts";
import type { ToolTable } from "../catalog/tool_table.ts";
import { excerpt } from "../text/excerpt.ts";
import { isObject } from "../text/own_property.ts";
import { renameAliases } from "../tool/aliases.ts";
import { kindOfName } from "../tool/feature.ts";
import type { Refusal } from "../tool/runner.ts";
import type { Tool } from "../tool/tool.ts";
import { argNames } from "../tool/value.ts";
import { isExplanation } from "./coerce.ts";
import { refusal } from "./refusal.ts";

export const maxMeant = 6;

/**
 * Chooses the tool whose arguments fit the call best. A key such as `command: "view"` may be the end of the tool's
 * name; then it is no argument.
 */
export function chooseTool(index: ToolTable, meant: readonly Tool[], args: unknown) {
  const sent = isObject(args) ? args : {};
  const word = Object.keys(sent).find((key) => {
    return typeof sent[key] === "string" &&
      meant.every((tool) => countFaults(tool, { [key]: "" }, false) > 0);
  });
  const { [word ?? ""]: end, ...rest } = sent;
  const ending = index.tools.filter((tool) => {
    return endsIn(tool, end) && (meant.includes(tool) || countFaults(tool, rest) === 0);
  });
  const spelt = ending.length === 1 ? ending : ending.filter((tool) => meant.includes(tool));
  const [candidates, given] = spelt.length > 0 ? [spelt, rest] : [meant, args];
  const rated = candidates.map((tool) => {
    return { tool, args: given, faults: countFaults(tool, isObject(given) ? given : {}) };
  }).toSorted((a, b) => a.faults - b.faults || b.tool.args.length - a.tool.args.length);
  const best = rated.filter(({ faults }) => faults === rated[0]!.faults);
  const [first] = best;
  // A tool that destroys something is only called by its own name, never by a guess
  const { effect, plainEffect = effect } = first?.tool ?? {};
  const isOwn = meant.length === 1 && first?.tool === meant[0];
  const isSure = best.length === 1 || best.every(({ tool }) => tool.effect === "read");
  return isOwn || isSure && plainEffect !== "destructive" ? first : undefined;
}

function endsIn({ name, aliases = [] }: Tool, value: unknown): boolean {
  return typeof value === "string" && value.length > 2 &&
    [name, ...aliases].some((each) => each.endsWith(`_${value}`));
}

function countFaults(
  { args }: Tool,
  sent: Readonly<Record<string, unknown>>,
  isWhole = true,
): number {
  const { given } = renameAliases(args, sent);
  const { free } = argNames(args);
  const strange = Object.keys(given).filter((key) => {
    return !free.has(key) && !isExplanation(key, given[key]);
  });
  const missing = args.filter(({ name, required }) => {
    return isWhole && required && !Object.hasOwn(given, name);
  });
  return strange.length + missing.length;
}

export function unknownTool(
  name: string,
  hints: readonly string[],
  help: readonly string[] = [],
): Refusal {
  const kind = kindOfName(name);
  const shown = excerpt(kind === undefined ? name : name.slice(kind.length + 1), 200);
  const meant = hints.length === 0 ? [] : [`Did you mean: ${hints.join(", ")}`];
  const text = `Unknown ${kind ?? "tool"}: ${shown.toWellFormed()}`;
  return refusal(text, "unknown tool", [...meant, ...help]);
}

export function refuseUnknown(index: ToolTable, name: string, args: unknown): Refusal {
  if (kindOfName(name) !== undefined) return unknownTool(name, []);
  const command = commandIn(args);
  const hints = namesLike(index, command ?? name);
  if (hints.length > 0) return unknownTool(name, hints);
  if (command !== undefined) return unknownTool(name, [], ["There is no shell, and no such tool"]);
  return unknownTool(name, [], ["There is no tool like it"]);
}

function commandIn(args: unknown): string | undefined {
  const { command, cmd = command } = isObject(args) ? args : {};
  if (typeof cmd !== "string") return undefined;
  return cmd.slice(0, 400).split(/[|;&\n]/).map((part) => part.trim())
    .find((part) => part !== "" && !/^cd\s/.test(part));
}
