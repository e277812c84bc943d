/** Checks coerced arguments, defaults included, against a policy. What cannot be decided is refused. */

import { patternText, quote } from "../text/excerpt.ts";
import { plural } from "../text/plural.ts";
import { isWithin } from "./paths.ts";
import type { ExecutionLocation } from "../tool/runner.ts";
import type { Arg, ArgRole, ArgValue, ArgValues, Constraint, Pattern } from "../tool/tool.ts";

/** A refused value, and the rule that refuses it. */
export interface Objection {
  readonly arg: string;
  readonly text: string;
  /** `min`, `max`, `max_length`, `pattern`, `within`, `single value` or `leading dash`. */
  readonly rule: string;
}

/**
 * Refuses values that a program would read as options: a text that starts with `-` and is a token of its own, other
 * than `-` alone, which means standard input. Numbers may be negative. Applies without a policy too, since no config
 * can know what the options of a program do (CVE-2025-68144 is one such hole).
 */
export function checkLeadingDashes(
  args: readonly Arg[],
  values: ArgValues,
): Objection[] {
  return args.flatMap(({ name, role, constraint, fixed }) => {
    const value = values.get(name);
    // A fixed value is not chosen by an agent
    if (value === undefined || fixed !== undefined) return [];
    if (!standsByItself(role) || constraint?.allowLeadingDash) return [];
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

/**
 * Returns whether no option consumes the value. A `flag` may be a plain word, such as `dev` of `ip addr show dev NAME`;
 * its value is read like any other token. Nothing after `--` is an option.
 */
function standsByItself(role: ArgRole): boolean {
  if (role.kind === "positional") return true;
  if (role.kind === "placed") return role.standsAlone;
  if (role.kind !== "flag" || role.flag.endsWith("=")) return false;
  return !role.flag.startsWith("-") || role.flag === "-";
}

/** Checks all constraints on `values`, relative to `location`. */
export async function checkConstraints(
  args: readonly Arg[],
  values: ArgValues,
  location: ExecutionLocation,
): Promise<Objection[]> {
  const objections: Objection[] = [];
  for (const arg of args) {
    const value = values.get(arg.name);
    const { constraint } = arg;
    if (value === undefined || constraint === undefined) continue;
    const { pattern, min, max, maxLength, within } = constraint;
    if ([pattern, min, max, maxLength, within].every((each) => each === undefined)) continue;
    for (const item of itemsOf(value)) {
      objections.push(
        ...isSingle(item)
          ? await checkItem(arg, item, constraint, location)
          : [notSingle(arg.name, item)],
      );
    }
  }
  return objections;
}

/** One value, which may be an item of a list. */
async function checkItem(
  arg: Arg,
  value: ArgValue,
  constraint: Constraint,
  { directory: cwd, startIn = cwd }: ExecutionLocation,
): Promise<Objection[]> {
  const { name, role } = arg;
  const { pattern, within } = constraint;
  const isPlace = role.kind === "cwd";
  // A directory is matched in the form that the program gets
  const used = isPlace ? cwd ?? value : value;
  const objections = [
    ...(pattern === undefined ? [] : checkPattern(arg, used, pattern)),
    ...checkNumber(name, value, constraint),
    ...checkLength(name, value, constraint),
  ];
  if (within === undefined) return objections;
  const path = isPlace ? cwd ?? "." : String(value);
  const reason = isShared(arg)
    ? `is joined with another value, so it may lie outside '${within}'`
    : await checkWithin(path, isPlace ? undefined : startIn, within);
  if (reason === undefined) return objections;
  const text = `Argument '${name}': ${quote(String(value))} ${reason}`;
  return [...objections, { arg: name, text, rule: "within" }];
}

/** The values to check: each item of a list by itself. */
export function itemsOf(value: ArgValue): readonly (ArgValue | null)[] {
  return Array.isArray(value) ? value : [value];
}

export function isSingle(value: ArgValue | null): value is string | number | boolean {
  return value !== null && typeof value !== "object";
}

/** Returns why a value that is none by itself is refused where it has to be checked. */
export function notSingle(arg: string, value: ArgValue | null): Objection {
  const text = `Argument '${arg}': ${quote(JSON.stringify(value))} is not a single value, so it ` +
    "cannot be checked";
  return { arg, text, rule: "single value" };
}

/** Returns whether the value is only a part of what the program sees. */
export function isShared({ role }: Arg): boolean {
  return role.kind === "placed" && role.isShared;
}

/** Most characters that a pattern is matched with, far more than patterns are written for. */
const maxMatched = 32_768;

/** The pattern must match the whole value. */
export function checkPattern(
  { name, patternWords }: Pick<Arg, "name" | "patternWords">,
  value: ArgValue,
  pattern: Pattern,
): Objection[] {
  const given = String(value);
  const isTooLong = given.length > maxMatched;
  if (!isTooLong && pattern.matches(given)) return [];
  const reason = isTooLong
    ? `is longer than ${maxMatched} characters, so ${patternText(pattern.source)} is not tried`
    : patternWords === undefined
    ? `does not match ${patternText(pattern.source)}`
    : `is not allowed: expected ${patternWords}`;
  return [{
    arg: name,
    text: `Argument '${name}': value ${quote(given)} ${reason}`,
    rule: "pattern",
  }];
}

function checkLength(arg: string, value: ArgValue, { maxLength }: Constraint): Objection[] {
  const text = String(value);
  // There are at most as many code points as code units, and at least half
  if (maxLength === undefined || text.length <= maxLength) return [];
  if (text.length <= 2 * maxLength && [...text].length <= maxLength) return [];
  const subject = `Argument '${arg}': value ${quote(text)}`;
  return [{
    arg,
    text: `${subject} is longer than ${plural(maxLength, "character")}`,
    rule: "max_length",
  }];
}

/** Both bounds are inclusive. */
export function checkNumber(
  arg: string,
  value: ArgValue,
  { min, max }: Pick<Constraint, "min" | "max">,
): Objection[] {
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

/** Checks that `path`, relative to `cwd`, leads into `directory`. */
async function checkWithin(
  path: string,
  cwd: string | undefined,
  directory: string,
): Promise<string | undefined> {
  const answer = await isWithin(path, cwd, directory);
  if ("within" in answer) return answer.within ? undefined : `lies outside '${directory}'`;
  return `cannot be resolved, so it may lie outside '${directory}': ${answer.reason}`;
}
