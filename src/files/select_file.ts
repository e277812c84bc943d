/** Reads a tool's `select` as config files write it, and checks it without the schema library. */

import { quote } from "../text/excerpt.ts";
import type { Finding, Path } from "./finding.ts";
import type { Column, Select } from "./selection.ts";

export type SelectFile = string | readonly string[] | {
  readonly items?: string | null | undefined;
  readonly columns?: readonly string[] | Readonly<Record<string, string>> | null | undefined;
};

export function selectOf(written: SelectFile): Select {
  if (typeof written === "string") return { items: written };
  if (isList(written)) return { columns: written.map((name) => ({ name })) };
  const { items, columns } = written;
  return { ...(items ? { items } : {}), ...(columns ? { columns: columnsOf(columns) } : {}) };
}

function columnsOf(written: readonly string[] | Readonly<Record<string, string>>): Column[] {
  if (isList(written)) return written.map((name) => ({ name }));
  return Object.entries(written).map(([name, path]) => ({ name, path }));
}

function isList(value: unknown): value is readonly string[] {
  return Array.isArray(value);
}

export async function checkSelect(written: SelectFile, path: Path): Promise<Finding[]> {
  const { compileSelect } = await import("./selection.ts");
  const compiled = compileSelect(selectOf(written));
  if (typeof compiled === "function") return [];
  const { column, reason, path: asked } = compiled;
  const selectPath = typeof written === "string"
    ? path
    : [...path, ...(column === undefined ? ["items"] : ["columns", column])];
  const of = column === undefined ? "" : ` of column '${column}'`;
  const message = `Path ${quote(asked)}${of} cannot be followed: ${reason}`;
  const hint = "A JSONPath (RFC 9535) begins with '$', such as $.items[*].name";
  return [{ path: selectPath, message, hint }];
}

export const structuredFormats = ["json", "jsonl", "csv"] as const;

export interface RecordFormat {
  readonly format: typeof structuredFormats[number];
  readonly csv?: Partial<CsvFormat>;
}

export interface CsvFormat {
  readonly delimiter: string;
  readonly columns?: readonly string[];
}
