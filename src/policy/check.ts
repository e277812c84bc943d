/** Checks coerced arguments and defaults by the limits of a tool and a policy. What cannot be checked is refused. */

import { patternText, quote } from "../text/excerpt.ts";
import { plural } from "../text/plural.ts";
import { yielding } from "../async/deadline.ts";
import { countParts, isWithin, limitReason } from "./paths.ts";
import type { ExecutionLocation, Runner } from "../tool/runner.ts";
import type {
  Arg,
  ArgRole,
  ArgValue,
  ArgValues,
  Constraint,
  Limits,
  Pattern,
  Tool,
} from "../tool/tool.ts";

export interface Objection {
  readonly arg: string;
  readonly text: string;
  readonly rule: string;
  readonly help?: string;
}

/**
 * Refuses values that a program would read as options: texts that start with `-` and are a word of their own, except
 * `-` itself. Negative numbers are allowed. A list of bad options would never be complete (CVE-2025-68144).
 */
export function checkLeadingDashes(args: readonly Arg[], values: ArgValues): Objection[] {
  return args.flatMap(({ name, role, constraint, limits, fixed, list }) => {
    const value = values.get(name);
    if (value === undefined || fixed !== undefined) return [];
    if (constraint?.allowLeadingDash || limits?.allowsLeadingDash) return [];
    if (!standsByItself(role)) return [];
    const items = itemsOf(value);
    const isPart = role.kind === "placed" && role.isPart === true;
    const isJoined = list?.separator !== undefined && items.length > 1;
    const options = items.filter((item, at) => {
      // If text follows the value in the same word, a program reads `-` and a negative number as an option, too
      const isStart = isPart || (isJoined && at === 0);
      const isText = typeof item === "string" && item !== "-";
      return String(item).startsWith("-") && (isStart || isText);
    });
    return [...new Set(options)].map((item) => {
      const reason = `${quote(String(item))} begins with '-' and would be read as an ` +
        "option; a policy can allow it with 'allow_leading_dash: true'";
      return objection(name, "leading dash", reason);
    });
  });
}

function objection(arg: string, rule: string, reason: string): Objection {
  return { arg, rule, text: `Argument '${arg}': ${reason}` };
}

/** Returns whether a program may read the value as an option, since it neither follows a flag nor the word `--`. */
function standsByItself(role: ArgRole): boolean {
  if (role.kind === "positional") return true;
  if (role.kind === "placed") return role.standsAlone;
  if (role.kind !== "flag" || role.flag.endsWith("=")) return false;
  return !role.flag.startsWith("-") || role.flag === "-";
}

export async function checkConstraints(
  args: readonly Arg[],
  values: ArgValues,
  location: ExecutionLocation,
): Promise<Objection[]> {
  const bound = args.filter(({ constraint: { pattern, min, max, maxLength, within } = {} }) => {
    return [pattern, min, max, maxLength, within].some((each) => each !== undefined);
  });
  return await checkItems(bound, values, (arg, value) => {
    return checkConstraint(arg, value, arg.constraint!, location);
  });
}

export async function checkLimits(
  args: readonly Arg[],
  values: ArgValues,
  location: ExecutionLocation,
): Promise<Objection[]> {
  const bound = args.filter(({ limits }) => limits !== undefined);
  return await checkItems(bound, values, (arg, value) => {
    return checkLimit(arg, value, arg.limits!, location);
  });
}

/** All paths of a call may have this many parts together, since each part is looked up on the disk. */
const maxPathParts = 20_000;

