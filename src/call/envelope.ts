/** Reads which tool, with which arguments, a call of `climax_call` means. Arguments in a wrong place count, too. */

import type { ToolTable } from "../catalog/tool_table.ts";
import { canonicalJson, isObject, ownProperty } from "../text/own_property.ts";
import { describeValue, quote } from "../text/excerpt.ts";
import { parseJsonText } from "../text/message_scan.ts";
import { declaresOthers } from "../tool/annotations.ts";
import type { Tool } from "../tool/tool.ts";
import { isExplanation } from "./coerce.ts";
import { splitAlias } from "../tool/aliases.ts";

/** The keys of a call of `climax_call`, each with other names that models write in its place. */
export const callKeys = {
  tool_name: ["name", "tool"],
  args: ["arguments", "parameters", "params", "input"],
} as const;

const nameKeys: readonly string[] = ["tool_name", ...callKeys.tool_name];
const argKeys: readonly string[] = ["args", ...callKeys.args];

const isOther = (key: string) => nameKeys.includes(key) || argKeys.includes(key);

const maxLevels = 3;

type Given = Readonly<Record<string, unknown>>;

type ReadCall =
  | { readonly tool: string; readonly args: unknown }
  | { readonly reason: string };

export function readCall(given: Given, index: Pick<ToolTable, "resolve">): ReadCall {
  const name = toolNameIn(given);
  if (name === undefined) {
    const { tool_name: wrong } = given;
    return {
      reason: wrong === undefined || wrong === null
        ? "Missing required argument 'tool_name'"
        : `Argument 'tool_name': expected the name of a tool, found ${describeValue(wrong)}`,
    };
  }
  const args = given["args"] ?? undefined;
  const isPlain = isObject(args) && Object.keys(given).length === 2 && given["tool_name"] === name;
  if (isPlain && !Object.keys(args).some(isOther)) return { tool: name, args };
  if (args !== undefined && !isObject(parseJsonText(args))) return { tool: name, args };
  return mergeArgs(given, name, index.resolve(name));
}

export function toolNameIn(given: unknown): string | undefined {
  if (
    !isObject(given) || !["undefined", "string"].includes(typeof (given["tool_name"] ?? undefined))
  ) {
    return undefined;
  }
  const key = nameKeys.find((each) => typeof ownProperty(given, each) === "string");
  if (key !== undefined) return given[key] as string;
  return argKeys.map((each) => parseJsonText(ownProperty(given, each)))
    .filter((inner) => isObject(inner) && argKeys.some((each) => Object.hasOwn(inner, each)))
    .map((inner) => nameKeys.map((each) => ownProperty(inner, each)))
    .flat().find((each) => typeof each === "string");
}

function mergeArgs(given: Given, name: string, tool: Tool | undefined): ReadCall {
  const values = new Map<string, unknown>();
  let reason: string | undefined;
  const own = new Set(
    tool?.args.flatMap(({ name, aliases = [] }) => [name, ...aliases.flatMap(splitAlias)]),
  );
  const isName = (key: string, value: unknown, level: number): boolean => {
    if (!nameKeys.includes(key) || own.has(key) && (level > 0 || key !== "tool_name")) return false;
    if (value === name) return true;
    const isPlain = typeof value === "string" && (level === 0 || key === "tool_name");
    if (tool === undefined || !isPlain) return false;
    reason = `'tool_name' and '${key}' differ: ${quote(name)}, ${quote(value)}`;
    return true;
  };
  const isWrapper = (key: string, level: number): boolean => {
    if (level === 0 && key === "args") return true;
    if (level >= maxLevels || !argKeys.includes(key) || own.has(key)) return false;
    return level === 0 || (tool !== undefined && !declaresOthers(tool));
  };
  const read = (part: Given, level: number): void => {
    for (const [key, value] of Object.entries(part)) {
      if (level === 0 && (value ?? undefined) === undefined || isName(key, value, level)) continue;
      const inner = isWrapper(key, level) ? parseJsonText(value) : undefined;
      // A model's reason for the call is meant for climax, so the tool's server does not get it
      const isDropped = level === 0 && isExplanation(key, value) && !own.has(key);
      if (isObject(inner)) read(inner, level + 1);
      else if (values.has(key) && canonicalJson(values.get(key)) !== canonicalJson(value)) {
        reason = `Argument ${quote(key)} is given twice, with different values`;
      } else if (!isDropped) values.set(key, value);
    }
  };
  read(given, 0);
  return reason === undefined ? { tool: name, args: Object.fromEntries(values) } : { reason };
}
