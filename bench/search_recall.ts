/**
 * Prints how good search is on every set of queries, beside floors, and what each ingredient is worth.
 *
 * `deno task bench search [--leave-out] [--halves] [FOLDER]`. Without a FOLDER the data is looked for where
 * `CLIMAX_BENCH_DATA` says, else in `bench/data`; what a FOLDER holds is in bench/README.md.
 * The bundled configs are always measured, so it runs in any clone. MiniSearch is asked one in four of the
 * queries of large sets.
 */

import { parseArgs } from "node:util";
import type { RankingParameters } from "../src/catalog/rank/_parameters.ts";
import type { Tool } from "../src/tool/tool.ts";
import { weaknessOf } from "../src/catalog/answer.ts";
import { ToolIndex } from "../src/catalog/tool_index.ts";
import {
  bundledRows,
  bundledSets,
  bundledTools,
  dataFolder,
  halfOf,
  loadSets,
  type QueryRow,
  type QuerySet,
} from "../tests/catalog/_query_sets.ts";
import { sampleFragments } from "./fragments.ts";
import { miniSearch } from "./minisearch.ts";
import { rankingOf, scan, type Search } from "./scan.ts";
import { type Judged, measure, recallAt } from "../src/cli/commands/eval.ts";

/** Settings that switch each ingredient off. */
const ingredients: readonly (readonly [string, Partial<RankingParameters>])[] = [
  ["arguments", { parameter: { weight: 0, lengthNorm: 0 } }],
  ["stop words", { stopWord: 0 }],
  ["less along the way", { decay: 0 }],
  ["less for asides", { aside: 1 }],
  ["joined words", { joined: 0 }],
  ["synonyms", { synonym: 0 }],
  ["misspellings", { misspelling: 0 }],
  ["words of the name", { nameCovered: 0 }],
  ["words of the owner", { ownerWords: 0 }],
  ["lists", { listed: 0 }],
  ["evidence for the owner", { evidence: 0 }],
  ["evidence of its own", { ownEvidence: 0 }],
  ["owner named", { ownerNamed: 0 }],
  ["whole query", { substring: 0 }],
  ["effect", { effect: 0 }],
  ["spread over sentences", { spread: 0 }],
];

/** `every`: of large sets of queries one in so many is asked, for it takes a tenth of a second each. */
interface Rung {
  readonly label: string;
  readonly index: (tools: readonly Tool[]) => Search;
  readonly every?: number;
}

/** Sets of more queries are large. */
const manyQueries = 500;

if (import.meta.main) {
  const { values, positionals: [folder] } = parseArgs({
    allowPositionals: true,
    options: { "leave-out": { type: "boolean" }, halves: { type: "boolean" } },
  });
  if (folder !== undefined) Deno.statSync(folder);
  const sets = await loadSets(folder ?? dataFolder());
  if (sets.length === 1) {
    note(`No data in '${folder ?? dataFolder()}', see bench/README.md`);
  }
  const pasted = sets.find(({ name }) => name === "cli") ?? sets[0]!;
  const fragments = { ...pasted, name: "fragments", rows: sampleFragments(pasted.tools, 1000) };
  const rungs = values["leave-out"] ? leftOut() : floors();
  const small = await bundledSets();
  print("Bundled configs: share of queries with a right tool among the first 1 / 3 / 5, in %");
  printTable(
    rungs,
    small.map((group) => ({ name: group.name, judge: (rung) => judgeSmall(group.sets, rung) })),
  );
  if (!values["leave-out"]) await printWeakness();
  print(
    "\nR@5 in %; fragments: R@1 of pasted pieces of descriptions; chosen|checked with --halves",
  );
  printTable(
    rungs,
    [...sets, fragments].map((set) => ({
      name: set.name,
      judge: (rung) => judgeLarge(set, rung, values.halves ?? false),
    })),
  );
}

function floors(): Rung[] {
  const bare = Object.assign({}, ...ingredients.map(([, without]) => without));
  return [
    { label: "whole query as substring", index: scan },
    { label: "MiniSearch", index: miniSearch, every: 4 },
    ranked("bare BM25F", bare),
    ranked("climax", {}),
  ];
}

function leftOut(): Rung[] {
  return [
    ranked("all", {}),
    ...ingredients.map(([label, without]) => ranked(`- ${label}`, without)),
  ];
}