async function checkItems(
  args: readonly Arg[],
  values: ArgValues,
  check: (arg: Arg, value: ArgValue) => Promise<Objection[]>,
): Promise<Objection[]> {
  const objections: Objection[] = [];
  let parts = 0;
  for (const arg of args) {
    const value = values.get(arg.name);
    if (value === undefined) continue;
    const isPath = (arg.limits?.within ?? arg.constraint?.within) !== undefined;
    for await (const item of yielding(itemsOf(value))) {
      if (isPath && (parts += countParts(String(item))) > maxPathParts) {
        const reason = `the paths of a call have at most ${maxPathParts} parts together`;
        return [objection(arg.name, "within", reason)];
      }
      if (item !== null && typeof item !== "object") objections.push(...await check(arg, item));
      else {
        const reason = `${
          quote(JSON.stringify(item))
        } is not a single value, so it cannot be checked`;
        objections.push(objection(arg.name, "single value", reason));
      }
    }
  }
  return objections;
}

async function checkConstraint(
  arg: Arg,
  value: ArgValue,
  constraint: Constraint,
  { directory: cwd, startIn = cwd, followsNoLinks }: ExecutionLocation,
): Promise<Objection[]> {
  const { name, role } = arg;
  const { pattern, within } = constraint;
  const isPlace = role.kind === "cwd";
  const path = isPlace ? cwd ?? "." : String(value);
  return [
    ...(pattern === undefined ? [] : checkPattern(arg, valueUsed(arg, value, cwd), pattern, true)),
    ...checkNumber(name, value, constraint),
    ...checkLength(name, value, constraint),
    ...(within === undefined ? [] : await checkPath(arg, value, within, () => {
      return withinReason(path, isPlace ? undefined : startIn, within, followsNoLinks);
    })),
  ];
}

async function checkLimit(arg: Arg, value: ArgValue, limits: Limits, location: ExecutionLocation) {
  const { name } = arg;
  const { pattern, within, excludes } = limits;
  const used = valueUsed(arg, value, location.directory);
  return [
    ...(pattern === undefined ? [] : checkPattern(arg, used, await patternOf(pattern))),
    ...checkNumber(name, value, limits),
    ...(excludes === undefined ? [] : checkExcluded(name, String(used), excludes)),
    ...(within === undefined ? [] : await checkPath(arg, value, within, () => {
      return limitReason(arg, String(used), limits, location);
    })),
  ];
}

function valueUsed({ role }: Arg, value: ArgValue, directory: string | undefined): ArgValue {
  return role.kind === "cwd" ? directory ?? value : value;
}

async function checkPath(
  { name, role }: Arg,
  value: ArgValue,
  within: string,
  reasonOf: () => Promise<string | undefined>,
): Promise<Objection[]> {
  // A value that is joined with another one in one word is refused, since the joined path may lead elsewhere
  const isShared = role.kind === "placed" && role.isShared;
  const reason = isShared
    ? `is joined with another value, so it may lie outside '${within}'`
    : await reasonOf();
  if (reason === undefined) return [];
  return [objection(name, "within", `${quote(String(value))} ${reason}`)];
}

function itemsOf(value: ArgValue): readonly (ArgValue | null)[] {
  return Array.isArray(value) ? value : [value];
}

/** A text with more than this many characters is refused if a policy demands a pattern: matching could take long. */
const maxMatched = 32_768;

function checkPattern(
  { name, patternWords }: Pick<Arg, "name" | "patternWords">,
  value: ArgValue,
  pattern: Pattern,
  isPolicy = false,
): Objection[] {
  const given = String(value);
  const isTooLong = given.length > maxMatched;
  if (!isTooLong && pattern.matches(given)) return [];
  const shown = isPolicy ? `pattern '${pattern.source}'` : patternText(pattern.source);
  const reason = isTooLong
    ? `is longer than ${maxMatched} characters, so ${shown} is not tried`
    : isPolicy || !patternWords
    ? `does not match ${shown}`
    : `is not allowed: expected ${patternWords}`;
  const found = objection(name, "pattern", `value ${quote(given)} ${reason}`);
  const help = isPolicy && patternWords ? { help: `'${name}': expected ${patternWords}` } : {};
  return [{ ...found, ...help }];
}

const patterns = new Map<string, Pattern>();

