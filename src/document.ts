/**
 * One file read through one zod schema: the value, or every problem with its line and column.
 *
 * YAML and JSON are read the same way, JSON being a subset. Nothing here knows what a document is
 * about; a caller adds checks of its own through {@linkcode DocumentOptions.check}.
 */

import { isCollection, isMap, isPair, isScalar, LineCounter, parseDocument } from "yaml";
import type { Document, Node } from "yaml";
import type { z } from "zod";
import type { Problem } from "./errors.ts";

/** Keys and list positions from the top of a document to one of its nodes. */
export type Path = readonly PropertyKey[];

/** A problem that a check found, before it has a line. */
export interface Finding {
  readonly path: Path;
  readonly message: string;
  readonly hint?: string;
}

/** Settings of {@linkcode readDocument}. */
export interface DocumentOptions {
  /** Further checks of a value that may not fit the schema, so that all problems come at once. */
  readonly check?: (value: unknown) => Finding[];
}

/** A value of a document, with the means to say where in the file a part of it stands. */
export interface DocumentValue<T> {
  readonly value: T;
  /** The problem `finding` as one with file, line and column. */
  locate(finding: Finding): Problem;
}

/** What became of a document: its value, or why there is none. */
export type DocumentResult<T> =
  | { readonly ok: true; readonly document: DocumentValue<T> }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/** Reads `text`, which stands in the file the user calls `file`, as a `schema` value. */
export function readDocument<T>(
  file: string,
  text: string,
  schema: z.ZodType<T>,
  options: DocumentOptions = {},
): DocumentResult<T> {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  if (document.errors.length > 0) {
    const problems = document.errors.map((error) => at(error.pos[0], firstLine(error.message)));
    return { ok: false, problems };
  }

  let raw: unknown;
  try {
    raw = document.toJS();
  } catch (error) {
    // An alias without an anchor, or more aliases than a document has any use for
    return { ok: false, problems: [at(0, error instanceof Error ? error.message : String(error))] };
  }
  const parsed = schema.safeParse(raw, { reportInput: true });
  const findings = [
    ...(parsed.success ? [] : parsed.error.issues.flatMap((issue) => describeIssue(issue))),
    ...(options.check?.(raw) ?? []),
  ];
  if (!parsed.success || findings.length > 0) {
    return { ok: false, problems: inFileOrder(findings.map(locate)) };
  }
  return { ok: true, document: { value: parsed.data, locate } };

  function at(offset: number, message: string, hint?: string): Problem {
    const { line, col } = lines.linePos(offset);
    const place = { file, line: Math.max(line, 1), column: Math.max(col, 1) };
    return { ...place, message, ...(hint === undefined ? {} : { hint }) };
  }

  function locate({ path, message, hint }: Finding): Problem {
    return at(offsetOf(document, path), message, hint);
  }
}

function firstLine(message: string): string {
  return message.split("\n", 1)[0] ?? message;
}

/** Problems by line and column, each said once. */
function inFileOrder(problems: Problem[]): Problem[] {
  const seen = new Set<string>();
  return problems
    .toSorted((a, b) => (a.line! - b.line!) || (a.column! - b.column!))
    .filter((problem) => {
      const key = `${problem.line}:${problem.column}:${problem.message}`;
      return !seen.has(key) && seen.add(key);
    });
}

/** Where the node at `path` begins: a key for a map's entry, else the node, else what encloses it. */
function offsetOf(document: Document.Parsed, path: Path): number {
  let node: unknown = document.contents;
  let offset = startOf(node) ?? 0;
  for (const [depth, step] of path.entries()) {
    if (isMap(node)) {
      const pair = node.items.find((item) => isScalar(item.key) && item.key.value === step);
      if (pair === undefined) return offset;
      const last = depth === path.length - 1;
      node = pair.value;
      offset = (last ? startOf(pair.key) : startOf(node)) ?? startOf(pair.key) ?? offset;
    } else if (isCollection(node)) {
      const item: unknown = node.items[step as number];
      node = isPair(item) ? item.value : item;
      offset = startOf(node) ?? offset;
    } else {
      return offset;
    }
  }
  return offset;
}

function startOf(node: unknown): number | undefined {
  return (node as Node | null | undefined)?.range?.[0];
}

/** A zod issue in climax's words, one finding for each unknown key. */
function describeIssue(issue: z.core.$ZodIssue): Finding[] {
  const { path } = issue;
  const subject = path.length === 0 ? "The document" : `'${String(path.at(-1))}'`;
  const found = describeValue(issue.input);
  switch (issue.code) {
    case "unrecognized_keys":
      return issue.keys.map((key) => ({ path: [...path, key], message: `Unknown key '${key}'` }));
    case "invalid_type":
      if (issue.input === undefined) return [{ path, message: `Missing required key ${subject}` }];
      return [{ path, message: `${subject}: expected ${article(issue.expected)}, found ${found}` }];
    case "invalid_value": {
      const allowed = issue.values.map(String).join(", ");
      return [{ path, message: `${subject}: ${found} is not one of: ${allowed}` }];
    }
    case "invalid_union": {
      // Branches that failed deeper than at their root say more than the union itself
      const inner = issue.errors.flat().filter((each) => each.path.length > 0);
      if (inner.length === 0) break;
      return inner.flatMap((each) => describeIssue({ ...each, path: [...path, ...each.path] }));
    }
  }
  return [{ path, message: `${subject}: ${issue.message}` }];
}

/** A value as a message quotes it, within one short line. */
export function describeValue(value: unknown): string {
  if (value === undefined || value === null) return "nothing";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return "a map";
  const text = String(value);
  const short = text.length > 60 ? `${text.slice(0, 60)}…` : text;
  return `${typeof value} '${short}'`;
}

function article(expected: string): string {
  const names: Record<string, string> = { array: "a list", object: "a map", record: "a map" };
  return names[expected] ?? `a ${expected}`;
}
