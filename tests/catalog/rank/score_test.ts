/** What the ranking says beyond the order of its results. */

import assert from "node:assert/strict";
import { buildPostings, idf, strengthIn } from "../../../src/catalog/rank/_postings.ts";
import { buildRanking, catalogue, cli, files, git, tool } from "../_tools.ts";

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

/** Tools beside those of the catalogue: effects, examples, numbers, compounds, a list, and an owner that is met twice. */
const measured = [
  ...catalogue,
  { ...tool(git, "git_blame", "Annotate lines"), examples: ["who wrote this"], effect: "read" },
  { ...tool(git, "git_push", "Push commits to a remote"), effect: "write" },
  { ...tool(git, "git_clean", "Remove untracked files"), effect: "destructive" },
  { ...tool(files, "export_7", "Convert a document"), examples: ["Markdown to DOCX"] },
  ...["image", "random", "get"].flatMap((word) =>
    [1, 2, 3].map((at) => tool(cli("pack"), `${word}_${at}`, `The ${word} of ${at}`))
  ),
  tool(cli("pack"), "getrandomimage", "Lists images of a place"),
] as const;

/** Queries, each with the fit, what is worth half of the first, and the first four with what they are worth. */
const scores: readonly (readonly [query: string, scores: string])[] = [
  [
    "show commit logs",
    "1.000, 1, git_log 11.458, git_commit 4.380, git_push 4.018, git_stash 3.135",
  ],
  [
    "which containers run",
    "0.349, run, 2, docker_ps 3.544, docker_rm 2.411, docker_login 1.313, docker_getImageHistory 1.313",
  ],
  [
    "docker remove containers",
    "0.896, 4, docker_rm 9.020, docker_ps 7.737, docker_login 6.608, docker_getImageHistory 6.608",
  ],
  [
    "delete all containers (with force)",
    "0.465, 5, docker_rm 5.243, docker_ps 4.216, git_branch_delete 3.897, docker_getImageHistory 3.152",
  ],
  [
    "delete a branch. Then list containers. Push it.",
    "0.896, , git_branch_delete 8.546, git_push 6.662, docker_ps 5.731, docker_rm 5.968",
  ],
  [
    "comit changes to the repositry",
    "0.579, 5, git_commit 6.424, git_push 4.406, git_log 3.921, git_stash 3.697",
  ],
  [
    "md to docx",
    "0.458, 2, export_7 2.773, files_copy 1.773, docker_login 0.545, git_commit 0.453",
  ],
  [
    "get random images",
    "0.814, 10, getrandomimage 6.978, random_1 3.702, random_2 3.702, random_3 3.702",
  ],
  ["log in", "0.456, 3, docker_login 4.286, git_log 3.309, docker_getImageHistory 2.577"],
  ["git_log", "1.000, 1, git_log 42.668"],
  ["getImageHistory", "1.000, 1, docker_getImageHistory 23.157"],
  [
    "copy a directory to another place",
    "1.000, 1, files_copy 37.300, export_7 4.280, getrandomimage 1.426, docker_login 0.489",
  ],
  [
    "who wrote this line of the file, and whose fault is the bug in the repository of today",
    "1.000, fault, bug, today, 7, git_blame 8.072, git_clean 5.066, git_commit 4.941, git_push 4.699",
  ],
  [
    "diskplace pack",
    "0.460, diskplace, 10, image_1 2.023, image_2 2.023, image_3 2.023, random_1 2.023",
  ],
  ["削除", "1.000, 1, files_削除 4.204"],
  ["of the", "0.826, 10, image_1 1.837, image_2 1.837, image_3 1.837, random_1 1.837"],
  ["git", "1.000, 7, git_blame 1.849, git_push 1.789, git_commit 1.735, git_log 1.728"],
  [
    "git tools push 3 commits to Berlin",
    "1.000, 7, git_push 11.689, git_commit 10.405, git_log 9.588, git_stash 9.070",
  ],
];

Deno.test("score() and fit() are those that were measured: deno task ladder before they change", () => {
  const ranking = buildRanking(measured);
  for (const [query, expected] of scores) {
    const { share, unknown } = ranking.fit(query, { limit });
    const found = ranking.explain(query, { limit: 4 }).map(({ document, score }) => {
      return `${measured[document]!.name} ${score.toFixed(3)}`;
    });
    const half = ranking.scoresOfBest(query, { limit, share: 0.5 });
    assert.equal([share.toFixed(3), ...unknown, half, ...found].join(", "), expected, query);
  }
});

Deno.test("explain() tells what each step adds, and each word, in the tool and in its owner", () => {
  const [first, second] = buildRanking(measured).explain("stop the docker container", { limit });
  const rounded = (value: number) => Number(value.toFixed(3));
  const told = [first!, second!].map(({ steps, words }) => [
    ...Object.values(steps).map(rounded),
    ...words.map(({ word, inTool, inOwner }) => `${word} ${rounded(inTool)} ${rounded(inOwner)}`),
  ]);
  assert.deepEqual(told, [[
    1.595,
    3.693,
    1.243,
    0,
    0,
    "stop 0.6 0",
    "docker 0 6.818",
    "contain 3.446 4.906",
  ], [0.986, 3.693, 1.243, 0, 0, "docker 0 6.818", "contain 2.846 4.906"]]);
});
