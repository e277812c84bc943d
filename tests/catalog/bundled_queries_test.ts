/**
 * Search over the bundled configs, measured with queries that were written without looking at the
 * ranking. The floors are below what was measured, so that they fail for a reason and not for a
 * reworded description.
 */

import assert from "node:assert/strict";
import { halfOf } from "./_query_sets.ts";
import { toolIndexOf } from "../../src/catalog/tool_index.ts";
import { bundledConfigs } from "../../src/sources/command/bundled.ts";
import { openSession } from "../../src/session/session.ts";
import { measure } from "../../src/cli/commands/eval.ts";

interface Row {
  readonly query: string;
  readonly want: readonly (readonly string[])[];
}

/** Queries to choose by, which whoever writes examples may read; and queries to test with. */
const [toChoose, toTest] = ["choose", "test"].map((half) => {
  const path = new URL(`queries-${half}.jsonl`, import.meta.url);
  return Deno.readTextFileSync(path).trim().split("\n").map((line): Row => JSON.parse(line));
}) as [Row[], Row[]];
const rows = [...toChoose, ...toTest];
const session = await openSession({ configs: [...bundledConfigs.keys()] });
const index = toolIndexOf(session.index);

function judged(search: (query: string) => readonly string[]) {
  return measure(rows.map(({ query, want }) => ({ want, ranked: search(query) })));
}

Deno.test("there are at least 60 queries, all about tools that exist", () => {
  assert.ok(rows.length >= 60);
  const unknown = rows.flatMap(({ want }) => want.flat()).filter((name) => !index.get(name));
  assert.deepEqual(unknown, []);
});

Deno.test("the queries are split by the tool they want, as the halves of every set are", () => {
  assert.deepEqual(toChoose.filter((row) => halfOf(row) !== 0), []);
  assert.deepEqual(toTest.filter((row) => halfOf(row) !== 1), []);
  assert.ok(toChoose.length >= 30 && toTest.length >= 30);
});

Deno.test("no tool's example is a query of the test half for it, or nearly one", () => {
  const wordsOf = (text: string) => new Set(text.toLowerCase().match(/\p{L}+/gu)!);
  const near = toTest.flatMap(({ query, want }) => {
    const examples = want.flat().flatMap((name) => index.get(name)?.examples ?? []);
    return examples.filter((example) => {
      const [one, other] = [wordsOf(query), wordsOf(example)];
      return one.intersection(other).size >= 0.6 * one.union(other).size;
    }).map((example) => `${query} | ${example}`);
  });
  assert.deepEqual(near, []);
});

Deno.test("each bundled tool has three to six examples, none of them a query or another's", () => {
  const wordsOf = (text: string) => text.toLowerCase().match(/\p{L}+/gu)!.join(" ");
  const queries = rows.map(({ query }) => wordsOf(query));
  const examples = index.tools.flatMap(({ examples = [] }) => examples.map(wordsOf));
  for (const { name, examples = [] } of index.tools) {
    assert.ok(examples.length >= 3 && examples.length <= 6, `${name}: ${examples.length}`);
  }
  assert.deepEqual(examples.filter((example) => queries.includes(example)), []);
  assert.equal(new Set(examples).size, examples.length);
});

Deno.test("search() finds what the bundled tools are asked for", () => {
  const { recall1, recall5, empty } = judged((query) => {
    return index.search({ query }).map(({ tool_name }) => tool_name);
  });
  assert.ok(recall5 >= 0.87, `R@5 is ${recall5}`);
  assert.ok(recall1 >= 0.7, `R@1 is ${recall1}`);
  assert.equal(empty, 0);
});
