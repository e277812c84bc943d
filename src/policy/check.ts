/**
 * Typed arguments → why they may not be used. The values are coerced and have the defaults filled
 * in; what cannot be decided is refused.
 */

import { quote } from "../text/excerpt.ts";
import { plural } from "../text/plural.ts";
import { isWithin } from "./paths.ts";
import type { Runner } from "../tool/runner.ts";
import type { Arg, ArgRole, ArgValue, ArgValues, Constraint, Tool } from "../tool/tool.ts";

/** Why a value may not be used, and which rule says so. */
export interface Objection {
  readonly arg: string;
  readonly text: string;
  /** `min`, `max`, `max_length`, `pattern`, `within`, `single value` or `leading dash`. */
  readonly rule: string;
}

/**
 * Values that would be read as options: a text that begins with `-` and stands by itself, other than
 * `-` alone, which programs take for standard input. Numbers may be negative. Holds without any
 * policy, since no config can know what a program's options do (CVE-2025-68144 is one such hole).
 */
export function checkLeadingDashes(
  args: readonly Arg[],
  values: ArgValues,
): Objection[] {
  return args.flatMap(({ name, role, constraint }) => {
    const value = values.get(name);
    if (value === undefined || !standsByItself(role) || constraint?.allowLeadingDash) return [];
    return itemsOf(value).filter(isOption).map((item) => {
      const text = `Argument '${name}': ${quote(item)} begins with '-' and would be read as an ` +
        "option; a policy can allow it with 'allow_leading_dash: true'";
      return { arg: name, text, rule: "leading dash" };
    });
  });
}

function isOption(value: ArgValue | null): value is string {
  return typeof value === "string" && value.startsWith("-") && value !== "-";
}

/** What a check looks at: each item of a list as if it stood alone. */
function itemsOf(value: ArgValue): readonly (ArgValue | null)[] {
  return Array.isArray(value) ? value : [value];
}

/**
 * Whether the value is a token that no option consumes. A `flag` may be a plain word, such as `dev` of
 * `ip addr show dev NAME`; what follows that is read like anything else. After `--` nothing is.
 */
function standsByItself(role: ArgRole): boolean {
  if (role.kind === "positional") return true;
  if (role.kind === "placed") return role.standsAlone;
  if (role.kind !== "flag" || role.flag.endsWith("=")) return false;
  return !role.flag.startsWith("-") || role.flag === "-";
}

/** Everything the policy has against `values`; `cwd` is the directory the call would run in. */
export async function checkConstraints(
  args: readonly Arg[],
  values: ArgValues,
  cwd: string | undefined,
): Promise<Objection[]> {
  const refusals: Objection[] = [];
  for (const arg of args) {
    const value = values.get(arg.name);
    if (value === undefined || arg.constraint === undefined) continue;
    for (const item of itemsOf(value)) {
      refusals.push(...await checkItem(arg, item, arg.constraint, cwd));
    }
  }
  return refusals;
}

/** What there is against one value, which may be an item of a list. */
async function checkItem(
  { name, role }: Arg,
  value: ArgValue | null,
  constraint: Constraint,
  cwd: string | undefined,
): Promise<Objection[]> {
  const { pattern, min, max, maxLength, within } = constraint;
  if (value === null || typeof value === "object") {
    if ([pattern, min, max, maxLength, within].every((each) => each === undefined)) return [];
    const text = `Argument '${name}': ${quote(JSON.stringify(value))} is no single value, so it ` +
      "cannot be checked";
    return [{ arg: name, text, rule: "single value" }];
  }
  const objections = [
    ...checkText(name, value, constraint),
    ...checkNumber(name, value, constraint),
    ...checkLength(name, value, constraint),
  ];
  if (within === undefined) return objections;
  if (role.kind === "placed" && role.isShared) {
    const text =
      `Argument '${name}': ${quote(String(value))} is joined with another value, so it ` +
      `may lie outside '${within}'`;
    return [...objections, { arg: name, text, rule: "within" }];
  }
  const isPlace = role.kind === "cwd";
  const path = isPlace ? cwd ?? "." : String(value);
  const outside = await checkWithin(path, isPlace ? undefined : cwd, within);
  if (outside === undefined) return objections;
  const text = `Argument '${name}': ${quote(String(value))} ${outside}`;
  return [...objections, { arg: name, text, rule: "within" }];
}

function checkText(arg: string, value: ArgValue, { pattern }: Constraint): Objection[] {
  const given = String(value);
  if (pattern === undefined || pattern.matches(given)) return [];
  const text = `Argument '${arg}': value ${
    quote(given)
  } does not match pattern '${pattern.source}'`;
  return [{ arg, text, rule: "pattern" }];
}

function checkLength(arg: string, value: ArgValue, { maxLength }: Constraint): Objection[] {
  const text = String(value);
  // Code points are at most as many as code units, and at least half
  if (maxLength === undefined || text.length <= maxLength) return [];
  if (text.length <= 2 * maxLength && [...text].length <= maxLength) return [];
  const subject = `Argument '${arg}': value ${quote(text)}`;
  return [{
    arg,
    text: `${subject} is longer than ${plural(maxLength, "character")}`,
    rule: "max_length",
  }];
}

function checkNumber(arg: string, value: ArgValue, { min, max }: Constraint): Objection[] {
  if (min === undefined && max === undefined) return [];
  const subject = `Argument '${arg}': value ${quote(String(value))}`;
  const rule = min === undefined ? "max" : "min";
  if (typeof value !== "number") {
    const bound = min === undefined ? `maximum ${max}` : `minimum ${min}`;
    return [{ arg, text: `${subject} is not a number, so ${bound} cannot be checked`, rule }];
  }
  if (min !== undefined && !(value >= min)) {
    return [{ arg, text: `${subject} is less than minimum ${min}`, rule: "min" }];
  }
  if (max !== undefined && !(value <= max)) {
    return [{ arg, text: `${subject} is greater than maximum ${max}`, rule: "max" }];
  }
  return [];
}

/** What is wrong with where `path` leads, seen from `cwd`; nothing when it is inside `directory`. */
async function checkWithin(
  path: string,
  cwd: string | undefined,
  directory: string,
): Promise<string | undefined> {
  const answer = await isWithin(path, cwd, directory);
  if ("within" in answer) return answer.within ? undefined : `lies outside '${directory}'`;
  return `cannot be resolved, so it may lie outside '${directory}': ${answer.reason}`;
}

/** One sentence for each default of `tool` that its own policy, or the rule on dashes, refuses. */
export async function checkDefaults(tool: Tool, runner: Runner | undefined): Promise<string[]> {
  const { name, args } = tool;
  const defaults = new Map(args.flatMap((arg): [string, ArgValue][] => {
    return arg.default === undefined ? [] : [[arg.name, arg.default]];
  }));
  const refusals = [
    ...checkLeadingDashes(args, defaults),
    ...await checkConstraints(args, defaults, runner?.directory?.(tool, defaults)),
  ];
  return refusals.map(({ text }) => `Tool '${name}' is refused without that argument: ${text}`);
}
