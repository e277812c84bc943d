/** Reads the text of a config, and checks what a reader of its own has. A bundle has its configs parsed, without it. */

import { type DocumentResult, readDocument } from "../../files/document.ts";
import { checkArgs, checkConfig } from "./check.ts";
import { type ArgFile, type ConfigFile, configSchema, valueArgSchema } from "./schema.ts";
import type { Finding, Path } from "../../files/finding.ts";
import { checkSelect } from "../../files/select_file.ts";
import type { Arg } from "../../tool/tool.ts";
import { resolveArg } from "./_resolve_arg.ts";

const unknownKeyHint = "Take it out, or begin it with 'x-', which makes it a note";

/** `file` is the name that messages use. */
export async function readConfig(file: string, text: string): Promise<DocumentResult<ConfigFile>> {
  return await readDocument(file, text, configSchema, { check: checkConfig, unknownKeyHint });
}

/** Checks patterns, paths and schemas of a config. Imports their readers only if there are some. */
export async function checkExpressions({ tools }: ConfigFile): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const [index, { args }] of tools.entries()) {
    findings.push(...await checkArgPatterns(args ?? [], ["tools", index, "args"]));
  }
  for (const [index, tool] of tools.entries()) {
    const path = ["tools", index];
    if (tool.select) findings.push(...await checkSelect(tool.select, [...path, "select"]));
    if (tool.output_schema) {
      findings.push(...await checkSchema(tool.output_schema, [...path, "output_schema"]));
    }
  }
  return findings;
}

/** The patterns of `args`, which are at `path`, that RE2 does not accept. */
export async function checkArgPatterns(
  args: readonly Pick<ArgFile, "pattern" | "pattern_words" | "items">[],
  path: Path,
): Promise<Finding[]> {
  const wordless = args.flatMap(({ pattern, pattern_words, items }, arg) => {
    if (!pattern_words || pattern || items?.pattern) return [];
    const message = "'pattern_words' says what a 'pattern' allows, and there is none";
    return [{ path: [...path, arg, "pattern_words"], message }];
  });
  const patterns = args.flatMap(({ pattern, items }, arg) => [
    ...(pattern ? [{ pattern, path: [...path, arg, "pattern"] }] : []),
    ...(items?.pattern
      ? [{ pattern: items.pattern, path: [...path, arg, "items", "pattern"] }]
      : []),
  ]);
  if (patterns.length === 0) return wordless;
  const { patternProblem } = await import("../../policy/pattern.ts");
  return wordless.concat(patterns.flatMap(({ pattern, path }) => {
    const problem = patternProblem(pattern);
    return problem === undefined ? [] : [{ path, ...problem }];
  }));
}

async function checkSchema(schema: object, path: Path): Promise<Finding[]> {
  const { compileSchema } = await import("../../files/json_schema.ts");
  const compiled = await compileSchema(schema);
  if (typeof compiled === "function") return [];
  const { reason, hint = "It is a JSON Schema, draft 2020-12, of an object" } = compiled;
  return [{ path, message: `'output_schema' cannot be used: ${reason}`, hint }];
}

/** The arguments of a tool that is no program, written as in a config. */
export const valueArgs = {
  schema: valueArgSchema,
  /** Rules between keys, for arguments that may fail the schema. */
  check: checkArgs,
  async resolve(
    written: readonly ArgFile[],
    path: Path,
  ): Promise<{ readonly args: readonly Arg[]; readonly findings: readonly Finding[] }> {
    const problems: Finding[] = [];
    const resolving = { environment: () => undefined, problems };
    const args = written.map((arg, at): Arg => ({
      ...resolveArg(arg, [...path, at], resolving),
      role: { kind: "json" },
    }));
    return { args, findings: [...problems, ...await checkArgPatterns(written, path)] };
  },
};
