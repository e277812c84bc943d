/** Finds which arguments the keys of a call mean: by aliases, by spelling, and by kind, such as a path or a limit. */

import { isDeepStrictEqual } from "node:util";
import { quote } from "../text/excerpt.ts";
import { parseJsonText } from "../text/message_scan.ts";
import { isObject } from "../text/own_property.ts";
import type { Arg } from "./tool.ts";
import { argNames } from "./value.ts";

/** Replaces aliases by the names of their arguments. If a call gives a name and its alias, they must be equal. */
export function renameAliases(args: readonly Arg[], sent: Readonly<Record<string, unknown>>) {
  const { all: names } = argNames(args);
  const isCollected = ({ name, aliases = [] }: Arg) => {
    return !Object.hasOwn(sent, name) && aliases.some((alias) => alias.includes("[]"));
  };
  const isLine = /\s/.test(String(sent["program"] ?? ""));
  if (Object.keys(sent).every((key) => names.has(key)) && !args.some(isCollected) && !isLine) {
    return { given: sent, reasons: [] };
  }
  const named = new Map(Object.entries(respell(args, sent)));
  const reasons: string[] = [];
  for (const { name, role, aliases = [] } of args) {
    for (const alias of role.kind === "cwd" ? [...aliases, ...directoryNames] : aliases) {
      const [, list, key] = /^(\w+)\[\]\.(\w+)$/.exec(alias) ?? [];
      if (list !== undefined) {
        const values = named.has(name) ? [] : valuesIn(named.get(list), key!);
        if (values.length > 0) named.set(name, values);
        continue;
      }
      const parts = splitAlias(alias);
      const values = parts.map((part) => names.has(part) ? undefined : named.get(part));
      if (values.some((value) => value === undefined || value === null)) continue;
      const value = parts[0] === alias ? values[0] : joinValues(alias, parts, values);
      if (value === undefined) continue;
      for (const part of parts) named.delete(part);
      const before = named.get(name);
      if (before === undefined || before === null) named.set(name, value);
      else if (!isDeepStrictEqual(before, value)) {
        const words = parts.map((part) => quote(part)).join(" and ");
        reasons.push(
          `${words} ${parts.length === 1 ? "is" : "are"} '${name}', which has another value`,
        );
      }
    }
  }
  renameByKind(args, named);
  return { given: Object.fromEntries(named), reasons };
}

function valuesIn(list: unknown, key: string): unknown[] {
  const meant = parseJsonText(list);
  const items = (Array.isArray(meant) ? meant : [meant]).filter(isObject).flatMap(Object.entries);
  const isMeant = (name: string) => name === key || pathNames.test(snakeCase(name));
  return [...new Set(items.flatMap(([name, value]) => isMeant(name) ? [value] : []))];
}

export function isPath({ role, limits, constraint }: Arg): boolean {
  return role.kind !== "cwd" && (limits?.within ?? constraint?.within) !== undefined;
}

const adjectives = "^(?:(?:target|absolute|abs|relative|rel|full|workspace|notebook)_?)*";
const pathNames = new RegExp(`${adjectives}(?:file(?:_?(?:path|name))?|path|uri)s?$`);
const folderNames = new RegExp(`${adjectives}(?:dir|directory|folder)(?:_?(?:path|name))?s?$`);
const patternNames = /^(?:(?:search_?)?(?:pattern|query|regexp?|term|text)|search|keyword)$/;
const isNumber = (name: RegExp) => (arg: Arg) => arg.type === "integer" && name.test(arg.name);
const isStart = isNumber(/^(?:from|start)(?:_line)?$/);
const isEnd = isNumber(/^(?:to|end)(?:_line)?$/);

const kinds: readonly (readonly [names: RegExp, is: (arg: Arg) => boolean])[] = [
  [pathNames, isPath],
  [folderNames, (arg) => isPath(arg) && arg.required],
  [folderNames, ({ role }) => role.kind === "cwd"],
  [
    /^(?:n|(?:head_?)?limit|(?:max|num)(?:_?(?:count|results?|items|lines|entries|matches))?)$/,
    isNumber(/^(?:lines|limit|max_(?:results|items|lines|entries))$/),
  ],
  [/^(?:line_)?(?:from|start|first|begin)(?:_line)?(?:_(?:one|1)_indexed)?$/, isStart],
  [/^(?:line_)?(?:to|end|last)(?:_line)?(?:_(?:one|1)_indexed)?(?:_inclusive)?$/, isEnd],
  [patternNames, ({ name, type }) => type === "string" && patternNames.test(name)],
];

