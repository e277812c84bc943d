import assert from "node:assert/strict";
import fc from "../../_properties.ts";
import type { Tool } from "../../../src/tool/tool.ts";
import { isOneEditAway } from "../../../src/catalog/rank/_catalogue_index.ts";
import { buildRanking, catalogue, cli, docker, git, tool } from "../_tools.ts";

const ranking = buildRanking(catalogue);

Deno.test("rank() corrects one edit in a word that the catalogue does not know", () => {
  for (const query of ["comit", "commmit", "cmomit", "commat", "comits", "cmomiting"]) {
    assert.equal(names(query)[0], "git_commit", query);
  }
  assert.deepEqual(names("cmmt"), []);
});

Deno.test("isOneEditAway() takes a character more, less, changed, or two swapped", () => {
  const one = ["abcd", "abxd", "abd", "abxcd", "acbd", "abc", "abcdx", "xabcd", "bcd", "bacd"];
  const more = ["axxd", "acxd", "axbd", "ab", "abcdxx", "axxcd", "axd", "abxxcd", ""];
  const found = [...one, ...more].filter((other) => isOneEditAway("abcd", other));
  assert.deepEqual(found, one);
  assert.deepEqual([...one, ...more].filter((other) => isOneEditAway(other, "abcd")), one);
});

Deno.test("rank() finds British, nominal, misspelled, joined and accented words, and names", () => {
  const described = (name: string, text: string) => tool(cli("words"), name, text);
  const tools = [
    described("text_summarize", "Make a text short"),
    described("branch_create_remote", "Create a remote branch"),
    described("branch_create", "Create branches"),
    described("hash_verify", "Verify"),
    described("video_info", "Show the resolution"),
    described("pgdump", "Save all"),
  ];
  const ranking = buildRanking(tools);
  for (
    const [query, name] of [
      ["summarise this", "text_summarize"],
      ["creation of a branch", "branch_create"],
      ["verification of a download", "hash_verify"],
      ["vídeo resoluton", "video_info"],
      ["pg dump", "pgdump"],
      ["create branch", "branch_create"],
      ["words branch create", "branch_create"],
    ] as const
  ) assert.equal(tools[ranking.rank(query, { limit: 1 })[0]!]?.name, name, query);
});

Deno.test("rank() puts the exact name first", () => {
  const rival = tool(git, "git_log_log", "git_log git_log git log log logs");
  const some = buildRanking([rival, ...catalogue]);
  const expected = 1 + catalogue.findIndex(({ name }) => name === "git_log");
  for (const query of ["git_log", "GIT_LOG"]) {
    assert.equal(some.rank(query, { limit: 1 })[0], expected);
  }
  // Of which no word is known, and one that is its program's
  const others = [
    tool(git, "one", "What %% is"),
    tool(git, "%%", ""),
    tool(cli("week"), "week", ""),
  ];
  const other = buildRanking(others);
  for (const [query, at] of [["%%", 1], ["of a week", 2]] as const) {
    assert.equal(other.rank(query, { limit: 1 })[0], at, query);
  }
});

Deno.test("rank() takes what a filter accepts only, and no word of the CLI's name for a clue", () => {
  const accept = (index: number) => catalogue[index]!.owner === docker;
  const found = ranking.rank("remove docker containers", { limit: 10, accept });
  assert.equal(catalogue[found[0]!]!.name, "docker_rm");
  assert.ok(found.every(accept));
  // What another filter has let through is not given again
  assert.equal(ranking.rank("branch", { limit: 10 }).length, 1);
  assert.deepEqual(ranking.rank("branch", { limit: 10, accept }), []);
  assert.deepEqual(ranking.rank("branch", { limit: 10, accept: () => false }), []);
});

const anyQuery = fc.oneof(
  fc.string({ unit: "binary", maxLength: 50 }),
  fc.string({ unit: "grapheme", maxLength: 50 }),
  fc.array(
    fc.constantFrom(
      "git",
      "commit",
      "of the",
      "log in",
      "list. ",
      "(all)",
      "'x y'",
      "_",
      "\0",
      "İ",
    ),
    { maxLength: 12 },
  ).map((parts) => parts.join(" ")),
);

Deno.test("rank() gives unique accepted indexes within the limit, the same every time", () => {
  fc.assert(fc.property(anyQuery, fc.nat(20), fc.nat(3), (query, limit, modulus) => {
    const accept = (index: number) => index % (modulus + 1) === 0;
    const found = ranking.rank(query, { limit, accept });
    assert.ok(found.length <= limit);
    assert.equal(new Set(found).size, found.length);
    assert.ok(found.every((index) => index in catalogue && accept(index)));
    assert.deepEqual(ranking.rank(query, { limit, accept }), found);
  }));
});

Deno.test("rank() includes every tool whose text contains the query", () => {
  const texts = catalogue.flatMap(textsOf);
  const slices = fc.tuple(fc.constantFrom(...texts), fc.nat(40), fc.integer({ min: 1, max: 40 }))
    .map(([text, start, length]) => text.slice(start, start + length));
  fc.assert(fc.property(fc.oneof(slices, anyQuery), (query) => {
    const found = ranking.rank(query, { limit: Infinity });
    const contains = (text: string) => text.toLowerCase().includes(query.toLowerCase());
    catalogue.forEach((tool, index) => {
      if (textsOf(tool).some(contains)) assert.ok(found.includes(index), `${tool.name}: ${query}`);
    });
  }));
});

function names(query: string): string[] {
  return ranking.rank(query, { limit: 10 }).map((index) => catalogue[index]!.name);
}

function textsOf({ name, description, owner: cli }: Tool): string[] {
  return [name, description, cli.name, cli.category ?? "", ...cli.tags];
}

Deno.test("explain() gives what rank() and score() give", () => {
  for (const query of ["git commit", "history of an image", "git_log", "undo a commit", "zz", ""]) {
    const explained = ranking.explain(query, { limit: 10 });
    assert.deepEqual(
      explained.map(({ document }) => document),
      ranking.rank(query, { limit: 10 }),
      query,
    );
    const scores = ranking.score(query, { limit: 10 }).map(({ score }) => score);
    assert.deepEqual(explained.map(({ score }) => score), scores, query);
  }
});
