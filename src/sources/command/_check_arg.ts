/** Checks that the keys of an argument in a config fit each other, and that its values fit its type. */

import { coerce, InvalidValue } from "../../tool/value.ts";
import { type Finding, findingsAt, type Path } from "../../files/finding.ts";
import { nodeName, parseYamlBoolean } from "../../files/issues.ts";
import { describeValue } from "../../text/excerpt.ts";
import type { ScalarType } from "../../tool/tool.ts";
import { isObject } from "../../text/own_property.ts";

export type Fields = Readonly<Record<string, unknown>>;

export function fieldsOf(list: unknown): [number, Fields][] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((item, index): [number, Fields][] => isObject(item) ? [[index, item]] : []);
}

export function checkArg(arg: Fields, path: Path): Finding[] {
  return [
    ...checkRoles(arg, path),
    ...checkFlag(arg, path),
    ...checkListKeys(arg, path),
    ...checkText(arg, path),
    ...checkValues(arg, path),
  ];
}

export function checkRoles(arg: Fields, path: Path): Finding[] {
  const exclusive = ["positional", "stdin", "cwd"].filter((key) => arg[key] === true);
  const isFlag = typeof arg["flag"] === "string" && arg["positional"] === true;
  const roles = [...(isFlag ? ["flag"] : []), ...exclusive, ...(arg["lines"] ? ["lines"] : [])];
  const [first, ...others] = roles;
  const { findings, add } = findingsAt(path);
  for (const key of others) add(key, `'${key}' contradicts '${first}': an argument has one role`);
  const [role] = exclusive;
  if (arg["type"] === "boolean" && role !== undefined) {
    add(
      role,
      `'${role}' contradicts 'type: boolean': a boolean is a flag, present or absent`,
      `For a word, write 'type: string' and 'enum: ["true", "false"]'`,
    );
  }
  if (arg["type"] === "array" && (role === "stdin" || role === "cwd")) {
    add(role, `'${role}' contradicts 'type: array': it takes one value`);
  }
  const taken = arg["lines"] === "count" ? "boolean" : "integer";
  if (arg["lines"] && arg["type"] !== taken) {
    add("lines", `'lines: ${arg["lines"]}' needs 'type: ${taken}'`);
  }
  if ((arg["value"] ?? null) !== null && (arg["default"] ?? null) !== null) {
    add("default", "'default' contradicts 'value': there is nothing to leave out");
  }
  return findings;
}

export function checkFlag(arg: Fields, path: Path): Finding[] {
  const { flag } = arg;
  if (typeof flag !== "string") return [];
  const at = [...path, "flag"];
  if (flag.trim() === "") {
    const hint = "Leave 'flag' out for --name-with-dashes, or write 'positional: true'";
    return [{ path: at, message: "'flag' is empty", hint }];
  }
  if (arg["type"] === "boolean" && flag.endsWith("=")) {
    return [{ path: at, message: `'flag': a boolean has no value to join to '${flag}'` }];
  }
  return [];
}

function checkListKeys(arg: Fields, path: Path): Finding[] {
  if (arg["type"] === "array") {
    const { min_items: min, max_items: max, items } = arg;
    const { findings, add } = findingsAt(path);
    if (Array.isArray(arg["enum"])) {
      add("enum", "'enum' of a list belongs in its items: write 'items: { enum: [...] }'");
    }
    if (typeof arg["pattern"] === "string" && isObject(items) && items["pattern"]) {
      add("pattern", "'pattern' is also set in the items");
    }
    if (typeof min === "number" && typeof max === "number" && min > max) {
      add("min_items", "'min_items' is more than 'max_items'");
    }
    return findings;
  }
  const keys = ["items", "min_items", "max_items", "separator"];
  return keys.filter((key) => (arg[key] ?? null) !== null).map((key) => ({
    path: [...path, key],
    message: `'${key}' has no meaning without 'type: array'`,
  }));
}

function checkText({ type, items, text }: Fields, path: Path): Finding[] {
  const itemType = type === "array" && isObject(items) ? items["type"] : type;
  if (typeof text !== "string" || typeof itemType !== "string") return [];
  if (itemType === "string" || itemType === "array") return [];
  return [{ path: [...path, "text"], message: `'text' has no meaning with 'type: ${itemType}'` }];
}

interface Written {
  readonly at: Path;
  readonly value: unknown;
  readonly type: unknown;
}

export function checkGlobalValue(arg: Fields, path: Path): Finding[] {
  const written = ["default", "value"].filter((key) => typeof arg[key] !== "string");
  const { type } = arg;
  return checkValues({ type, ...Object.fromEntries(written.map((key) => [key, arg[key]])) }, path);
}

function checkValues(arg: Fields, path: Path): Finding[] {
  const isList = arg["type"] === "array";
  const items = isObject(arg["items"]) ? arg["items"] : {};
  const type = isList ? items["type"] ?? "string" : arg["type"] ?? "string";
  const allowed = isList
    ? itemsOf(items["enum"], [...path, "items", "enum"], type)
    : itemsOf(arg["enum"], [...path, "enum"], type);
  const values = ["default", "value"].flatMap((key) => {
    return valuesOf(arg[key], [...path, key], type, isList);
  });
  const examples = itemsOf(arg["examples"], [...path, "examples"], type)
    .flatMap(({ at, value }) => valuesOf(value, at, type, isList));
  const mistyped = [...values, ...allowed, ...examples].flatMap(checkType);
  return mistyped.length > 0 ? mistyped : notAllowed([...values, ...examples], allowed);
}

function itemsOf(list: unknown, path: Path, type: unknown): Written[] {
  if (!Array.isArray(list)) return [];
  return list.map((value, index) => ({ at: [...path, index], value, type }));
}

function valuesOf(value: unknown, at: Path, type: unknown, isList: boolean): Written[] {
  if (isList && Array.isArray(value)) return itemsOf(value, at, type);
  return (value ?? null) === null ? [] : [{ at, value, type }];
}

function checkType({ at, value, type }: Written): Finding[] {
  const finding = { path: at, message: `${describeValue(value)} does not fit 'type: ${type}'` };
  if (Array.isArray(value)) return typeof at.at(-1) === "number" ? [] : [finding];
  if (!isScalar(value) || !scalarTypes.includes(type as string)) return [];
  if (type === "string" && typeof value === "string") return [];
  if (coerce(value, type as ScalarType) instanceof InvalidValue) {
    const meant = type === "boolean" ? parseYamlBoolean(value) : undefined;
    return [meant === undefined ? finding : { ...finding, hint: `Write ${meant}` }];
  }
  if (type !== "string") return [];
  // YAML reads 1.10 as the number 1.1 and 0x10 as 16, so a string without quotes may not be what the file shows
  const hint = `Put the value in quotes: YAML reads it as ${value}`;
  return [{ ...finding, hint, unlessWritten: String(value) }];
}

const scalarTypes = ["string", "integer", "number", "boolean"];

function notAllowed(values: readonly Written[], allowed: readonly Written[]): Finding[] {
  if (allowed.length === 0) return [];
  const read = ({ value, type }: Written) => coerce(value, type as ScalarType);
  const enumeration = allowed.filter(({ value }) => isScalar(value)).map(read);
  return values.filter((each) => isScalar(each.value) && !enumeration.includes(read(each)))
    .map(({ at, value }) => ({
      path: at,
      message: `${nodeName(at)}: ${describeValue(value)} is not one of: ${enumeration.join(", ")}`,
    }));
}

function isScalar(value: unknown): boolean {
  return ["string", "boolean"].includes(typeof value) || Number.isFinite(value);
}