/** The ranking with `parameters` of its own. */
function ranked(label: string, parameters: Partial<RankingParameters>): Rung {
  const index = (tools: readonly Tool[]): Search => {
    const ranking = rankingOf(tools, parameters);
    return (query, options) => ranking.rank(query, options);
  };
  return { label, index };
}

interface Column {
  readonly name: string;
  readonly judge: (rung: Rung) => string;
}

function printTable(rungs: readonly Rung[], columns: readonly Column[]): void {
  print(line("", columns.map(({ name }) => name)));
  for (const rung of rungs) {
    print(line(rung.label, columns.map(({ judge }) => judge(rung))));
  }
}

/**
 * Prints how many queries are told that nothing fits: `hopeless` without the configs that answer them,
 * and the same queries with these configs, both halves of them.
 */
async function printWeakness(): Promise<void> {
  print("\nTold that nothing fits, chosen|checked half, in %");
  const tools = await bundledTools();
  const owners = [...new Set(tools.map(({ owner }) => owner.name))];
  for (const count of [6, 12, 24]) {
    const told = await Promise.all(
      bundledRows().map(async (row, at) => {
        const own = tools.filter(({ name }) => row.want.flat().includes(name));
        const names = new Set(own.map(({ owner }) => owner.name));
        const served = new Set(
          Array.from({ length: count }, (_, n) => owners[(at * 7 + n * 5) % owners.length]!),
        );
        const isTold = async (isServed: (owner: string) => boolean) => {
          const here = tools.filter(({ owner }) => isServed(owner.name));
          const notLoaded = tools.filter(({ owner }) => !isServed(owner.name))
            .map((tool) => ({ tool, explanation: "" }));
          const index = new ToolIndex(here, [], {
            withheld: () => Promise.resolve([]),
            notLoaded: () => Promise.resolve(notLoaded),
          });
          return (await weaknessOf(index, row))?.startsWith("Nothing fits") ?? false;
        };
        const others = served.difference(names);
        return {
          half: halfOf(row),
          hopeless: await isTold((owner) => others.has(owner)),
          ordinary: await isTold((owner) => others.has(owner) || names.has(owner)),
        };
      }),
    );
    const share = (key: "hopeless" | "ordinary") =>
      [0, 1].map((half) => {
        const of = told.filter((each) => each.half === half);
        const rate = of.filter((each) => each[key]).length / of.length;
        const error = Math.sqrt(rate * (1 - rate) / of.length);
        return `${(100 * rate).toFixed(1)} ± ${(100 * error).toFixed(1)} of ${of.length}`;
      }).join(" | ");
    print(`${count} configs: hopeless ${share("hopeless")}; others ${share("ordinary")}`);
  }
}

/** Over all catalogues of a group, in each its own queries. */
function judgeSmall(sets: readonly QuerySet[], { index }: Rung): string {
  const judged = sets.flatMap((set) => {
    const search = index(set.tools);
    return set.rows.map((row) => answer(row, set.tools, search));
  });
  return [1, 3, 5].map((k) => {
    const found = judged.reduce((sum, each) => sum + recallAt(each, k), 0);
    return (100 * found / judged.length).toFixed(1);
  }).join("/");
}

function judgeLarge(set: QuerySet, { index, every = 1 }: Rung, halves: boolean): string {
  const search = index(set.tools);
  const rows = set.rows.length > manyQueries
    ? set.rows.filter((_, at) => at % every === 0)
    : set.rows;
  const judge = (isWanted: (row: QueryRow) => boolean) => {
    const judged = rows.filter(isWanted).map((row) => answer(row, set.tools, search));
    const { recall1, recall5 } = measure(judged);
    return (100 * (set.name === "fragments" ? recall1 : recall5)).toFixed(1);
  };
  if (!halves) return judge(() => true);
  return [0, 1].map((half) => judge((row) => halfOf(row) === half)).join("|");
}

function answer({ query, want, filter }: QueryRow, tools: readonly Tool[], search: Search): Judged {
  const cli = filter?.cli;
  const accept = (tool: number) => tools[tool]!.owner.name === cli;
  const found = search(query, cli === undefined ? { limit: 10 } : { limit: 10, accept });
  return { ranked: found.map((tool) => tools[tool]!.name), want };
}

function line(label: string, cells: readonly string[]): string {
  return label.padEnd(27) + cells.map((cell) => cell.padStart(16)).join("");
}

function note(text: string): void {
  // deno-lint-ignore no-console -- of no use in the table
  console.error(text);
}

function print(text: string): void {
  // deno-lint-ignore no-console -- printing is what this program is for
  console.log(text);
}
