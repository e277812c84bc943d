/**
 * Typed arguments → why they may not be used. The values are coerced and have the defaults filled
 * in; what cannot be decided is refused.
 */

import { quote } from "../text/excerpt.ts";
import { isWithin } from "./paths.ts";
import type { Runner } from "../tool/runner.ts";
import type { Arg, ArgRole, ArgValue, ArgValues, Constraint, Tool } from "../tool/tool.ts";

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

/** Everything the policy has against `values`; `cwd` is the directory the call would run in. */
export async function checkConstraints(
  args: readonly Arg[],
  values: ArgValues,
  cwd: string | undefined,
): Promise<Objection[]> {
  const refusals: Objection[] = [];
  for (const { name, role, constraint } of args) {
    const value = values.get(name);
    if (value === undefined || constraint === undefined) continue;
    refusals.push(...checkText(name, value, constraint), ...checkNumber(name, value, constraint));
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

function checkText(arg: string, value: ArgValue, { pattern }: Constraint): Objection[] {
  const given = String(value);
  if (pattern === undefined || pattern.matches(given)) return [];
  const text = `Argument '${arg}': value ${
    quote(given)
  } does not match pattern '${pattern.source}'`;
  return [{ arg, text, rule: "pattern" }];
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
