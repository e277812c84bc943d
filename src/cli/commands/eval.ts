/**
 * `climax eval`: how well search does on the user's own catalogue and queries, which is how
 * descriptions and tags are improved.
 */

import * as z from "zod";
import { type Judged, measure, type Measures, reciprocalRank } from "../../catalog/measure.ts";
import type { SearchRequest, ToolIndex } from "../../catalog/tool_index.ts";
import { bundledConfigs } from "../../sources/command/bundled.ts";
import { ClimaxError, ExitCode, messageOf, type Problem } from "../../errors.ts";
import { openSession } from "../../session.ts";
import { readTextFile } from "../../document/text_file.ts";
import { print, table } from "../output.ts";

/** Settings of `climax eval`. */
export interface EvalCommandOptions {
  /** A file of queries, one JSON object a line. */
  readonly queries: string;
  /** Default: all bundled ones. */
  readonly config?: readonly string[];
  readonly policy?: string;
  readonly strict?: boolean;
  readonly limit: number;
  /** How many of the worst queries are shown. */
  readonly misses?: number;
  readonly json?: boolean;
}

const rowSchema = z.strictObject({
  query: z.string(),
  want: z.array(z.array(z.string()).min(1)).min(1),
  filter: z.strictObject({ cli: z.string().optional(), category: z.string().optional() })
    .optional(),
});

type Row = z.infer<typeof rowSchema>;

/** A query with its answer. */
interface Asked extends Judged {
  readonly query: string;
  readonly milliseconds: number;
}

/** Asks every query and prints how good the answers are. */
export async function evalCommand(options: EvalCommandOptions): Promise<ExitCode> {
  const { config = [...bundledConfigs.keys()], policy, strict, limit, misses = 0 } = options;
  const { index } = await openSession({ configs: config, policy, strict });
  const rows = await readRows(options.queries, index);
  // The first search builds the index, which is no query's cost
  index.search({ query: "warm up", limit: 1 });
  const asked = rows.map((row) => ask(index, row, limit));
  const measures = measure(asked);
  const times = asked.map(({ milliseconds }) => milliseconds).toSorted((a, b) => a - b);
  const time = { p50_ms: percentile(times, 0.5), p95_ms: percentile(times, 0.95) };
  const worst = worstOf(asked, misses);
  await print(
    options.json
      ? JSON.stringify(
        { queries: asked.length, ...named(measures), ...time, misses: worst },
        null,
        2,
      )
      : [summary(asked.length, measures, time), ...worst.map(describeMiss)].join("\n"),
  );
  return ExitCode.ok;
}

async function readRows(path: string, index: ToolIndex): Promise<Row[]> {
  const read = await readTextFile(path);
  if (!read.ok) throw new ClimaxError("There is nothing to measure", ExitCode.file, [read.problem]);
  const problems: Problem[] = [];
  const rows: Row[] = [];
  for (const [at, line] of read.text.split("\n").entries()) {
    if (line.trim() === "") continue;
    const row = readRow(line);
    const place = { file: path, line: at + 1, column: 1 };
    if ("reason" in row) problems.push({ ...place, message: row.reason });
    else {
      const unknown = row.want.flat().filter((name) => index.get(name) === undefined);
      for (const name of unknown) {
        problems.push({ ...place, message: `No config has a tool '${name}'` });
      }
      rows.push(row);
    }
  }
  if (rows.length === 0 && problems.length === 0) {
    problems.push({ file: path, message: "The file has no queries" });
  }
  if (problems.length === 0) return rows;
  throw new ClimaxError("There is nothing to measure", ExitCode.file, problems);
}

function readRow(line: string): Row | { readonly reason: string } {
  try {
    const parsed = rowSchema.safeParse(JSON.parse(line));
    if (parsed.success) return parsed.data;
    const [issue] = parsed.error.issues;
    const path = issue?.path.join(".") ?? "";
    return { reason: `${path === "" ? "Row" : `'${path}'`}: ${issue?.message}` };
  } catch (error) {
    return { reason: `Not a line of JSON: ${messageOf(error)}` };
  }
}

function ask(index: ToolIndex, { query, want, filter }: Row, limit: number): Asked {
  const request: SearchRequest = {
    query,
    limit,
    ...(filter?.cli === undefined ? {} : { cli: filter.cli }),
    ...(filter?.category === undefined ? {} : { category: filter.category }),
  };
  const started = performance.now();
  const results = index.search(request);
  const milliseconds = performance.now() - started;
  return { query, want, ranked: results.map(({ tool_name }) => tool_name), milliseconds };
}

/** The queries whose first right answer came latest, or never. */
function worstOf(asked: readonly Asked[], count: number) {
  return asked.filter((each) => reciprocalRank(each) < 1)
    .toSorted((a, b) => reciprocalRank(a) - reciprocalRank(b))
    .slice(0, count)
    .map(({ query, want, ranked }) => ({ query, want, got: ranked.slice(0, 5) }));
}

function named({ recall1, recall5, recall10, mrr, ndcg10, empty }: Measures) {
  return { "R@1": recall1, "R@5": recall5, "R@10": recall10, MRR: mrr, "nDCG@10": ndcg10, empty };
}

function summary(count: number, measures: Measures, time: { p50_ms: number; p95_ms: number }) {
  const rows = Object.entries(named(measures)).map(([name, value]) => [name, value.toFixed(3)]);
  const times = Object.entries(time).map(([name, value]) => [name, value.toFixed(3)]);
  return table(["MEASURE", "VALUE"], [["queries", String(count)], ...rows, ...times]);
}

function describeMiss({ query, want, got }: ReturnType<typeof worstOf>[number]): string {
  const wanted = want.map((group) => group.join(" or ")).join(" and ");
  return `\n${query}\n  wanted: ${wanted}\n  got:    ${got.join(", ") || "nothing"}`;
}

/** Nearest rank. */
function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0;
}
