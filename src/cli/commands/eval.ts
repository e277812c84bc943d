/** `climax eval`: measures search by a file of queries, each with the tools that should answer it. */

import type { ToolTable } from "../../catalog/tool_table.ts";
import { ExitCode, FileError, type Problem, UsageError } from "../../errors.ts";
import { examplesHere } from "../project_file.ts";
import type { Command, CommandArguments, Example } from "../command.ts";
import { inFrontOfDashes, sessionOf } from "../config_words.ts";
import { numberOption, toolOptions, withOptions } from "../options.ts";
import { printJson, printTable, printText } from "../output.ts";
import { showWaiting } from "../progress_line.ts";
import { climax } from "../../process/own_command.ts";
import * as z from "zod";
import { describeIssues } from "../../files/issues.ts";
import { parseJson } from "../../files/json.ts";
import { requireText } from "../../files/text_file.ts";

export function define(command: Command) {
  return withOptions(
    command
      .description("Measure search with queries of your own")
      .argument("<queries...>", "a file with a line of JSON for each query, after configs and --")
      .addOption(
        numberOption("--limit <number>", "how many results each query gets", 1).default(10),
      ),
    ...[...toolOptions, "json"] as const,
  );
}

export const examples: readonly Example[] = [
  ["eval queries.jsonl", "measure the bundled configs and your own"],
  ["eval ./my.yaml -- queries.jsonl", "measure a config of your own, and show what to fix first"],
];

type Asked = Judged & { readonly query: string };

export async function run(...[words, options, behind]: CommandArguments<typeof define>) {
  const { limit, json } = options;
  const { configs, others } = inFrontOfDashes(words, behind);
  const file = onlyOne(others);
  const { openSession } = await import("../../session/session.ts");
  const chosen = await sessionOf(options, configs);
  await using session = await openSession({ ...chosen, preparesCalls: false });
  const rows = await readJudgedQueries(file, session.index);
  const search = async () => {
    await showWaiting("embedding the tools", () => session.searchByMeaning());
    return await showWaiting("searching", () => askAll(session.index, rows, limit));
  };
  let asked = await search();
  let bare: ReturnType<typeof nameMeasures> | undefined;
  const examples = await examplesHere();
  if (examples !== undefined) {
    bare = nameMeasures(measure(asked));
    const { readExamples, withExamples } = await import("../../catalog/written_examples.ts");
    const { ToolTable } = await import("../../catalog/tool_table.ts");
    const tools = withExamples(session.index.tools, await readExamples(examples));
    session.catalog.replace(new ToolTable(tools));
    asked = await search();
  }
  const measures = nameMeasures(measure(asked));
  const misses = worstOf(asked);
  if (json) {
    await printJson({ queries: asked.length, ...measures, without_examples: bare, misses });
    return ExitCode.ok;
  }
  const columns = bare === undefined ? [measures] : [measures, bare];
  const names = Object.keys(measures) as (keyof typeof measures)[];
  const table = names.map((name) => [name, ...columns.map((column) => column[name].toFixed(3))]);
  const heads = ["MEASURE", "VALUE", "WITHOUT EXAMPLES WRITTEN"].slice(0, columns.length + 1);
  await printTable(heads, [["queries", String(asked.length), ""].slice(0, heads.length), ...table]);
  for (const miss of misses) await printText(describeMiss(miss).split("\n"));
  return ExitCode.ok;
}

function onlyOne([file, another]: readonly string[]): string {
  if (file === undefined) {
    throw new UsageError("Missing required argument 'queries'", `See '${climax()} eval --help'`);
  }
  if (another === undefined) return file;
  throw new UsageError(
    `Only one file of queries is taken, not '${another}' too`,
    "Configs come before it, separated by --",
  );
}

async function askAll(tools: ToolTable, rows: readonly JudgedQuery[], limit: number) {
  const { toolIndexOf } = await import("../../catalog/tool_index.ts");
  const index = toolIndexOf(tools);
  return await Promise.all(rows.map(async ({ query, want, filter }): Promise<Asked> => {
    const results = await index.find({ query, limit, ...filter });
    return { query, want, ranked: results.map(({ tool_name }) => tool_name) };
  }));
}

/** Returns the five queries whose first right result has the worst rank, or that have no right result. */
function worstOf(asked: readonly Asked[]) {
  return asked.filter((each) => reciprocalRank(each) < 1)
    .toSorted((a, b) => reciprocalRank(a) - reciprocalRank(b))
    .slice(0, 5)
    .map(({ query, want, ranked }) => ({ query, want, got: ranked.slice(0, 5) }));
}

