/**
 * Prints what each ingredient of the ranking is worth.
 *
 * `deno task ladder [DATA]`, where DATA is the folder of the data, by default `../shared/bench`
 * beside the repository.
 */

import type { RankingParameters } from "../src/catalog/rank/_parameters.ts";
import { type Judged, measure } from "../src/catalog/measure.ts";
import { buildRanking } from "../src/catalog/rank/rank.ts";
import type { Tool } from "../src/tool/tool.ts";
import { loadQueries, loadTools, type QueryRow, sharedData } from "./catalogue.ts";
import { sampleFragments } from "./fragments.ts";
import { scan, type Search } from "./scan.ts";

const OFF = { weight: 0, lengthNorm: 0 };

/** Everything switched off that can be: BM25F over names, descriptions, categories and tags. */
const BARE: Partial<RankingParameters> = {
  argName: OFF,
  argDescription: OFF,
  stemming: false,
  stopWords: false,
  joining: false,
  compounds: false,
  synonym: 0,
  synonymWithinCli: 0,
  misspelling: 0,
  firstWord: 0,
  decay: 0,
  parenthesised: 1,
  literal: 1,
  cliEvidence: 0,
  cliNamed: 0,
  cliNamedFirst: 0,
  nameCoverage: 0,
  nameCoverageWithinCli: 0,
  named: 0,
  adjacency: 0,
  substring: 0,
  filterStatistics: 0,
  spread: 0,
};

/** In the order they are added; each names what is switched on from there. */
const INGREDIENTS: readonly (readonly [string, readonly (keyof RankingParameters)[]])[] = [
  ["bare BM25F", []],
  ["+ arguments", ["argName", "argDescription"]],
  ["+ stems", ["stemming"]],
  ["+ stop words", ["stopWords"]],
  ["+ joined words, compounds", ["joining", "compounds"]],
  ["+ synonyms", ["synonym", "synonymWithinCli"]],
  ["+ misspellings", ["misspelling"]],
  ["+ place in the query", ["firstWord", "decay", "parenthesised", "literal"]],
  ["+ evidence for the CLI", ["cliEvidence"]],
  ["+ CLI named", ["cliNamed", "cliNamedFirst"]],
  ["+ names", ["nameCoverage", "nameCoverageWithinCli", "named"]],
  ["+ neighbours", ["adjacency"]],
  ["+ filter statistics", ["filterStatistics"]],
  ["+ spread", ["spread"]],
  ["+ substrings (all)", ["substring"]],
];

interface QuerySet {
  readonly name: string;
  readonly tools: readonly Tool[];
  readonly rows: readonly QueryRow[];
}

if (import.meta.main) {
  printLadder(await loadSets(Deno.args[0] ?? sharedData));
}

async function loadSets(data: string): Promise<QuerySet[]> {
  const cli = await loadTools(`${data}/cli/configs`);
  const api = await loadTools(`${data}/api/configs`);
  return [
    { name: "cli", tools: cli, rows: loadQueries(`${data}/cli/queries.jsonl`) },
    { name: "cli named", tools: cli, rows: loadQueries(`${data}/cli/queries-named.jsonl`) },
    { name: "cli filter", tools: cli, rows: loadQueries(`${data}/cli/queries-filter.jsonl`) },
    { name: "api", tools: api, rows: loadQueries(`${data}/api/queries.jsonl`) },
    { name: "fragments", tools: cli, rows: sampleFragments(cli, 1000) },
  ];
}

function printLadder(sets: readonly QuerySet[]): void {
  print("R@5 / nDCG@10 in %; fragments: R@1 of pasted pieces of descriptions", "");
  print("", sets.map(({ name }) => name));
  print("whole query as substring", judge(sets, (tools) => scan(tools)));
  const on = new Set<keyof RankingParameters>();
  for (const [label, added] of INGREDIENTS) {
    for (const name of added) on.add(name);
    const off = Object.entries(BARE).filter(([name]) => !on.has(name as keyof RankingParameters));
    const parameters = Object.fromEntries(off);
    print(label, judge(sets, (tools) => buildRanking(tools, parameters).rank));
  }
}

function judge(
  sets: readonly QuerySet[],
  index: (tools: readonly Tool[]) => Search,
): string[] {
  const searches = new Map<readonly Tool[], Search>();
  return sets.map(({ name, tools, rows }) => {
    const search = searches.get(tools) ?? index(tools);
    searches.set(tools, search);
    const { recall1, recall5, ndcg10 } = measure(rows.map((row) => answer(row, tools, search)));
    return name === "fragments" ? percent(recall1) : `${percent(recall5)} / ${percent(ndcg10)}`;
  });
}

function answer({ query, want, filter }: QueryRow, tools: readonly Tool[], search: Search): Judged {
  const cli = filter?.cli;
  const accept = (tool: number) => tools[tool]!.owner.name === cli;
  const found = search(query, cli === undefined ? { limit: 10 } : { limit: 10, accept });
  return { ranked: found.map((tool) => tools[tool]!.name), want };
}

function percent(share: number): string {
  return (share * 100).toFixed(1);
}

function print(label: string, cells: string | readonly string[]): void {
  const row = typeof cells === "string" ? cells : cells.map((cell) => cell.padStart(13)).join("");
  // deno-lint-ignore no-console -- printing is what this program is for
  console.log(label.padEnd(28) + row);
}
