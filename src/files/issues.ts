/** Words the problems that a schema finds in a file, for the author of the file. */

import type { z } from "zod";
import { describeValue } from "../text/excerpt.ts";
import { nearHint, nearNames } from "../text/similar_names.ts";
import type { DocumentOptions, Finding, Path } from "./finding.ts";

/** At most this many findings of a document are described: a person reads no more, and each takes time. */
const maxFindings = 100;

export function describeIssues(
  issues: readonly z.core.$ZodIssue[],
  schema: z.ZodType,
  options: Pick<DocumentOptions, "unknownKeyHint"> = {},
): Finding[] {
  return issues.slice(0, maxFindings).flatMap((issue) => describeIssue(issue, schema, options))
    .slice(0, maxFindings);
}

function describeIssue(
  issue: z.core.$ZodIssue,
  schema: z.ZodType,
  options: Pick<DocumentOptions, "unknownKeyHint">,
): Finding[] {
  const { path } = issue;
  const subject = nodeName(path);
  const found = describeValue(issue.input);
  const isMissing = issue.input === undefined &&
    (issue.code === "invalid_type" || issue.code === "invalid_value");
  if (isMissing) return [{ path, message: `Missing required key ${subject}` }];
  switch (issue.code) {
    case "unrecognized_keys":
      return issue.keys.slice(0, maxFindings).map((key) => unknownKey(key, path, schema, options));
    case "invalid_type": {
      const message = `${subject}: expected ${article(issue.expected)}, found ${found}`;
      const hint = typeHint(issue);
      return [{ path, message, ...(hint && { hint }) }];
    }
    case "invalid_value": {
      const allowed = issue.values.map(String).join(", ");
      const near = nearValues(String(issue.input), issue.values.map(String));
      const hint = near.length > 0 && { hint: `Did you mean: ${near.join(", ")}` };
      return [{ path, message: `${subject}: ${found} is not one of: ${allowed}`, ...hint }];
    }
    case "invalid_union": {
      const inner = issue.errors.flat().filter((each) => each.path.length > 0);
      if (inner.length === 0) break;
      return inner.flatMap((each) =>
        describeIssue({ ...each, path: [...path, ...each.path] }, schema, options)
      );
    }
    case "invalid_key":
      return [{ path, message: `${subject}: ${issue.issues[0]?.message ?? issue.message}` }];
  }
  return [{ path, message: `${subject}: ${issue.message}` }];
}

export function nodeName(path: Path): string {
  const last = path.at(-1);
  if (last === undefined) return "The document";
  if (typeof last !== "number") return `'${String(last)}'`;
  const list = nodeName(path.slice(0, -1));
  return `Item ${last + 1} of ${list.charAt(0).toLowerCase()}${list.slice(1)}`;
}

function nearValues(written: string, values: readonly string[]): string[] {
  const longer = values.filter((value) => written.length > 2 && value.startsWith(written));
  const near = longer.length > 0 ? longer : nearNames(written, values);
  return near.length < values.length ? near : [];
}

function unknownKey(
  key: string,
  path: Path,
  schema: z.ZodType,
  { unknownKeyHint }: Pick<DocumentOptions, "unknownKeyHint">,
): Finding {
  const finding = { path: [...path, key], message: `Unknown key '${key}'` };
  if (key === "<<") {
    const hint = "YAML 1.2 has no merge key: repeat the keys, or put an alias where a value stands";
    return { ...finding, hint };
  }
  const hint = nearHint(key, keysAt(schema, path)) ?? unknownKeyHint;
  return { ...finding, ...(hint && { hint }) };
}

function keysAt(schema: z.core.$ZodType, path: Path): string[] {
  const { def } = schema._zod as unknown as { readonly def: SchemaParts };
  const inner = def.innerType ?? (def.type === "pipe" ? def.out : undefined);
  if (inner !== undefined) return keysAt(inner, path);
  if (def.options !== undefined) return def.options.flatMap((option) => keysAt(option, path));
  const [step, ...rest] = path;
  if (step === undefined) return Object.keys(def.shape ?? {});
  const next = def.shape?.[String(step)] ?? def.element ?? def.valueType;
  return next === undefined ? [] : keysAt(next, rest);
}

interface SchemaParts {
  readonly type: string;
  readonly innerType?: z.core.$ZodType;
  readonly out?: z.core.$ZodType;
  readonly options?: readonly z.core.$ZodType[];
  readonly shape?: Readonly<Record<string, z.core.$ZodType>>;
  readonly element?: z.core.$ZodType;
  readonly valueType?: z.core.$ZodType;
}

function typeHint({ expected, input }: z.core.$ZodIssueInvalidType): string | undefined {
  if (expected === "string" && (typeof input === "number" || typeof input === "boolean")) {
    return "Put the value in quotes";
  }
  if (expected !== "boolean") return undefined;
  const meant = parseYamlBoolean(input);
  if (meant === undefined) return undefined;
  return /^(?:true|false)$/i.test(String(input))
    ? "Take the quotes away"
    : `YAML 1.2 reads only true and false as booleans: write ${meant}`;
}

export function parseYamlBoolean(value: unknown): boolean | undefined {
  if (typeof value !== "string" || !/^(?:y|yes|on|true|n|no|off|false)$/i.test(value)) {
    return undefined;
  }
  return /^(?:y|on|t)/i.test(value);
}

function article(expected: string): string {
  const names: Record<string, string> = {
    array: "a list",
    object: "a map",
    record: "a map",
    int: "a whole number",
  };
  return names[expected] ?? `a ${expected}`;
}
