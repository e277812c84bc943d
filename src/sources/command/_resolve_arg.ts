/** Makes the argument of a tool from the argument of a config: its role, its limits, and its values as its type. */

import { privateNames } from "../../exec/private_paths.ts";
import { coerce, InvalidValue } from "../../tool/value.ts";
import {
  type Arg,
  type ArgRole,
  type ArgType,
  type ArgValue,
  type ListRules,
  maxItems,
} from "../../tool/tool.ts";
import type { ArgFile } from "./arg_schema.ts";
import type { templatePlaceholders } from "./argv.ts";
import { neverLists } from "./bundled.ts";
import type { Part } from "./source.ts";
import { type Finding, findingsAt, type Path } from "../../files/finding.ts";
import { type Environment, expandFor } from "../../files/expand.ts";
import { present } from "../../text/own_property.ts";

export interface Resolving {
  readonly environment: Environment;
  readonly problems: Finding[];
}

interface ArgPlaceholders {
  readonly all: ReturnType<typeof templatePlaceholders>;
  /** Arguments whose value may begin a word of the command line, so that a program could read it as an option. */
  readonly alone: ReadonlySet<string>;
}

export function resolveArg(
  arg: ArgFile,
  path: Path,
  resolving: Resolving,
  places?: ArgPlaceholders,
): Arg {
  const type = arg.type ?? "string";
  return {
    name: arg.name,
    description: arg.description ?? "",
    type,
    required: arg.required ?? false,
    role: places === undefined ? roleOf(arg) : roleByPlace(arg, places),
    ...textOf(arg),
    ...limitsOf(arg, path, resolving),
    ...present({
      aliases: arg.aliases?.length ? arg.aliases : undefined,
      default: convert(arg.default, arg),
      enum: arg.enum?.map((value) => convert(value, arg)!),
      list: type === "array" ? listRules(arg) : undefined,
      fixed: convert(withPrivateNames(arg.value), arg),
      examples: arg.examples?.length ? arg.examples.map((value) => convert(value, arg)!) : null,
      effect: arg.effect,
      patternWords: arg.pattern_words,
    }),
  };
}

function withPrivateNames(value: ArgFile["value"]): ArgFile["value"] {
  if (!Array.isArray(value)) return value;
  return value.flatMap<string | number | boolean>((item) => {
    return namesPrivate(item) ? privateItems(item, privateNames) : [item];
  });
}

export function namesPrivate(item: unknown): item is string {
  return typeof item === "string" && /\{private[}:]/i.test(item);
}

export function privateItems(item: string, names: readonly string[]): string[] {
  return names.map((name) => {
    return item.replaceAll(
      /\{private(?::(\d{1,3}))?\}|\{PRIVATE\}/g,
      (written, length?: string) => {
        if (length !== undefined) {
          return name.replace(/[^*]/, (first) => `[${first.repeat(+length)}]`);
        }
        if (written === "{private}") return name;
        return name.replaceAll(/[a-z]/gi, (each) => `[${each.toLowerCase()}${each.toUpperCase()}]`);
      },
    );
  });
}

/** Unless the config says otherwise, text for the standard input may have several lines, and other text only one. */
function textOf({ type = "string", items, text, stdin }: ArgFile): Pick<Arg, "text"> {
  const isText = type === "array" ? (items?.type ?? "string") === "string" : type === "string";
  return isText || type === null ? { text: text ?? (stdin ? "multiline" : "line") } : {};
}

export function roleOf(arg: ArgFile): ArgRole {
  if (arg.positional) return { kind: "positional" };
  if (arg.stdin) return { kind: "stdin" };
  if (arg.cwd) return { kind: "cwd" };
  if (arg.lines) return { kind: "lines", step: arg.lines };
  return { kind: "flag", flag: arg.flag ?? `--${arg.name.replaceAll("_", "-")}` };
}

function roleByPlace(arg: ArgFile, { all, alone }: ArgPlaceholders): ArgRole {
  const places = all.filter(({ placeholder }) => placeholder.arg === arg.name);
  if (places.length === 0 || arg.flag || arg.cwd || arg.type === "boolean") return roleOf(arg);
  const standsAlone = alone.has(arg.name);
  const isShared = places.some(({ parts }) => parts.filter(isPlaceholder).length > 1);
  const isPart = standsAlone && places.some(({ parts }) => parts.length > 1);
  return { kind: "placed", standsAlone, isShared, ...(isPart ? { isPart } : {}) };
}

function isPlaceholder(part: Part): boolean {
  return typeof part !== "string";
}

function listRules(arg: ArgFile): ListRules {
  const { items } = arg;
  const type = items?.type ?? "string";
  return {
    type,
    min: arg.min_items ?? (arg.required ? 1 : 0),
    max: arg.max_items ?? maxItems,
    ...present({
      enum: items?.enum?.map((value) => convertScalar(value, type)),
      separator: arg.separator,
      hasNoComma: fitsNoComma(arg.pattern ?? items?.pattern) || undefined,
    }),
  };
}

function fitsNoComma(pattern: string | null | undefined): boolean {
  if (!pattern || /,|\\[^.+*?-]|\[\^|\[[^[\]]*\[/.test(pattern)) return false;
  const classes = pattern.matchAll(/\[([^[\]]*)\]/g).map(([, inside]) => inside!).toArray();
  const hasRange = classes.some((inside) => /[!-+]-[--~]/.test(inside));
  return !hasRange && !pattern.replace(/\[[^[\]]*\]/g, "").replace(/\\./g, "").includes(".");
}

function convert(value: ArgFile["value"], { type, items }: ArgFile): ArgValue | undefined {
  if (value === undefined || value === null) return undefined;
  if (type !== "array") return convertScalar(value as ArgValue, type ?? "string");
  const list = Array.isArray(value) ? value : [value];
  return list.map((item) => convertScalar(item, items?.type ?? "string"));
}

function convertScalar(value: ArgValue, type: ArgType): ArgValue {
  const read = coerce(value, type);
  return read instanceof InvalidValue ? value : read;
}

function limitsOf(arg: ArgFile, path: Path, { environment, problems }: Resolving) {
  const { min, max } = arg;
  const names = arg.never === "private" ? ["{private}"] : arg.never;
  const never = names?.flatMap((name) => neverLists[name] ?? [name]);
  const pattern = arg.pattern ?? arg.items?.pattern;
  const within = arg.within
    ? expandFor(arg.within, [...path, "within"], environment, problems)
    : undefined;
  const { add } = findingsAt(path, problems);
  if (never && within === undefined) {
    add("never", "'never' is looked for below 'within', and there is none", "Add 'within: .'");
  }
  if (arg.holds_links && !(arg.cwd && arg.within)) {
    add("holds_links", "'holds_links' is for a directory to run in that is held by 'within'");
  }
  if (typeof min === "number" && typeof max === "number" && min > max) {
    add("min", "'min' is more than 'max': no value can be right");
  }
  const limits = present({
    pattern: pattern || undefined,
    min,
    max,
    within,
    never,
    excludes: arg.excludes?.length ? arg.excludes : undefined,
    allowsLeadingDash: arg.allow_leading_dash || undefined,
    holdsLinks: arg.holds_links || undefined,
  });
  return Object.keys(limits).length === 0 ? {} : { limits };
}
