/**
 * Reads the tool and the arguments from a call of `climax_call`. Arguments in a wrong place are accepted if only one
 * meaning is possible, and never dropped.
 */

import type { ToolTable } from "../catalog/tool_table.ts";
import { canonicalJson, isObject, ownProperty } from "../text/own_property.ts";
import { describeValue, quote } from "../text/excerpt.ts";
import { parseJsonText } from "../text/message_scan.ts";
import { declaresOthers } from "../tool/annotations.ts";
import type { Tool } from "../tool/tool.ts";
import { isExplanation } from "./coerce.ts";
import { splitAlias } from "../tool/aliases.ts";

/** The keys of such a call, each with other names that models use for it. */
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
  // Most calls are well formed and need no further reading
  if (isPlain && !Object.keys(args).some(isOther)) return { tool: name, args };
  if (args !== undefined && !isObject(parseJsonText(args))) return { tool: name, args };
  const reading = new Reading(name, index.resolve(name));
  reading.read(given, 0);
  return reading.reason === undefined
    ? { tool: name, args: Object.fromEntries(reading.values) }
    : { reason: reading.reason };
}

/** Returns the name of the tool; if it is not beside the arguments, it is searched inside of them. */
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

class Reading {
  readonly values = new Map<string, unknown>();
  reason: string | undefined;
  readonly #name: string;
  readonly #tool: Tool | undefined;
  readonly #args: ReadonlySet<string>;

  constructor(name: string, tool: Tool | undefined) {
    this.#name = name;
    this.#tool = tool;
    this.#args = new Set(
      tool?.args.flatMap(({ name, aliases = [] }) => [name, ...aliases.flatMap(splitAlias)]),
    );
  }

  read(given: Given, level: number): void {
    let first: { readonly key: string; readonly inner: Given } | undefined;
    for (const [key, value] of Object.entries(given)) {
      if (level === 0 && (value === null || value === undefined)) continue;
      if (this.#isName(key, value, level)) continue;
      const inner = this.#isWrapper(key, level) ? parseJsonText(value) : undefined;
      if (!isObject(inner)) {
        this.#add(key, value, level);
      } else if (first === undefined || Object.keys(first.inner).length === 0) {
        first = { key, inner };
      } else if (
        Object.keys(inner).length > 0 && canonicalJson(inner) !== canonicalJson(first.inner)
      ) {
        this.reason = `'${first.key}' and '${key}' differ: give the arguments once, in 'args'`;
      }
    }
    if (first !== undefined) this.read(first.inner, level + 1);
  }

  #isName(key: string, value: unknown, level: number): boolean {
    const isOwn = level === 0 && key === "tool_name";
    if (!nameKeys.includes(key) || (!isOwn && this.#args.has(key))) return false;
    if (value === this.#name) return true;
    const isPlain = typeof value === "string" && (level === 0 || key === "tool_name");
    if (this.#tool === undefined || !isPlain) return false;
    this.reason = `'tool_name' and '${key}' differ: ${quote(this.#name)}, ${quote(value)}`;
    return true;
  }

  #isWrapper(key: string, level: number): boolean {
    if (level === 0 && key === "args") return true;
    if (level >= maxLevels || !argKeys.includes(key) || this.#args.has(key)) return false;
    return level === 0 || (this.#tool !== undefined && !declaresOthers(this.#tool));
  }

  #add(key: string, value: unknown, level: number): void {
    // The explanation is meant for climax and not sent on to the tool's server
    if (level === 0 && isExplanation(key, value) && !this.#args.has(key)) return;
    if (this.values.has(key) && canonicalJson(this.values.get(key)) !== canonicalJson(value)) {
      this.reason = `Argument ${quote(key)} is given twice, with different values`;
    }
    this.values.set(key, value);
  }
}
