/**
 * Typed arguments → why they may not be used. The values are coerced and have the defaults filled
 * in; what cannot be decided is refused.
 */

import { quote } from "../text/excerpt.ts";
import { isWithin } from "./paths.ts";
import type { Place } from "../tool/runner.ts";
import type { Arg, ArgRole, ArgValue, ArgValues, Constraint, Pattern } from "../tool/tool.ts";

/** Why a value may not be used, and which rule says so. */
export interface Objection {
  readonly arg: string;
  readonly text: string;
  /** `min`, `max`, `pattern`, `within` or `leading dash`. */
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
    if (!standsByItself(role) || constraint?.allowLeadingDash) return [];
    if (typeof value !== "string" || !value.startsWith("-") || value === "-") return [];
    const text = `Argument '${name}': ${quote(value)} begins with '-' and would be read as an ` +
      "option; a policy can allow it with 'allow_leading_dash: true'";
    return [{ arg: name, text, rule: "leading dash" }];
  });
}

/**
 * Whether the value is a token that no option consumes. A `flag` may be a plain word, such as `dev` of
 * `ip addr show dev NAME`; what follows that is read like anything else. After `--` nothing is.
 */
function standsByItself(role: ArgRole): boolean {
  if (role.kind === "positional") return true;
  if (role.kind !== "flag" || role.flag.endsWith("=")) return false;
  return !role.flag.startsWith("-") || role.flag === "-";
}

/** Everything the policy has against `values`, seen from `place`. */
export async function checkConstraints(
  args: readonly Arg[],
  values: ArgValues,
  place: Place,
): Promise<Objection[]> {
  const cwd = place.directory;
  const refusals: Objection[] = [];
  for (const { name, role, constraint } of args) {
    const value = values.get(name);
    if (value === undefined || constraint === undefined) continue;
    // A directory is matched as the program gets it
    const used = role.kind === "cwd" ? cwd ?? value : value;
    if (constraint.pattern !== undefined) {
      refusals.push(...checkPattern(name, used, constraint.pattern));
    }
    refusals.push(...checkNumber(name, value, constraint));
    if (constraint.within === undefined) continue;
    const path = role.kind === "cwd" ? cwd ?? "." : String(value);
    const outside = await checkWithin(
      path,
      role.kind === "cwd" ? undefined : cwd,
      constraint.within,
    );
    if (outside === undefined) continue;
    const text = `Argument '${name}': ${quote(String(value))} ${outside}`;
    refusals.push({ arg: name, text, rule: "within" });
  }
  return refusals;
}

/** Characters of a value that a pattern is tried on: far beyond any that one is written for. */
const maxMatched = 32_768;

/** Whether the whole of `value` matches. */
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

/** Whether `value` lies between the bounds, which are inside. */
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
