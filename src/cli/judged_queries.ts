/** Reads queries with the tools that should answer them, one line of JSON for each, and measures answers. */

import * as z from "zod";
import type { ToolTable } from "../catalog/tool_table.ts";
import { describeIssues } from "../files/issues.ts";
import { parseJson } from "../files/parse_json.ts";
import { requireText } from "../files/text_file.ts";
import { FileError, type Problem } from "../errors.ts";

const rowSchema = z.strictObject({
  query: z.string(),
  want: z.array(z.array(z.string()).min(1)).min(1),
  filter: z.strictObject({ cli: z.string().optional(), category: z.string().optional() })
    .optional(),
});

/** A query, the tools that should answer it, and the filters of the search. */
export type JudgedQuery = z.infer<typeof rowSchema>;

/** Reads queries that may only name tools of `index`. @throws {ClimaxError} with every problem */
export async function readJudgedQueries(path: string, index: ToolTable): Promise<JudgedQuery[]> {
  const text = await requireText(path, "Nothing was measured");
  const problems: Problem[] = [];
  const rows: JudgedQuery[] = [];
  for (const [at, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue;
    const row = await readRow(line);
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
  throw new FileError("Nothing was measured", ...problems);
}

async function readRow(line: string): Promise<JudgedQuery | { readonly reason: string }> {
  const json = await parseJson(line);
  if ("fault" in json) return { reason: `The line is not JSON: ${json.fault.message}` };
  const parsed = rowSchema.safeParse(json.value, { reportInput: true });
  if (parsed.success) return parsed.data;
  const [finding] = describeIssues(parsed.error.issues, rowSchema);
  return { reason: finding!.message };
}

/** One query with its results, best first, and the groups of names of which one each was wanted. */
export interface Judged {
  readonly ranked: readonly string[];
  readonly want: readonly (readonly string[])[];
}

/** Means over all queries, each between 0 and 1. */
export interface Measures {
  readonly recall1: number;
  readonly recall5: number;
  readonly recall10: number;
  readonly mrr: number;
  readonly ndcg10: number;
  /** The share of queries without any result. */
  readonly empty: number;
}

/** Returns the means of the measures over all queries; zero each without queries. */
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

/** Returns the share of wanted groups with a name among the first `k`; 1 if none is wanted. */
export function recallAt({ ranked, want }: Judged, k: number): number {
  if (want.length === 0) return 1;
  const ranks = firstRanks(ranked, want);
  return ranks.filter((rank) => rank <= k).length / want.length;
}

/** Returns one over the rank, counted from 1, of the first wanted name; 0 if there is none. */
export function reciprocalRank({ ranked, want }: Judged): number {
  return 1 / Math.min(...firstRanks(ranked, want));
}

/** Returns nDCG of the first `k`: each wanted group gains 1 / log2(rank + 1) once, at the rank of its best name. */
export function ndcgAt({ ranked, want }: Judged, k: number): number {
  if (want.length === 0) return 1;
  const gains = firstRanks(ranked, want).filter((rank) => rank <= k).map(discount);
  const ideal = Array.from({ length: Math.min(k, want.length) }, (_, place) => discount(place + 1));
  // One name may satisfy several groups, so that the sum may be over the ideal
  return Math.min(1, sum(gains) / sum(ideal));
}

/** Returns the rank from 1 of each group's best name; `Infinity` for a group without one. */
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
