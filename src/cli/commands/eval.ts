/** `climax eval`: measures search on the user's own catalogue and queries. */

import type { ToolTable } from "../../catalog/tool_table.ts";
import { ExitCode, UsageError } from "../../errors.ts";
import { examplesHere } from "../project_file.ts";
import type { Command, CommandArguments, Example } from "../command.ts";
import { inFrontOfDashes, sessionOf, withToolOptions } from "../config_words.ts";
import {
  type Judged,
  type JudgedQuery,
  measure,
  type Measures,
  readJudgedQueries,
  reciprocalRank,
} from "../judged_queries.ts";
import { numberOption, shared } from "../options.ts";
import { printJson, printTable, printText } from "../output.ts";
import { showWaiting } from "../progress_line.ts";
import { climax } from "../../process/own_command.ts";

export function define(command: Command) {
  return withToolOptions(
    command
      .description("Measure search with queries of your own")
      .argument("<queries...>", "a file with a line of JSON for each query, after configs and --"),
  )
    .addOption(numberOption("--limit <number>", "how many results each query gets", 1).default(10))
    .addOption(shared.json());
}

export const examples: readonly Example[] = [
  ["eval queries.jsonl", "measure the bundled configs and your own"],
  ["eval ./my.yaml -- queries.jsonl", "measure a config of your own, and show what to fix first"],
];

interface Asked extends Judged {
  readonly query: string;
  readonly milliseconds: number;
}

export async function run(...[words, options, behind]: CommandArguments<typeof define>) {
  const { limit, json } = options;
  const { configs: inFront, others } = inFrontOfDashes(words, behind);
  const file = onlyOne(others);
  const { openSession } = await import("../../session/session.ts");
  const chosen = await sessionOf(options, inFront);
  await using session = await openSession({ ...chosen, preparesCalls: false });
  const rows = await readJudgedQueries(file, session.index);
  const embed = () => showWaiting("embedding the tools", () => session.searchByMeaning());
  await embed();
  const examples = await examplesHere();
  let bare: Measures | undefined;
  if (examples !== undefined) {
    bare = measure(await showWaiting("searching", () => askAll(session.index, rows, limit)));
    const { readExamples, withExamples } = await import("../../catalog/written_examples.ts");
    const { ToolTable } = await import("../../catalog/tool_table.ts");
    const tools = withExamples(session.index.tools, await readExamples(examples));
    session.catalog.replace(new ToolTable(tools));
    await embed();
  }
  const asked = await showWaiting("searching", () => askAll(session.index, rows, limit));
  const byWeight = await measureWeights(session.index, rows, limit);
  const measures = measure(asked);
  const times = asked.map(({ milliseconds }) => milliseconds).toSorted((a, b) => a - b);
  const time = { p50_ms: percentile(times, 0.5), p95_ms: percentile(times, 0.95) };
  const worst = worstOf(asked);
  if (json) {
    const all = {
      queries: asked.length,
      ...nameMeasures(measures),
      ...time,
      ...(bare && { without_examples: nameMeasures(bare) }),
      ...(byWeight.length > 0 && {
        by_weight: byWeight.map(([weight, each]) => ({ weight, ...nameMeasures(each) })),
      }),
      misses: worst,
    };
    await printJson(all);
    return ExitCode.ok;
  }
  const columns = [
    ["VALUE", measures],
    ...(bare === undefined ? [] : [["WITHOUT EXAMPLES WRITTEN", bare]] as const),
    ...byWeight.map(([weight, each]) => [`WEIGHT ${weight}`, each] as const),
  ] as const;
  await printSummary(asked.length, columns, time);
  for (const miss of worst) await printText(describeMiss(miss).split("\n"));
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

/** Measures by words alone, with the weight of `embeddings`, and with half of it; nothing without embeddings. */
async function measureWeights(tools: ToolTable, rows: readonly JudgedQuery[], limit: number) {
  const { toolIndexOf } = await import("../../catalog/tool_index.ts");
  const { weightOfMeaning } = toolIndexOf(tools);
  if (weightOfMeaning === undefined) return [];
  const weights = [...new Set([0, weightOfMeaning, weightOfMeaning === 0.5 ? 0.3 : 0.5])];
  return await showWaiting("searching", () =>
    Promise.all(weights.map(async (weight) => {
      return [weight, measure(await askAll(tools, rows, limit, weight))] as const;
    })));
}

async function askAll(
  tools: ToolTable,
  rows: readonly JudgedQuery[],
  limit: number,
  weight?: number,
) {
  const { toolIndexOf } = await import("../../catalog/tool_index.ts");
  const index = toolIndexOf(tools);
  // The first search builds the index, which is not a query's cost
  index.search({ query: "warm up", limit: 1 });
  const asked: Asked[] = [];
  for (const { query, want, filter } of rows) {
    const started = performance.now();
    const results = await index.find({ query, limit, ...filter }, weight);
    const milliseconds = performance.now() - started;
    asked.push({ query, want, ranked: results.map(({ tool_name }) => tool_name), milliseconds });
  }
  return asked;
}

/** The most queries that are shown. */
const maxWorst = 5;

/** Returns the queries with the worst rank of the first right result, or without one. */
function worstOf(asked: readonly Asked[]) {
  return asked.filter((each) => reciprocalRank(each) < 1)
    .toSorted((a, b) => reciprocalRank(a) - reciprocalRank(b))
    .slice(0, maxWorst)
    .map(({ query, want, ranked }) => ({ query, want, got: ranked.slice(0, 5) }));
}

function nameMeasures({ recall1, recall5, recall10, mrr, ndcg10, empty }: Measures) {
  return { "R@1": recall1, "R@5": recall5, "R@10": recall10, MRR: mrr, "nDCG@10": ndcg10, empty };
}

async function printSummary(
  count: number,
  columns: readonly (readonly [head: string, measures: Measures])[],
  time: Readonly<Record<string, number>>,
): Promise<void> {
  const named = columns.map(([, measures]) => nameMeasures(measures));
  const names = Object.keys(named[0]!) as (keyof ReturnType<typeof nameMeasures>)[];
  const rows = names.map((name) => [name, ...named.map((each) => each[name]!.toFixed(3))]);
  const times = Object.entries(time).map(([name, value]) => [name, value.toFixed(3)]);
  const head = ["MEASURE", ...columns.map(([name]) => name)];
  const table = [["queries", String(count)], ...rows, ...times];
  await printTable(head, table.map((row) => [...row, ...head.slice(row.length).map(() => "")]));
}

function describeMiss({ query, want, got }: ReturnType<typeof worstOf>[number]): string {
  const wanted = want.map((group) => group.join(" or ")).join(" and ");
  return `\n${query}\n  wanted: ${wanted}\n  got:    ${got.join(", ") || "nothing"}`;
}

/** Computes a percentile by nearest rank. */
function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0;
}