const rangeForm = /^\D{0,5}?(\d+)(?:\s*(?:-|,|:|\.\.|to)\s*[lL]?(-1|\d+))?$/;

const maxRenamed = 20;

function renameByKind(all: readonly Arg[], named: Map<string, unknown>): void {
  const args = all.filter(({ fixed, role }) => fixed === undefined && role.kind !== "json");
  const give = (given: string, ...values: (readonly [Arg, unknown])[]) => {
    if (values.some(([{ name }]) => name !== given && (named.get(name) ?? null) !== null)) return;
    named.delete(given);
    for (const [{ name }, value] of values) named.set(name, value);
  };
  const [start, end] = [args.find(isStart), args.find(isEnd)];
  const [program, list, script] = [
    all.find(({ name }) => name === "program"),
    all.find(({ name, type }) => name === "args" && type === "array"),
    all.find((arg) => arg.required && isPath(arg)),
  ];
  for (const [key, value] of [...named].slice(0, maxRenamed)) {
    const name = snakeCase(key);
    // A whole command line in `program` is split into the program, the file that it runs, and their arguments
    const [first, ...rest] = key === "program" ? wordsOf(value) : [];
    const isOption = script !== undefined && rest[0]?.startsWith("-");
    if (program && list && rest.length > 0 && !isOption) {
      const isMissing = script !== undefined && !named.has(script.name);
      const file = isMissing ? [[script, rest.shift()] as const] : [];
      give(key, [program, first], ...file, ...rest.length > 0 ? [[list, rest] as const] : []);
      continue;
    }
    if (all.some((arg) => arg.name === key)) continue;
    const isRange = start && end && /^(?:view_?|line_?)?(?:range|lines?)$/.test(name);
    const [, from, to = from] = (isRange && rangeForm.exec(String(value))) || [];
    if (isRange && from) {
      give(key, [start, from], ...(to === "-1" ? [] : [[end, to] as const]));
      continue;
    }
    const [meant, ...others] = kinds.filter(([names]) => names.test(name))
      .map(([, is]) => args.filter(is)).find(({ length }) => length > 0) ?? [];
    if (meant !== undefined && others.length === 0) give(key, [meant, value]);
  }
}

function wordsOf(value: unknown): string[] {
  if (typeof value !== "string" || /[|&;<>$`\\\n*?]/.test(value)) return [];
  return Array.from(
    value.matchAll(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g),
    ([word]) => word.replaceAll(/["']/g, ""),
  );
}

const directoryNames = ["cwd", "workdir", "working_directory", "repo_path"];

/** Renames keys such as `--max-count` and `maxCount` to the argument `max_count`, if the call does not give it. */
function respell(args: readonly Arg[], sent: Readonly<Record<string, unknown>>) {
  const known = new Set(args.flatMap(({ name, aliases = [] }) => [name, ...aliases]));
  if (Object.keys(sent).every((key) => known.has(key))) return sent;
  const given = new Map<string, unknown>();
  for (const [key, value] of Object.entries(sent)) {
    const name = snakeCase(key);
    const isMeant = known.has(name) && !given.has(name) && !Object.hasOwn(sent, name);
    given.set(isMeant && !known.has(key) ? name : key, value);
  }
  return Object.fromEntries(given);
}

function snakeCase(key: string): string {
  return key.replace(/^--?/, "").replaceAll("-", "_")
    .replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

export function splitAlias(alias: string): string[] {
  const inBraces = Array.from(alias.matchAll(/\{([^{}]+)\}/g), ([, name]) => name!);
  return inBraces.length === 0 ? [alias] : inBraces;
}

function joinValues(alias: string, parts: readonly string[], values: readonly unknown[]) {
  if (!values.every((value) => typeof value === "string" || typeof value === "number")) {
    return undefined;
  }
  return alias.replaceAll(
    /\{([^{}]+)\}/g,
    (_, name: string) => String(values[parts.indexOf(name)]),
  );
}
