/**
 * Prints what each ingredient of the ranking is worth: added one after another, or left out alone.
 *
 * `deno task ladder [--leave-out] [--halves] [FOLDER]`. Without a FOLDER the data is looked for where
 * `CLIMAX_BENCH_DATA` says, else in `bench/data`; what a FOLDER holds is in docs/search.md. The
 * bundled configs are always measured, so it runs in any clone.
 */

import { parseArgs } from "node:util";
import { type Judged, measure } from "../src/catalog/measure.ts";
import type { RankingParameters } from "../src/catalog/rank/_parameters.ts";
import { buildRanking } from "../src/catalog/rank/rank.ts";
import type { Tool } from "../src/tool/tool.ts";
import { dataFolder, halfOf, loadSets, type QueryRow, type QuerySet } from "./catalogue.ts";
import { sampleFragments } from "./fragments.ts";
import { scan, type Search } from "./scan.ts";

const off = { weight: 0, lengthNorm: 0 };

/** Everything switched off that can be: BM25F over names, descriptions, categories and tags. */
const bare: Partial<RankingParameters> = {
  argName: off,
  argDescription: off,
  stemming: false,
  dropStopWords: false,
  joining: false,
  compounds: false,
  synonym: 0,
  synonymWithinOwner: 0,
  synonymInName: 0,
  misspelling: 0,
  firstWord: 0,
  decay: 0,
  parenthesised: 1,
  literal: 1,
  ownerEvidence: 0,
  ownEvidence: 0,
  ownerNamed: 0,
  ownerNamedFirst: 0,
  nameCoverage: 0,
  nameCoverageWithinOwner: 0,
  adjacency: 0,
  substring: 0,
  filterStatistics: 0,
  spread: 0,
};

/** In the order they are added; each names what is switched on from there. */
const ingredients: readonly (readonly [string, readonly (keyof RankingParameters)[]])[] = [
  ["arguments", ["argName", "argDescription"]],
  ["stems", ["stemming"]],
  ["stop words", ["dropStopWords"]],
  ["joined words", ["joining"]],
  ["compounds", ["compounds"]],
  ["synonyms", ["synonym", "synonymWithinOwner", "synonymInName"]],
  ["misspellings", ["misspelling"]],
  ["weight of the first word", ["firstWord"]],
  ["less weight along the way", ["decay"]],
  ["asides", ["parenthesised"]],
  ["quoted values", ["literal"]],
  ["evidence for the owner", ["ownerEvidence"]],
  ["evidence of its own", ["ownEvidence"]],
  ["owner named", ["ownerNamed", "ownerNamedFirst"]],
  ["words of the name", ["nameCoverage", "nameCoverageWithinOwner"]],
  ["neighbours", ["adjacency"]],
  ["filter statistics", ["filterStatistics"]],
  ["spread over sentences", ["spread"]],
  ["substrings", ["substring"]],
];

type Rung = readonly [label: string, index: (tools: readonly Tool[]) => Search];

if (import.meta.main) {
  const { values, positionals: [folder] } = parseArgs({
    allowPositionals: true,
    options: { "leave-out": { type: "boolean" }, halves: { type: "boolean" } },
  });
  if (folder !== undefined) Deno.statSync(folder);
  const sets = await loadSets(folder ?? dataFolder());
  if (sets.length === 1) note(`No data in '${folder ?? dataFolder()}', see docs/search.md`);
  const pasted = sets.find(({ name }) => name === "cli") ?? sets[0]!;
  const fragments = { ...pasted, name: "fragments", rows: sampleFragments(pasted.tools, 1000) };
  const rungs = values["leave-out"] ? leftOut() : added();
  printTable(rungs, [...sets, fragments], values.halves ?? false);
}

function added(): Rung[] {
  const on = new Set<keyof RankingParameters>();
  const rungs = ingredients.map(([label, names]) => {
    for (const name of names) on.add(name);
    return ranked(
      `+ ${label}`,
      Object.keys(bare).filter((name) => !on.has(name as keyof typeof bare)),
    );
  });
  return [
    ["whole query as substring", scan],
    ranked("bare BM25F", Object.keys(bare)),
    ...rungs,
  ];
}

function leftOut(): Rung[] {
  return [ranked("all", []), ...ingredients.map(([label, names]) => ranked(`- ${label}`, names))];
}

/** The ranking with the parameters `without` switched off. */
function ranked(label: string, without: readonly string[]): Rung {
  const parameters = Object.fromEntries(
    without.map((name) => [name, bare[name as keyof typeof bare]]),
  );
  return [label, (tools) => {
    const ranking = buildRanking(tools, parameters);
    return (query, options) => ranking.rank(query, options);
  }];
}

function printTable(rungs: readonly Rung[], sets: readonly QuerySet[], halves: boolean): void {
  print(
    `R@5 in %; fragments: R@1 of pasted pieces of descriptions${halves ? "; chosen|checked" : ""}`,
  );
  print(line("", sets.map(({ name }) => name)));
  for (const [label, index] of rungs) {
    const searches = new Map<readonly Tool[], Search>();
    const cells = sets.map((set) => {
      const search = searches.get(set.tools) ?? index(set.tools);
      searches.set(set.tools, search);
      return halves
        ? [0, 1].map((half) => judge(set, search, (row) => halfOf(row) === half)).join("|")
        : judge(set, search, () => true);
    });
    print(line(label, cells));
  }
}

function judge(set: QuerySet, search: Search, isWanted: (row: QueryRow) => boolean): string {
  const judged = set.rows.filter(isWanted).map((row) => answer(row, set.tools, search));
  const { recall1, recall5 } = measure(judged);
  return (100 * (set.name === "fragments" ? recall1 : recall5)).toFixed(1);
}

function answer({ query, want, filter }: QueryRow, tools: readonly Tool[], search: Search): Judged {
  const cli = filter?.cli;
  const accept = (tool: number) => tools[tool]!.owner.name === cli;
  const found = search(query, cli === undefined ? { limit: 10 } : { limit: 10, accept });
  return { ranked: found.map((tool) => tools[tool]!.name), want };
}

function line(label: string, cells: readonly string[]): string {
  return label.padEnd(27) + cells.map((cell) => cell.padStart(13)).join("");
}

function note(text: string): void {
  // deno-lint-ignore no-console -- of no use in the table
  console.error(text);
}

function print(text: string): void {
  // deno-lint-ignore no-console -- printing is what this program is for
  console.log(text);
}
