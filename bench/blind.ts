/**
 * Prints how climax_search answers queries that were written blind: of agents, of people, without a right tool, and over
 * MCP servers. `deno task blind [--half even|odd] [--misses] [FOLDER]`; FOLDER has `a_agent`, `b_person`, `c_none` and
 * `d_mcp.jsonl`, and the servers' tools in `servers.json`. It tunes on even lines; the odd ones are looked at once.
 */

import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { formatAnswer } from "../src/catalog/compact.ts";
import { answer, answerNotes } from "../src/catalog/answer.ts";
import { ToolIndex } from "../src/catalog/tool_index.ts";
import { argsOf } from "../src/sources/upstream/tools.ts";
import type { Owner } from "../src/tool/owner.ts";
import type { ObjectSchema, Tool } from "../src/tool/tool.ts";
import { bundledTools, dataFolder, loadQueries, type QueryRow } from "./catalogue.ts";
import { defaultMiniSearch, miniSearch } from "./minisearch.ts";
import { type Judged, measure, recallAt } from "../src/cli/commands/eval.ts";

const { values, positionals: [folder = join(dataFolder(), "blind")] } = parseArgs({
  allowPositionals: true,
  options: { half: { type: "string" }, misses: { type: "boolean", default: false } },
});

const bundled = await bundledTools();
const bare = bundled.map((tool) => ({ ...tool, examples: [] }));
const servers = serverTools(JSON.parse(Deno.readTextFileSync(join(folder, "servers.json"))));
const [a, b, none, d] = ["a_agent", "b_person", "c_none", "d_mcp"].map((name) => {
  return loadQueries(join(folder, `${name}.jsonl`)).filter((_, at) => {
    return values.half === undefined || (at % 2 === 1) === (values.half === "even");
  });
}) as [QueryRow[], QueryRow[], QueryRow[], QueryRow[]];

const sets = [
  ["agents", a, bundled],
  ["agents, bare", a, bare],
  ["people", b, bundled],
  ["people, bare", b, bare],
  ["MCP servers", d, servers],
  ["no tool, bundled", none, bundled],
  ["no tool, servers", none, servers],
] as const;

print(
  "R@1 / R@3 / R@5, MRR in %; shown: in the compact answer; tokens: its mean, median, p95; weak: says that nothing fits",
);
for (const [name, rows, tools] of sets) {
  const index = new ToolIndex(tools);
  index.prepareAtOnce();
  const ranked = rows.map(({ query, want }) => {
    return { query, want, ranked: index.search({ query }).map(({ tool_name }) => tool_name) };
  });
  const answers = await Promise.all(rows.map(({ query }) => compactAnswer(index, query)));
  const shown = rows.map(({ want }, at) => {
    return { want, ranked: answers[at]!.text.match(/[\w-]+/g) ?? [] };
  });
  const tokens = answers.map(({ text }) => countTokens(text)).toSorted((x, y) => x - y);
  const weak = answers.filter(({ isWeak }) => isWeak).length;
  const mean = tokens.reduce((sum, each) => sum + each, 0) / tokens.length;
  const quality = rows === none ? [] : [
    `climax ${figures(ranked)}`,
    `shown ${percent(recall(shown, 1e9))}`,
    ...[miniSearch, defaultMiniSearch].map((build) => {
      const search = build(tools);
      const found = rows.map(({ query, want }) => {
        const names = search(query, { limit: 10 }).map((tool) => tools[tool]!.name);
        return { want, ranked: names };
      });
      return `${build.name} ${figures(found)}`;
    }),
  ];
  const cost = `tokens ${mean.toFixed(0)} ${tokens[Math.floor(tokens.length / 2)]} ${
    tokens[Math.floor(tokens.length * 0.95)]
  }`;
  print([name, `n ${rows.length}`, ...quality, cost, `weak ${weak}`].join(" | "));
  if (values.misses) {
    for (const { query, want, ranked: names } of ranked) {
      if (recallAt({ ranked: names, want }, 1) === 1 && rows !== none) continue;
      const place = names.findIndex((each) => want.flat().includes(each)) + 1;
      print(`    ${query} -> ${want.flat().join(",")} ${place} of ${names.slice(0, 3).join(" ")}`);
    }
    for (const [at, { isWeak, text }] of answers.entries()) {
      if (isWeak && rows !== none) print(`    weak: ${rows[at]!.query}`);
      if (!text) print(`    empty: ${rows[at]!.query}`);
    }
  }
}

/** The texts that an agent reads. */
async function compactAnswer(index: ToolIndex, query: string) {
  const request = { query };
  const found = await answer(index, request);
  const notes = answerNotes(index, request, found, { isCut: false });
  const text = [formatAnswer(index, request, found, "compact"), ...notes].join("\n");
  return { text, isWeak: notes.some((note) => note.startsWith("Nothing fits")) };
}

function figures(judged: readonly Judged[]): string {
  const ranks = [1, 3, 5].map((k) => percent(recall(judged, k)));
  return `${ranks.join(" / ")}, ${percent(measure(judged).mrr)}`;
}

function recall(judged: readonly Judged[], k: number): number {
  return judged.reduce((sum, each) => sum + recallAt(each, k), 0) / judged.length;
}

function percent(share: number): string {
  return (100 * share).toFixed(1);
}

interface ServerTool {
  readonly tool_name: string;
  readonly description: string;
  readonly cli_name: string;
  readonly input_schema: ObjectSchema;
  readonly effect?: Tool["effect"];
}

function serverTools(entries: readonly ServerTool[]): Tool[] {
  const owners = new Map<string, Owner>();
  return entries.map(({ tool_name: name, description, cli_name, input_schema: input, effect }) => ({
    name,
    description,
    owner: owners.getOrInsertComputed(cli_name, () => {
      return { name: cli_name, description: "", tags: [], isServer: true };
    }),
    args: argsOf(input as Readonly<Record<string, unknown>>),
    input,
    isOpen: true,
    ...(effect == undefined ? {} : { effect }),
    timeoutMs: 1000,
    source: { kind: "upstream" },
  }));
}

function print(text: string): void {
  // deno-lint-ignore no-console -- printing is what this program is for
  console.log(text);
}
