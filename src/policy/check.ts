/**
 * Typed arguments → why they may not be used. The values are coerced and have the defaults filled
 * in; what cannot be decided is refused.
 */

import { quote } from "../text/excerpt.ts";
import { plural } from "../text/plural.ts";
import { isWithin } from "./paths.ts";
import type { ExecutionLocation } from "../tool/runner.ts";
import type { Arg, ArgRole, ArgValue, ArgValues, Constraint, Pattern } from "../tool/tool.ts";

/** The reason why a value may not be used, and which rule says so. */
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
  return args.flatMap(({ name, role, constraint, fixed }) => {
    const value = values.get(name);
    // What is fixed no agent has chosen
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
 * Whether the value is a token that no option consumes. A `flag` may be a plain word, such as `dev` of
 * `ip addr show dev NAME`; what follows that is read like anything else. After `--` nothing is.
 */
function standsByItself(role: ArgRole): boolean {
  if (role.kind === "positional") return true;
  if (role.kind === "placed") return role.standsAlone;
  if (role.kind !== "flag" || role.flag.endsWith("=")) return false;
  return !role.flag.startsWith("-") || role.flag === "-";
}

/** Everything the policy has against `values`, seen from `place`. */
export async function checkConstraints(
  args: readonly Arg[],
  values: ArgValues,
  place: ExecutionLocation,
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
          ? await checkItem(arg, item, constraint, place)
          : [notSingle(arg.name, item)],
      );
    }
  }
  return objections;
}

/** What there is against one value, which may be an item of a list. */
async function checkItem(
  arg: Arg,
  value: ArgValue,
  constraint: Constraint,
  { directory: cwd, startIn = cwd }: ExecutionLocation,
): Promise<Objection[]> {
  const { name, role } = arg;
  const { pattern, within } = constraint;
  const isPlace = role.kind === "cwd";
  // A directory is matched as the program gets it
  const used = isPlace ? cwd ?? value : value;
  const objections = [
    ...(pattern === undefined ? [] : checkPattern(name, used, pattern)),
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

/** What a check looks at: each item of a list as if it stood alone. */
export function itemsOf(value: ArgValue): readonly (ArgValue | null)[] {
  return Array.isArray(value) ? value : [value];
}

/** Returns whether `value` is one that a check can look at. */
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

/** Characters of a value that a pattern is tried on: far beyond any that one is written for. */
const maxMatched = 32_768;

/** Returns whether the whole of `value` matches. */
export function checkPattern(arg: string, value: ArgValue, pattern: Pattern): Objection[] {
  const given = String(value);
  const subject = `Argument '${arg}': value ${quote(given)}`;
  if (given.length > maxMatched) {
    const text = `${subject} is longer than ${maxMatched} characters, so pattern ` +
      `'${pattern.source}' is not tried`;
    return [{ arg, text, rule: "pattern" }];
  }
  if (pattern.matches(given)) return [];
  return [{ arg, text: `${subject} does not match pattern '${pattern.source}'`, rule: "pattern" }];
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

/** Returns whether `value` lies between the bounds, which are inside. */
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
