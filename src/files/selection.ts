/** Selects parts of a value and formats them. Columns become a table, which takes about half the tokens of JSON. */

import { excerpt } from "../text/excerpt.ts";
import { inOneLine, jsonWithoutControls } from "../text/escape.ts";
import { plural } from "../text/plural.ts";
import { compilePath, PathError, PathSteps, type Selecting } from "./json_path.ts";
import { type WorkBudget, workerBudget } from "./work_budget.ts";
import { isObject, ownProperty } from "../text/own_property.ts";

/** A selection may have this many UTF-16 code units, because `..` can select each value again on each level. */
const maxTextLength = 8 * 1024 * 1024;

export interface Select {
  /** A JSONPath (RFC 9535) that selects the items. @default the whole value, or each item of a list */
  readonly items?: string;
  /** The columns that are shown of each item. @default the whole item */
  readonly columns?: readonly Column[];
}

/** `path` selects the column's value in an item. @default the item's key `name` */
export interface Column {
  readonly name: string;
  readonly path?: string;
}

export interface Selection {
  readonly value?: unknown;
  readonly text: string;
  /** A warning for each column of `select` that no item of the output has. */
  readonly notes: readonly string[];
}

type Selector = (value: unknown) => Selection | { readonly reason: string };

export function compileSelect(
  select: Select,
  budget: WorkBudget = workerBudget,
): Selector | { readonly column?: string; readonly path: string; readonly reason: string } {
  const steps = new PathSteps(budget);
  const items = select.items === undefined ? undefined : compilePath(select.items, steps);
  if (items !== undefined && "reason" in items) return { path: select.items!, ...items };
  const readers = new Map<string, Reader>();
  for (const column of select.columns ?? []) {
    const reader = readerOf(column, steps);
    if ("reason" in reader) return { column: column.name, path: column.path!, ...reader };
    readers.set(column.name, reader);
  }
  return (value) => {
    steps.renew();
    try {
      const found = itemsOf(value, items);
      if (found.items.length === 0) return nothing(found, { value, path: select.items ?? "$" });
      if (readers.size === 0) {
        const text = joinLines(found.items.length, (at) => cellOf(found.items[at]));
        return { ...valueOf(found), text, notes: [] };
      }
      return selectionOfTable(found, recordsOf(found, readers, steps), select.columns!);
    } catch (error) {
      if (!(error instanceof PathError)) throw error;
      return { reason: error.message };
    }
  };
}

interface Found {
  readonly items: readonly unknown[];
  readonly isList: boolean;
}

function itemsOf(value: unknown, items: Selecting | undefined): Found {
  const found = items === undefined ? [value] : [...items(value)];
  const isOne = items === undefined || items.isSingular;
  if (isOne && Array.isArray(found[0])) return { items: found[0], isList: true };
  return { items: found, isList: !isOne };
}

type Reader = (item: unknown) => unknown;

function readerOf({ name, path }: Column, steps: PathSteps): Reader | { readonly reason: string } {
  if (path === undefined) return (item) => isObject(item) ? ownProperty(item, name) : undefined;
  const selecting = compilePath(path, steps);
  if ("reason" in selecting) return selecting;
  return (item) => {
    const values = [...selecting(item)];
    return selecting.isSingular ? values[0] : values;
  };
}

function recordsOf(
  { items, isList }: Found,
  readers: ReadonlyMap<string, Reader>,
  steps: PathSteps,
): Found {
  const records = items.map((item) => {
    const cells = [...readers].map(([name, read]) => {
      steps.take();
      return [name, read(item)] as const;
    });
    return Object.fromEntries(cells.filter(([, value]) => value !== undefined));
  });
  return { items: records, isList };
}

function nothing(found: Found, { value, path }: { value: unknown; path: string }): Selection {
  const text = `[no value: ${path} selects nothing of the output, ${describe(value)}]`;
  return { ...valueOf(found), text, notes: [] };
}

function describe(value: unknown): string {
  if (Array.isArray(value)) return `a list of ${plural(value.length, "item")}`;
  const names = keysOf([value]);
  return names === undefined ? "which is one value" : `an object with ${names}`;
}

function selectionOfTable(found: Found, records: Found, columns: readonly Column[]): Selection {
  const rows = records.items as readonly Readonly<Record<string, unknown>>[];
  const missing = columns.filter(({ name }) => rows.every((row) => isNothing(row[name])));
  const known = keysOf(found.items);
  if (missing.length === columns.length) {
    const wanted = excerpt(columns.map(({ name }) => name).join(", "), 200);
    const there = known === undefined ? "" : `; columns are ${known}`;
    const text = `[no value: no item of the output has ${wanted}${there}]`;
    return { ...valueOf(records), text, notes: [] };
  }
  const notes = missing.map(({ name, path }) => {
    const what = path === undefined
      ? `no item has the column '${excerpt(name, 100)}'`
      : `column '${excerpt(name, 100)}' is empty: ${path} selects nothing of any item`;
    return known === undefined ? what : `${what}; columns are ${known}`;
  });
  const names = columns.map(({ name }) => name);
  const rowOf = (record: Readonly<Record<string, unknown>>) => {
    return names.map((name) => Object.hasOwn(record, name) ? cellOf(record[name]) : "").join("\t");
  };
  if (!records.isList) {
    return { ...valueOf(records), text: joinLines(rows.length, (at) => cellOf(rows[at])), notes };
  }
  const head = names.map(cellOf).join("\t");
  const text = joinLines(rows.length + 1, (at) => at === 0 ? head : rowOf(rows[at - 1]!));
  return { ...valueOf(records), text, notes };
}

function valueOf({ items, isList }: Found): Pick<Selection, "value"> {
  return isList ? { value: items } : items.length === 0 ? {} : { value: items[0] };
}

function isNothing(value: unknown): boolean {
  return value === undefined || Array.isArray(value) && value.length === 0;
}

const maxNames = 30;

function keysOf(items: readonly unknown[]): string | undefined {
  const names = new Set<string>();
  for (const item of items) {
    if (typeof item !== "object" || item === null || Array.isArray(item)) continue;
    for (const name of Object.keys(item)) names.add(name);
    if (names.size > maxNames) break;
  }
  if (names.size === 0) return undefined;
  const shown = [...names].slice(0, maxNames).map((name) => inOneLine(excerpt(name, 60)));
  return `${shown.join(", ")}${names.size > maxNames ? ", …" : ""}`;
}

function joinLines(count: number, lineAt: (at: number) => string): string {
  const lines: string[] = [];
  let length = 0;
  for (let at = 0; at < count; at++) {
    const line = lineAt(at);
    length += line.length + 1;
    if (length > maxTextLength) {
      throw new PathError(`it selects more than ${maxTextLength / 1024 / 1024} MiB of text`);
    }
    lines.push(line);
  }
  return lines.join("\n");
}

/** Returns the text of a cell: a text as it is if it cannot be mistaken for another value, and other values as JSON. */
function cellOf(value: unknown): string {
  // deno-lint-ignore no-control-regex
  const isPlain = typeof value === "string" && /^[^"\x00-\x1f\x7f-\x9f]+$/.test(value) &&
    value.trim() === value;
  return isPlain ? value : jsonWithoutControls(value);
}
