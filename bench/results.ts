/**
 * What results cost in tokens (o200k), before and after: searches in both formats, with a scripted agent
 * that calls by what it has read, and what real programs print. Also how near the estimate comes.
 */

import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { boundResult } from "../src/call/bound.ts";
import { defaultCallSettings } from "../src/call/context.ts";
import { prepareCall } from "../src/call/prepare.ts";
import { answer } from "../src/catalog/answer.ts";
import { answerText } from "../src/catalog/compact.ts";
import { openSession } from "../src/session.ts";
import { bundledConfigs } from "../src/sources/command/bundled.ts";
import { estimateTokens } from "../src/text/tokens.ts";
import { textOf, textResult } from "../src/tool/result.ts";

/** What a format costs over the query file. */
export interface SearchTokens {
  readonly format: string;
  readonly median: number;
  readonly total: number;
  /** Share of the queries whose tool is found, and called right by what was read. */
  readonly success: number;
}

/** Searches for every query of the project's own file, and calls what is wanted. */
export async function searchTokens(): Promise<SearchTokens[]> {
  const file = new URL("../tests/catalog/queries.jsonl", import.meta.url);
  const lines = (await Deno.readTextFile(file)).trim().split("\n");
  const rows = lines.map((line) => JSON.parse(line) as { query: string; want: string[][] });
  await using session = await openSession({ configs: [...bundledConfigs.keys()] });
  return await Promise.all((["contract", "compact"] as const).map(async (format) => {
    const costs: number[] = [];
    let right = 0;
    for (const { query, want } of rows) {
      const text = await answerText(session.index, { query }, format);
      costs.push(countTokens(text));
      const found = await answer(session.index, { query });
      const names = found.mode === "search" ? found.results.map(({ tool_name }) => tool_name) : [];
      const name = names.find((each) => want.flat().includes(each));
      if (name === undefined) continue;
      const args = format === "compact" ? argsByLine(text, name) : argsBySchema(text, name);
      if (args !== undefined && (await prepareCall(session, { tool: name, args })).ok) right++;
    }
    const sorted = costs.toSorted((a, b) => a - b);
    const total = costs.reduce((sum, cost) => sum + cost, 0);
    return { format, median: sorted[sorted.length >> 1]!, total, success: right / rows.length };
  }));
}

/** What an agent that has only the line fills in: everything that is required, by its type. */
function argsByLine(text: string, name: string): Record<string, unknown> | undefined {
  const line = text.split("\n").find((each) => each.startsWith(`${name}(`));
  if (line === undefined) return undefined;
  const inner =
    /^[^(]*\((.*?)\)(?: (?:read|write|destructive))?(?: -> .*?)?(?::|$)/.exec(line)?.[1] ?? "";
  const required = inner.split(", ").filter((each) => each !== "" && !/^[\w-]+\?|=/.test(each));
  return Object.fromEntries(required.map((each) => {
    const [arg, type = "string"] = each.split(": ") as [string, string?];
    return [arg, sample(type)];
  }));
}

function argsBySchema(text: string, name: string): Record<string, unknown> | undefined {
  const { results } = JSON.parse(text);
  // deno-lint-ignore no-explicit-any
  const schema = results.find((each: any) => each.tool_name === name)?.input_schema;
  if (schema === undefined) return undefined;
  const required: string[] = schema.required ?? [];
  return Object.fromEntries(required.map((arg) => {
    const { type, enum: values } = schema.properties[arg];
    return [arg, values?.[0] ?? sample(type === "array" ? "string[]" : type)];
  }));
}

function sample(type: string): unknown {
  if (type.endsWith("[]")) return ["x"];
  if (type.startsWith("integer") || type.startsWith("number")) return 1;
  if (type === "boolean") return true;
  return type === "string" ? "x" : type.split("|")[0];
}

/** What an output costs, whole and bounded. */
export interface OutputTokens {
  readonly output: string;
  readonly tokens: number;
  /** The estimate over the count. */
  readonly estimate: number;
  readonly bounded: number;
}

const programs: readonly (readonly [what: string, argv: readonly [string, ...string[]]])[] = [
  ["git log, all commits", ["git", "log", "-n", "2000"]],
  ["git log with patches", ["git", "log", "-n", "40", "--patch"]],
  ["git grep", ["git", "grep", "-n", "const "]],
  ["git ls-files with hashes", ["git", "ls-files", "--stage"]],
  ["a module graph, JSON", ["deno", "info", "--json", "main.ts"]],
  ["a lock file, JSON", ["cat", "deno.lock"]],
  ["ls -lR", ["ls", "-lR", "/usr/share/doc"]],
  ["find", ["find", "/usr/share", "-name", "*.h", "-o", "-name", "*.mo"]],
  ["ps aux", ["ps", "aux"]],
  ["a build log", ["deno", "test", "-A", "--no-check", "tests/policy", "tests/text"]],
];

/** Runs real programs in the repository. */
export async function outputTokens(): Promise<OutputTokens[]> {
  const cwd = new URL("..", import.meta.url);
  const rows: OutputTokens[] = [];
  for (const [output, [program, ...args]] of programs) {
    const run = await new Deno.Command(program, { args, cwd, stderr: "null" }).output();
    // As much as --max-output lets through
    const text = new TextDecoder().decode(run.stdout.subarray(0, 256 * 1024));
    const tokens = countTokens(text);
    const bounded = textOf(boundResult(textResult(text), {
      maxTokens: defaultCallSettings.maxResultTokens,
      promisesStructure: false,
      keep: () => ({ id: "k0000000000000", bytes: 0, isCut: false }),
    }));
    rows.push({
      output,
      tokens,
      estimate: estimateTokens(text) / tokens,
      bounded: countTokens(bounded),
    });
  }
  return rows;
}

/** Both as a table. */
export async function resultsTable(): Promise<string> {
  const rows = [
    ["searches", "median", "total", "found and called right"],
    ...(await searchTokens()).map(({ format, median, total, success }) => {
      return [format, String(median), String(total), `${(100 * success).toFixed(1)} %`];
    }),
    ["output", "tokens", "estimate / tokens", "bounded"],
    ...(await outputTokens()).map(({ output, tokens, estimate, bounded }) => {
      return [output, String(tokens), estimate.toFixed(2), String(bounded)];
    }),
  ];
  return rows.map((row) => row.map((cell) => cell.padEnd(26)).join("").trimEnd()).join("\n");
}

if (import.meta.main) {
  Deno.stdout.writeSync(new TextEncoder().encode(`${await resultsTable()}\n`));
}