function nameMeasures({ recall1, recall5, recall10, mrr, ndcg10, empty }: Measures) {
  return { "R@1": recall1, "R@5": recall5, "R@10": recall10, MRR: mrr, "nDCG@10": ndcg10, empty };
}

function describeMiss({ query, want, got }: ReturnType<typeof worstOf>[number]): string {
  const wanted = want.map((group) => group.join(" or ")).join(" and ");
  return `\n${query}\n  wanted: ${wanted}\n  got:    ${got.join(", ") || "nothing"}`;
}

const rowSchema = z.strictObject({
  query: z.string(),
  want: z.array(z.array(z.string()).min(1)).min(1),
  filter: z.strictObject({ cli: z.string().optional(), category: z.string().optional() })
    .optional(),
});

type JudgedQuery = z.infer<typeof rowSchema>;

/** Reads queries, which may only name tools of `index`. @throws {FileError} with every problem of the file */
async function readJudgedQueries(path: string, index: ToolTable): Promise<JudgedQuery[]> {
  const text = await requireText(path, "Nothing was measured");
  const problems: Problem[] = [];
  const rows: JudgedQuery[] = [];
  for (const [at, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue;
    const place = { file: path, line: at + 1, column: 1 };
    const row = await readRow(line);
    if ("reason" in row) {
      problems.push({ ...place, message: row.reason });
      continue;
    }
    rows.push(row);
    for (const name of row.want.flat().filter((name) => index.get(name) === undefined)) {
      problems.push({ ...place, message: `No config has a tool '${name}'` });
    }
  }
  if (rows.length === 0 && problems.length === 0) {
    problems.push({ file: path, message: "The file has no queries" });
  }
  if (problems.length > 0) throw new FileError("Nothing was measured", ...problems);
  return rows;
}

async function readRow(line: string): Promise<JudgedQuery | { readonly reason: string }> {
  const json = await parseJson(line);
  if ("fault" in json) return { reason: `The line is not JSON: ${json.fault.message}` };
  const parsed = rowSchema.safeParse(json.value, { reportInput: true });
  if (parsed.success) return parsed.data;
  const [finding] = describeIssues(parsed.error.issues, rowSchema);
  return { reason: finding!.message };
}

export interface Judged {
  readonly ranked: readonly string[];
  readonly want: readonly (readonly string[])[];
}

/** Each measure is the mean over all queries, between 0 and 1: recall at 1, 5 and 10, reciprocal rank, nDCG at 10. */
export interface Measures {
  readonly recall1: number;
  readonly recall5: number;
  readonly recall10: number;
  readonly mrr: number;
  readonly ndcg10: number;
  readonly empty: number;
}

export function measure(queries: readonly Judged[]): Measures {
  return {
    recall1: mean(queries, (query) => recallAt(query, 1)),
    recall5: mean(queries, (query) => recallAt(query, 5)),
    recall10: mean(queries, (query) => recallAt(query, 10)),
    mrr: mean(queries, reciprocalRank),
    ndcg10: mean(queries, (query) => ndcgAt(query, 10)),
    empty: mean(queries, (query) => query.ranked.length === 0 ? 1 : 0),
  };
}

export function recallAt({ ranked, want }: Judged, k: number): number {
  if (want.length === 0) return 1;
  const ranks = firstRanks(ranked, want);
  return ranks.filter((rank) => rank <= k).length / want.length;
}

function reciprocalRank({ ranked, want }: Judged): number {
  return 1 / Math.min(...firstRanks(ranked, want));
}

/**
 * Returns nDCG (normalized discounted cumulative gain) of the first `k` results, a measure of how high the right tools
 * rank.
 */
export function ndcgAt({ ranked, want }: Judged, k: number): number {
  if (want.length === 0) return 1;
  const gains = firstRanks(ranked, want).filter((rank) => rank <= k).map(discount);
  const ideal = Array.from({ length: Math.min(k, want.length) }, (_, place) => discount(place + 1));
  return Math.min(1, sum(gains) / sum(ideal));
}

function firstRanks(ranked: readonly string[], want: Judged["want"]): number[] {
  return want.map((group) => {
    const place = ranked.findIndex((name) => group.includes(name));
    return place < 0 ? Infinity : place + 1;
  });
}

function discount(rank: number): number {
  return 1 / Math.log2(rank + 1);
}

function mean(queries: readonly Judged[], score: (query: Judged) => number): number {
  return queries.length === 0 ? 0 : sum(queries.map(score)) / queries.length;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
