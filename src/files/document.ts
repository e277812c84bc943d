/** Reads one YAML or JSON file through one zod schema: returns its value, or its problems with lines and columns. */

import { load, YAMLException } from "js-yaml";
import type { z } from "zod";
import type { Problem } from "../errors.ts";
import { visible } from "../text/escape.ts";
import { thousands } from "../text/plural.ts";
import { type DocumentOptions, type Finding, placeOf, placesOf } from "./finding.ts";
import { describeIssues } from "./issues.ts";

export type DocumentResult<T> =
  | { readonly ok: true; readonly value: T; readonly notes?: readonly Problem[] }
  | { readonly ok: false; readonly problems: readonly Problem[] };

const bounds = { maxAliases: 10_000, maxDepth: 100 };
const maxCharacters = 16 * 1024 * 1024;
const maxValues = 1_000_000;
/** A file is read once, so compiling its schema to code would take longer than reading it. */
const parsing = { reportInput: true, jitless: true } as const;

export async function readDocument<T>(
  file: string,
  text: string,
  schema: z.ZodType<T>,
  options: DocumentOptions = {},
): Promise<DocumentResult<T>> {
  if (text.length > maxCharacters) {
    return tooLarge(file, `The file has over ${thousands(maxCharacters)} characters`);
  }
  if (countOf(/(?<![^\s,[{:-])&[^\s&]/g, text) > bounds.maxAliases) {
    return tooLarge(file, `The document has over ${thousands(bounds.maxAliases)} anchors`);
  }
  let raw: unknown;
  try {
    raw = load(text, bounds);
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    if (isDeep(text)) {
      return tooLarge(file, `The document has over ${bounds.maxDepth} levels, or is no YAML`);
    }
    try {
      // js-yaml refuses a closing bracket at the start of a line, which is valid YAML, so such lines are indented
      raw = load((await import("./positions.ts")).indentEnds(text), bounds);
    } catch {
      return { ok: false, problems: await syntaxProblems(file, text, error) };
    }
  }
  if (countValues(raw) > maxValues) {
    return tooLarge(file, `The document has over ${thousands(maxValues)} values, aliases expanded`);
  }
  const { value, notes, problems = [] } = options.translate?.(raw) ?? { value: raw, notes: [] };
  const parsed = schema.safeParse(value, parsing);
  const findings = [
    ...problems,
    ...(parsed.success ? [] : describeIssues(parsed.error.issues, schema, options)),
    ...await asWritten(text, options.check?.(raw) ?? []),
  ];
  if (parsed.success && findings.length === 0) {
    const how = notes.length === 0 ? {} : { notes: await locate(file, text, notes) };
    return { ok: true, value: parsed.data, ...how };
  }
  return { ok: false, problems: await locate(file, text, findings) };
}

function tooLarge(file: string, message: string): DocumentResult<never> {
  return { ok: false, problems: [{ file, line: 1, column: 1, message }] };
}

function countOf(pattern: RegExp, text: string): number {
  let number = 0;
  for (const _ of text.matchAll(pattern)) number++;
  return number;
}

/** Returns whether `text` may have too many levels: the parser that finds all faults would take seconds for them. */
function isDeep(text: string): boolean {
  let [level, most] = [0, 0];
  for (const [bracket] of text.matchAll(/[[\]{}]/g)) {
    level = Math.max(0, level + (bracket === "[" || bracket === "{" ? 1 : -1));
    most = Math.max(most, level);
  }
  return most > bounds.maxDepth || countOf(/[-?:] (?=[-?] )/g, text) > bounds.maxDepth;
}

async function asWritten(text: string, findings: readonly Finding[]): Promise<Finding[]> {
  const doubtful = findings.filter(({ unlessWritten }) => unlessWritten !== undefined);
  if (doubtful.length === 0) return [...findings];
  const { scalarsOf } = await import("./positions.ts");
  const written = scalarsOf(text, doubtful.map(({ path }) => path));
  const isVoid = new Set(doubtful.filter((finding, index) => {
    return finding.unlessWritten === written[index];
  }));
  return findings.filter((finding) => !isVoid.has(finding));
}

function countValues(root: unknown, counts: Map<object, number> = new Map()): number {
  if (typeof root !== "object" || root === null) return 1;
  const known = counts.get(root);
  if (known !== undefined) return known;
  counts.set(root, Infinity); // for a value that contains itself
  const inner = Object.values(root).reduce((sum, value) => sum + countValues(value, counts), 1);
  counts.set(root, inner);
  return inner;
}

export async function locate(
  file: string,
  text: string,
  findings: readonly Finding[],
): Promise<Problem[]> {
  if (findings.length === 0) return [];
  const { offsetsOf } = await import("./positions.ts");
  const places = placesOf(text, offsetsOf(text, findings.map(({ path }) => path)));
  const problems = findings.map(({ message, hint }, index): Problem => {
    const place = { file, ...places[index]! };
    return { ...place, message: visible(message), ...(hint === undefined ? {} : { hint }) };
  });
  return inFileOrder(problems);
}

async function syntaxProblems(file: string, text: string, { reason, mark }: YAMLException) {
  const { syntaxFaults } = await import("./positions.ts");
  const faults = syntaxFaults(text);
  if (faults.length > 0) return inFileOrder(faults.map((fault) => problemAt(file, text, fault)));
  // js-yaml has refused the text, but the slower parser finds no fault, as in an empty file
  const isEmpty = text.replaceAll(/^\ufeff|#.*|\s/g, "") === "";
  const message = isEmpty
    ? "There is nothing in the file"
    : reason.charAt(0).toUpperCase() + reason.slice(1);
  return [problemAt(file, text, { offset: mark?.position ?? 0, message })];
}

function problemAt(
  file: string,
  text: string,
  { offset, message, hint }: { offset: number; message: string; hint?: string },
): Problem {
  const place = placeOf(text, offset);
  return {
    file,
    ...place,
    message: visible(message),
    excerpt: excerptAt(text, place),
    ...(hint === undefined ? {} : { hint }),
  };
}

const shownAround = 60;

function excerptAt(text: string, { line, column }: { line: number; column: number }): string[] {
  const source = text.split("\n", line).at(-1)!.replace(/\r$/, "");
  if (source.trim() === "") return [];
  const show = (part: string) => visible(part.replaceAll("\t", " ").toWellFormed());
  const before = show(source.slice(Math.max(0, column - 1 - shownAround), column - 1));
  const after = show(source.slice(column - 1, column - 1 + shownAround));
  const margin = " ".repeat(String(line).length);
  return [`${line} | ${before}${after}`, `${margin} | ${" ".repeat(before.length)}^`];
}

function inFileOrder(problems: Problem[]): Problem[] {
  const seen = new Set<string>();
  return problems
    .toSorted((a, b) => (a.line! - b.line!) || (a.column! - b.column!))
    .filter((problem) => {
      const key = `${problem.line}:${problem.column}:${problem.message}`;
      return !seen.has(key) && seen.add(key);
    });
}
