/** Resolves one argument of a config: its role, its limits, and its values as its type. */

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
import type { Finding, Path } from "../../files/finding.ts";
import { type Environment, expandFor } from "../../files/expand.ts";

/** The variables that a config may use, and the list that receives findings. */
export interface Resolving {
  readonly environment: Environment;
  readonly problems: Finding[];
}

/** The placeholders of a tool's `argv`, and the arguments that may start a word, which could be read as an option. */
interface ArgPlaceholders {
  readonly all: ReturnType<typeof templatePlaceholders>;
  readonly alone: ReadonlySet<string>;
}

/** Resolves the argument at `path` of the config; `places` are the placeholders of its tool's `argv`, if any. */
export function resolveArg(
  arg: ArgFile,
  path: Path,
  resolving: Resolving,
  places?: ArgPlaceholders,
): Arg {
  const type = arg.type ?? "string";
  const { value: fixed } = arg;
  return {
    name: arg.name,
    ...(arg.aliases?.length ? { aliases: arg.aliases } : {}),
    description: arg.description ?? "",
    type,
    required: arg.required ?? false,
    ...(isAbsent(arg.default) ? {} : { default: convertDefault(arg.default, arg) }),
    ...(arg.enum ? { enum: arg.enum.map((value) => convertDefault(value, arg)) } : {}),
    ...(type === "array" ? { list: listRules(arg) } : {}),
    ...(isAbsent(fixed) ? {} : { fixed: convertDefault(withPrivateNames(fixed), arg) }),
    ...(arg.examples?.length
      ? { examples: arg.examples.map((each) => convertDefault(each, arg)) }
      : {}),
    role: places === undefined ? roleOf(arg) : roleByPlace(arg, places),
    ...textOf(arg),
    ...(arg.effect ? { effect: arg.effect } : {}),
    ...(arg.pattern_words ? { patternWords: arg.pattern_words } : {}),
    ...limitsOf(arg, path, resolving),
  };
}

function withPrivateNames(value: FileValue): FileValue {
  if (!Array.isArray(value)) return value;
  return value.flatMap<string | number | boolean>((item) => {
    return namesPrivate(item) ? privateItems(item, privateNames) : [item];
  });
}

/** Returns whether an item of a fixed list has `{private}`, and so stands for one item for each private name. */
export function namesPrivate(item: unknown): item is string {
  return typeof item === "string" && /\{private[}:]/i.test(item);
}

/**
 * Returns `item` once for each of `names`, in the place of `{private}`. `{PRIVATE}` becomes a glob that matches the
 * name in any letter case, and `{private:100}` a glob for names of over 100 characters.
 */
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

/** Returns how many lines a value may have: by default, standard input may have several, any other value one. */
function textOf({ type = "string", items, text, stdin }: ArgFile): Pick<Arg, "text"> {
  const isText = type === "array" ? (items?.type ?? "string") === "string" : type === "string";
  return isText || type === null ? { text: text ?? (stdin ? "multiline" : "line") } : {};
}

/** Returns the role that an argument has if the template does not name it. */
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
  return {
    kind: "placed",
    standsAlone: alone.has(arg.name),
    isShared: places.some(({ parts }) =>
      parts.filter((part) => typeof part !== "string").length > 1
    ),
    ...(alone.has(arg.name) && places.some(({ parts }) => parts.length > 1)
      ? { isPart: true }
      : {}),
  };
}

function listRules(arg: ArgFile): ListRules {
  const { items } = arg;
  const type = items?.type ?? "string";
  return {
    type,
    ...(items?.enum ? { enum: items.enum.map((value) => convertScalar(value, type)) } : {}),
    // A required list without items would be no argument at all
    min: arg.min_items ?? (arg.required ? 1 : 0),
    max: arg.max_items ?? maxItems,
    ...(arg.separator ? { separator: arg.separator } : {}),
    ...(fitsNoComma(arg.pattern ?? items?.pattern) ? { hasNoComma: true } : {}),
  };
}

function fitsNoComma(pattern: string | null | undefined): boolean {
  if (!pattern || /,|\\[^.+*?-]|\[\^|\[[^[\]]*\[/.test(pattern)) return false;
  const classes = pattern.matchAll(/\[([^[\]]*)\]/g).map(([, inside]) => inside!).toArray();
  const hasRange = classes.some((inside) => /[!-+]-[--~]/.test(inside));
  return !hasRange && !pattern.replace(/\[[^[\]]*\]/g, "").replace(/\\./g, "").includes(".");
}

function convertDefault(value: FileValue, { type, items }: ArgFile): ArgValue {
  if (type !== "array") return convertScalar(value as ArgValue, type ?? "string");
  const list = Array.isArray(value) ? value : [value];
  return list.map((item) => convertScalar(item, items?.type ?? "string"));
}

function convertScalar(value: ArgValue, type: ArgType): ArgValue {
  const read = coerce(value, type);
  return read instanceof InvalidValue ? value : read;
}

type FileValue = NonNullable<ArgFile["default"]>;

function isAbsent(value: unknown): value is null | undefined {
  return value === undefined || value === null;
}

function limitsOf(arg: ArgFile, path: Path, { environment, problems }: Resolving) {
  const { min, max } = arg;
  const names = arg.never === "private" ? ["{private}"] : arg.never;
  const never = names?.flatMap((name) => neverLists[name] ?? [name]);
  const pattern = arg.pattern ?? arg.items?.pattern;
  const within = arg.within
    ? expandFor(arg.within, [...path, "within"], environment, problems)
    : undefined;
  if (never && within === undefined) {
    const message = "'never' is looked for below 'within', and there is none";
    problems.push({ path: [...path, "never"], message, hint: "Add 'within: .'" });
  }
  if (arg.holds_links && !(arg.cwd && arg.within)) {
    const message = "'holds_links' is for a directory to run in that is held by 'within'";
    problems.push({ path: [...path, "holds_links"], message });
  }
  if (typeof min === "number" && typeof max === "number" && min > max) {
    const message = "'min' is more than 'max': no value can be right";
    problems.push({ path: [...path, "min"], message });
  }
  const limits = {
    ...(pattern ? { pattern } : {}),
    ...(typeof min === "number" ? { min } : {}),
    ...(typeof max === "number" ? { max } : {}),
    ...(within === undefined ? {} : { within }),
    ...(never ? { never } : {}),
    ...(arg.excludes?.length ? { excludes: arg.excludes } : {}),
    ...(arg.allow_leading_dash ? { allowsLeadingDash: true } : {}),
    ...(arg.holds_links ? { holdsLinks: true } : {}),
  };
  return Object.keys(limits).length === 0 ? {} : { limits };
}