/** Compiles a pattern for the first call that needs it, since loading RE2 would make each start slower. */
async function patternOf(source: string): Promise<Pattern> {
  const known = patterns.get(source);
  if (known !== undefined) return known;
  const { compilePattern } = await import("./pattern.ts");
  const compiled = compilePattern(source);
  if ("reason" in compiled) throw new Error(`'${source}' is not an RE2 expression`);
  patterns.set(source, compiled);
  return compiled;
}

function checkExcluded(name: string, text: string, excludes: readonly string[]): Objection[] {
  const folded = text.toLowerCase();
  const found = excludes.find((each) => folded.includes(each.toLowerCase()));
  if (found === undefined) return [];
  const reason = `contains ${quote(found)}, which is never allowed`;
  return [objection(name, "excludes", `${quote(text)} ${reason}`)];
}

function checkLength(arg: string, value: ArgValue, { maxLength }: Constraint): Objection[] {
  const text = String(value);
  if (maxLength === undefined || text.length <= maxLength) return [];
  if (text.length <= 2 * maxLength && [...text].length <= maxLength) return [];
  const reason = `value ${quote(text)} is longer than ${plural(maxLength, "character")}`;
  return [objection(arg, "max_length", reason)];
}

function checkNumber(arg: string, value: ArgValue, { min, max }: Pick<Constraint, "min" | "max">) {
  if (min === undefined && max === undefined) return [];
  const object = (rule: string, reason: string) => {
    return [objection(arg, rule, `value ${quote(String(value))} is ${reason}`)];
  };
  if (typeof value !== "number") {
    const [rule, bound] = min === undefined ? ["max", `maximum ${max}`] : ["min", `minimum ${min}`];
    return object(rule!, `not a number, so ${bound} cannot be checked`);
  }
  if (min !== undefined && !(value >= min)) return object("min", `less than minimum ${min}`);
  if (max !== undefined && !(value <= max)) return object("max", `greater than maximum ${max}`);
  return [];
}

async function withinReason(...asked: Parameters<typeof isWithin>) {
  const [, , directory] = asked;
  const answer = await isWithin(...asked);
  if ("within" in answer) return answer.within ? undefined : `lies outside '${directory}'`;
  return `cannot be resolved, so it may lie outside '${directory}': ${answer.reason}`;
}

/** Returns a warning for each default of a tool that its policy refuses, or that a program would read as an option. */
export async function checkDefaults(tool: Tool, runner: Runner | undefined): Promise<string[]> {
  const { name, args } = tool;
  const defaults = new Map(args.flatMap((arg): [string, ArgValue][] => {
    const value = arg.fixed ?? arg.default;
    return value === undefined ? [] : [[arg.name, value]];
  }));
  const location = runner?.location?.(tool, defaults) ?? {};
  const refusals = [
    ...checkLeadingDashes(args, defaults),
    ...await checkLimits(args, defaults, location),
    ...await checkConstraints(args, defaults, location),
  ];
  return refusals.map(({ text }) => `Tool '${name}' is refused without that argument: ${text}`);
}

export function demandsOn({ fixed, constraint }: Pick<Arg, "fixed" | "constraint">): string[] {
  if (constraint === undefined) return [];
  const { pattern, min, max, maxLength, within, allowLeadingDash, secret } = constraint;
  return [
    ...(fixed === undefined ? [] : [`is ${secret ? "***" : JSON.stringify(fixed)}`]),
    ...(min === undefined ? [] : [`from ${min}`]),
    ...(max === undefined ? [] : [`to ${max}`]),
    ...(maxLength === undefined ? [] : [`up to ${maxLength} characters`]),
    ...(pattern === undefined ? [] : [`matches ${pattern.source}`]),
    ...(within === undefined ? [] : [`within ${within}`]),
    ...(allowLeadingDash ? ["may begin with -"] : []),
    ...(secret ? ["secret"] : []),
  ];
}
