/** Converts the arguments of a call to their types and adds defaults, or says what is wrong with the arguments. */

import { quote } from "../text/excerpt.ts";
import { parseJsonText } from "../text/message_scan.ts";
import { nearNames } from "../text/similar_names.ts";
import type { unknownRefused } from "../tool/annotations.ts";
import type { Arg, ArgValue, ArgValues, Tool } from "../tool/tool.ts";
import { valueBySchema } from "../tool/schema_value.ts";
import { renameAliases } from "../tool/aliases.ts";
import { argNames, InvalidValue, readValue, validateValue } from "../tool/value.ts";
import { ownProperty } from "../text/own_property.ts";

type Coercion =
  | {
    readonly ok: true;
    readonly values: ArgValues;
    readonly unknown: readonly string[];
  }
  | { readonly ok: false; readonly reasons: readonly string[]; readonly help: readonly string[] };

interface CoerceOptions {
  /** Which unknown keys make the call fail: all, those similar to an argument, or none. @default similar */
  readonly refuses?: ReturnType<typeof unknownRefused> | undefined;
  readonly refusesDryRuns?: boolean | undefined;
}

/** Returns whether `key` is a model's reason for the call, such as `reason` with a text. It is then ignored. */
export function isExplanation(key: string, value: unknown): boolean {
  const word = bareWord(key);
  if (typeof value !== "string" || word === "prompt" && !/\s/.test(value)) return false;
  return /^(?:reason(?:ing|s)?|explanation|explain|thoughts?|thinking|rationale|justification|description|prompt|instructions?)$/
    .test(word);
}

/**
 * Returns whether a key asks for a dry run: `dry_run: true`, `--whatIf`, `mode: "plan-only"`. If the tool ignored it,
 * it would do the real thing.
 */
function asksForDryRun(key: string, value: unknown, level = 0): boolean {
  if (value === null || value === false || value === 0) return false;
  if (typeof value === "string" && /^(?:|false|no|off|none|0)$/i.test(value.trim())) return false;
  if (dryRunWord.test(bareWord(key))) return true;
  if (typeof value === "string") return dryRunWord.test(bareWord(value));
  if (typeof value !== "object" || level > 2) return false;
  return Object.entries(value as object).slice(0, maxCompared)
    .some(([name, inner]) => asksForDryRun(Array.isArray(value) ? "" : name, inner, level + 1));
}

const dryRunWords = [
  ...["dryrun", "dry", "simulat(?:e|ed|ion)", "preview", "no(?:op|operation)", "whatif", "pretend"],
  ...["(?:check|plan|test|validate|show|print|preview|simulate)only", "justprint", "trialrun"],
  "(?:no|dont|donot)(?:exec|execute|run|apply|act)",
];
const dryRunWord = new RegExp(
  `^(?:is|do|as|use|run|with|in)?(?:${dryRunWords.join("|")})(?:mode|run)?$`,
);

function bareWord(word: string): string {
  return word.slice(0, 60).replaceAll(/[^\p{L}\p{N}]/gu, "").toLowerCase();
}

export function coerceArgs(
  { args, input, isOpen = false }: Pick<Tool, "args" | "input" | "isOpen">,
  sent: Readonly<Record<string, unknown>>,
  { refuses = "similar", refusesDryRuns = false }: CoerceOptions = {},
): Coercion {
  const { given, reasons: contradictions } = renameAliases(args, sent);
  const missing: string[] = [];
  const mistyped: string[] = [];
  const notAllowed: string[] = [];
  const values = new Map<string, ArgValue>();
  for (const arg of args) {
    if (arg.fixed !== undefined) {
      values.set(arg.name, arg.fixed);
      continue;
    }
    const own = ownProperty(given, arg.name);
    if (own === undefined || own === null) {
      if (arg.required) missing.push(`Missing required argument '${arg.name}'`);
      else if (arg.default !== undefined) values.set(arg.name, arg.default);
      continue;
    }
    const raw = input !== undefined
      ? valueBySchema(own, ownProperty(input.properties, arg.name), input)
      : arg.type === "json"
      ? parseJsonText(own)
      : own;
    const value = readValue(raw, arg);
    if (value instanceof InvalidValue) {
      mistyped.push(`Argument '${arg.name}': ${value.reason}`);
    } else {
      notAllowed.push(...validateValue(value, arg));
      values.set(arg.name, value);
    }
  }
  if (isOpen) {
    const { all } = argNames(args);
    for (const [name, value] of Object.entries(given)) {
      if (!all.has(name) && value !== undefined) values.set(name, value as ArgValue);
    }
  }
  const names = unknownNames(args, given);
  const similar = similarNames(args, given, names);
  const dryRunKeys = refusesDryRuns && !isOpen
    ? names.slice(0, maxRead).filter((key) => asksForDryRun(key, given[key]))
    : [];
  const refused = names.filter((key) => {
    return refuses === "unknown" || dryRunKeys.includes(key) ||
      (refuses === "similar" && similar.has(key));
  });
  const strange = (missing.length > 0 ? [] : refused.slice(0, maxCompared))
    .map((key) => `Unknown argument ${quote(key)}`);
  const reasons = [...contradictions, ...missing, ...mistyped, ...notAllowed, ...strange];
  if (reasons.length === 0) return { ok: true, values, unknown: names };
  const near = Array.from(similar, ([key, own]) => `${quote(key)}: did you mean ${own.join(", ")}`);
  const notRun = dryRunKeys.slice(0, 1)
    .map((key) => `Nothing was run: the tool has no way to do ${quote(key)}`);
  return { ok: false, reasons, help: [...near, ...notRun] };
}

/** At most this many unknown keys are compared with arguments or named in an answer: an agent may send a million. */
export const maxCompared = 20;
const maxRead = 200;

function unknownNames(args: readonly Arg[], given: Readonly<Record<string, unknown>>): string[] {
  const { free } = argNames(args);
  const keys = Object.keys(given).filter((key) => !free.has(key) && given[key] !== null);
  return keys.length > maxRead ? keys : keys.filter((key) => !isExplanation(key, given[key]));
}

function similarNames(
  args: readonly Arg[],
  given: Readonly<Record<string, unknown>>,
  keys: readonly string[],
): ReadonlyMap<string, readonly string[]> {
  if (keys.length === 0) return new Map();
  const absent = [...argNames(args).free].filter((name) => {
    return !Object.hasOwn(given, name) || given[name] === null;
  });
  return new Map(
    keys.slice(0, maxCompared).flatMap((key) => {
      const near = nearNames(key, absent).filter((name) => {
        return Math.min(key.length, name.length) > 2 || key.toLowerCase() === name.toLowerCase();
      });
      return near.length === 0 ? [] : [[key, near] as const];
    }),
  );
}
