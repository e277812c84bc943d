/** What the ranking says beyond the order of its results. */

import assert from "node:assert/strict";
import { buildPostings, idf, strengthIn } from "../../../src/catalog/rank/_postings.ts";
import { buildRanking, catalogue, cli, git, tool } from "../_tools.ts";

const limit = 10;

Deno.test("score() gives the documents of rank(), those worth most first", () => {
  const ranking = buildRanking(catalogue);
  for (const query of ["git commit", "remove docker containers"]) {
    const scored = ranking.score(query, { limit });
    const scores = scored.map(({ score }) => score);
    assert.deepEqual(scored.map(({ document }) => document), ranking.rank(query, { limit }), query);
    assert.ok(scores.length > 1 && scores[0]! > scores.at(-1)!, query);
    assert.deepEqual(scores, scores.toSorted((one, other) => other - one), query);
  }
});

Deno.test("scoresOfBest() counts those that are worth the share of the first", () => {
  const ranking = buildRanking(catalogue);
  const [first, second] = ranking.score("remove docker containers", { limit });
  const share = second!.score / first!.score;
  const count = (share: number) =>
    ranking.scoresOfBest("remove docker containers", { limit, share });
  assert.deepEqual([count(1), count(share), count(share * 1.001)], [1, 2, 1]);
});

Deno.test("fit() is greatest for the words of a tool, and less for what only means them", () => {
  const ranking = buildRanking(catalogue);
  const shares = ["remove docker containers", "delete docker containers", "zzqx docker containers"]
    .map((query) => ranking.fit(query, { limit }).share);
  assert.deepEqual(shares, shares.toSorted((one, other) => other - one));
  assert.ok(shares[0]! > 0.9 && shares[2]! < 0.6, shares.join(" "));
});

Deno.test("fit() counts no stop words and no numbers, and nothing of long queries", () => {
  const texts = ["Remove containers", "The list of 7 things"];
  const ranking = buildRanking(texts.map((text) => tool(git, text.slice(0, 3), text)));
  const share = (query: string) => ranking.fit(query, { limit }).share;
  for (const query of ["containers the remove", "containers 7 remove"]) {
    assert.equal(share(query), share("containers remove"), query);
  }
  const words = "remove containers zzqa xqqb wqqc";
  assert.ok(share(words) < 0.5);
  assert.equal(share(`${words} vqqd`), 1);
});

Deno.test("strengthIn() is 0 where a document has not the term, and idf() never negative", () => {
  const documents = [[0, 1], [1], [2]].map((terms) => [{ field: 0, terms, length: terms.length }]);
  const given = { fields: [{ weight: 1, lengthNorm: 0 }], termCount: 3, rareOnly: [] };
  const steps = buildPostings(documents, given);
  let step = steps.next();
  while (!step.done) step = steps.next();
  const { value } = step;
  const strengths = [0, 1, 2].map((term) => [0, 1, 2].map((at) => strengthIn(value, term, at)));
  assert.deepEqual(strengths, [[1, 0, 0], [1, 1, 0], [0, 0, 1]]);
  const worths = [0, 10, 12].map((count) => Math.exp(idf(count, 10)).toFixed(3));
  assert.deepEqual(worths, ["22.000", "1.048", "1.040"]);
});

Deno.test("explain() knows a program by six words, and by no more", () => {
  for (const [name, isNamed] of [["a1 b2 c3 d4 e5 f6", true], ["a1 b2 c3 d4 e5 f6 g7", false]]) {
    const ranking = buildRanking([tool(cli(String(name)), "first", "List"), ...catalogue]);
    const [first] = ranking.explain(`list ${name}`, { limit: 1 });
    assert.deepEqual([first!.document, first!.steps["its program is named"] > 0], [0, isNamed]);
  }
});

Deno.test("rank() reads a stop word that a thousand tools have, and none that more have", () => {
  for (const [count, found] of [[1000, 1000], [1001, 0]] as const) {
    const tools = Array.from({ length: count }, (_, at) => tool(git, `t${at}`, "with"));
    assert.equal(
      buildRanking(tools).rank("with from", { limit: 2000 }).length,
      found,
      String(count),
    );
  }
});

Deno.test("rank() corrects eight words of a query, and no further one", () => {
  const ranking = buildRanking(catalogue);
  const unknown = Array.from({ length: 8 }, (_, at) => `qqqq${"vwxz"[at % 4]!.repeat(at + 4)}`);
  const names = (words: readonly string[]) =>
    ranking.rank(`${words.join(" ")} commmit`, { limit }).map((at) => catalogue[at]!.name);
  assert.equal(names(unknown.slice(1))[0], "git_commit");
  assert.deepEqual(names(unknown), []);
});
