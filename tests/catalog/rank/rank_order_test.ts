import assert from "node:assert/strict";
import type { Tool } from "../../../src/tool/tool.ts";
import { buildRanking, catalogue, cli, docker, files, git, tool } from "../_tools.ts";

const ranking = buildRanking(catalogue);

Deno.test("rank() puts the tool first that a sentence describes", () => {
  const cases: [string, string][] = [
    ["save my changes to the repository with a message", "git_commit"],
    ["get rid of a branch", "git_branch_delete"],
    ["show all stopped containers", "docker_ps"],
    ["set aside local changes for now", "git_stash"],
    ["duplicate a folder", "files_copy"],
  ];
  for (const [query, expected] of cases) assert.equal(names(query)[0], expected, query);
});

Deno.test("rank() finds words by arguments, stems, joined words, compounds and synonyms", () => {
  const cases: [string, string][] = [
    ["with username and password", "docker_login"],
    ["recording a change", "git_commit"],
    ["please log in", "docker_login"],
    ["image history please", "docker_getImageHistory"],
    ["erase those branches", "git_branch_delete"],
    ["a copy of my dir", "files_copy"],
  ];
  for (const [query, expected] of cases) assert.equal(names(query)[0], expected, query);
});

Deno.test("rank() finds a tool by the values of its arguments", () => {
  const encode = tool(files, "encode", "Encode", { format: "" });
  const format = { ...encode.args[0]!, enum: ["webp", "avif"] };
  const some = buildRanking([...catalogue, { ...encode, args: [format] }]);
  assert.equal(some.rank("to avif please", { limit: 10 })[0], catalogue.length);
});

Deno.test("rank() finds a tool by what people say in its examples, each read alone", () => {
  const blame = {
    ...tool(git, "git_blame", "Annotate lines"),
    examples: ["who wrote this", "whose fault is the bug"],
  };
  const some = buildRanking([...catalogue, blame]);
  assert.equal(some.rank("who is at fault here", { limit: 10 })[0], catalogue.length);
  assert.equal(some.rank("whose fault is the bug", { limit: 1 })[0], catalogue.length);
});

Deno.test("rank() puts text that contains a pasted fragment first", () => {
  const [scattered, pasted] = [
    tool(docker, "entries_limit", "Number the entries, limit them, number of limit", {
      limit: "Limit entries number",
    }),
    tool(files, "other", "It can limit the number of entries in the list"),
  ];
  const some = buildRanking([scattered!, pasted!]);
  assert.deepEqual(some.rank("LIMIT the number of entries", { limit: 10 }), [1, 0]);
});

Deno.test("rank() prefers tools of a CLI that the query names", () => {
  const some = buildRanking([
    tool(cli("other"), "other_list", "List everything that is listed"),
    tool(cli("zeta"), "zeta_list", "List"),
  ]);
  for (const query of ["zeta list", "list in zeta"]) {
    assert.deepEqual(some.rank(query, { limit: 1 }), [1], query);
  }
});

Deno.test("rank() takes the name of a CLI for no clue to one of its tools", () => {
  const zeta = cli("zeta");
  const some = buildRanking([
    tool(zeta, "first", "Read entries, quickly"),
    tool(zeta, "second", "Read entries of zeta"),
    tool(cli("other"), "third", "Write"),
  ]);
  for (const query of ["read entries", "zeta read entries", "zeta entries"]) {
    const [first, second] = some.score(query, { limit: 2 });
    assert.deepEqual([first!.document, second!.document], [0, 1], query);
    assert.equal(first!.score, second!.score, query);
  }
});

Deno.test("rank() prefers tools of a CLI whose other tools match too", () => {
  const [alpha, beta] = [cli("alpha"), cli("beta")];
  const some = buildRanking([
    tool(beta, "beta_start", "Start"),
    tool(beta, "beta_clock", "Set the clock"),
    tool(alpha, "alpha_start", "Start"),
    tool(alpha, "alpha_cluster", "Kubernetes clusters"),
  ]);
  const found = some.rank("start on kubernetes", { limit: 10 });
  assert.ok(found.indexOf(2) < found.indexOf(0));
});

Deno.test("rank() does not prefer a program of one tool to a server of many", () => {
  const server = cli("server");
  const others = Array.from({ length: 200 }, (_, at) => tool(server, `f${at}`, `Filler ${at}`));
  const some = buildRanking([
    tool(cli("one"), "one", "Weather"),
    tool(server, "getweather", "Retrieves the weather forecast for a city on a particular date"),
    ...others,
  ]);
  const query = "the weather forecast for some city at this date";
  assert.deepEqual(some.rank(query, { limit: 2 }), [1, 0]);
});

Deno.test("rank() counts no number, stop word or compound against a name", () => {
  const used = ["get", "weather"].flatMap((word) =>
    [1, 2, 3].map((number) => tool(cli(`${word}${number}`), `${word}_x${number}`, ""))
  );
  for (
    const [rival, better] of [
      ["weather_seven", "weather_7"],
      ["weather_card", "weather_of"],
      ["card_get_weather", "getweather"],
    ]
  ) {
    const some = buildRanking([...used, tool(git, rival!, ""), tool(git, better!, "")]);
    const accept = (tool: number) => tool >= used.length;
    assert.deepEqual(some.rank("get weather", { limit: 1, accept }), [used.length + 1], better);
  }
});

Deno.test("rank() reads no word out of a contraction or of single letters", () => {
  const some = buildRanking([
    tool(cli("a"), "get_id", "Id"),
    tool(cli("bench"), "ab", "Benchmark"),
    tool(cli("c"), "weather", "Weather"),
  ]);
  for (const query of ["I'd like weather", "I’d like weather", "what's the weather in a b"]) {
    assert.deepEqual(some.rank(query, { limit: 10 }), [2], query);
  }
});

Deno.test("rank() takes what people say for the catalogue's words, and not the other way", () => {
  const some = buildRanking([
    tool(cli("a"), "genre_list", "By genre"),
    tool(cli("b"), "thriller", "Thriller"),
  ]);
  assert.deepEqual(some.rank("a thriller please", { limit: 10 }), [1, 0]);
  assert.deepEqual(some.rank("a genre please", { limit: 10 }), [0]);
});

Deno.test("rank() gives earlier words weight, and less to asides and quoted text", () => {
  const some = buildRanking([
    tool(cli("a"), "alert", "Alert everyone"),
    tool(cli("b"), "rename", "Rename something"),
  ]);
  for (
    const query of ["rename alert", "to rename (alert everyone)", "to 'alert everyone' rename"]
  ) {
    assert.deepEqual(some.rank(query, { limit: 2 }), [1, 0], query);
  }
});

Deno.test("rank() takes long names apart into words that the catalogue uses", () => {
  const first = (numbers: readonly number[], makePart: (word: string, at: number) => Tool) => {
    const parts = ["get", "random", "image"].flatMap((word) => {
      return numbers.map((at) => ({ ...makePart(word, at), owner: cli(`${word}${at}`) }));
    });
    const some = buildRanking([tool(git, "getrandomimage", ""), ...parts]);
    return some.rank("get a random image", { limit: 1 })[0];
  };
  const named = (word: string, at: number) => tool(git, `${word}_${at}`, "");
  assert.deepEqual([first([1, 2, 3], named), first([1, 2], named)], [0, 1]);
  assert.equal(first([1, 2, 3], (word, at) => tool(git, `t${at}`, word)), 0);
  assert.equal(first([1, 2, 3], (word, at) => tool(git, `t${at}`, "", { [word]: "" })), 1);
});

Deno.test("rank() gives a list where a question has a plural noun", () => {
  const some = buildRanking([
    tool(docker, "top", "Show the processes running in a container"),
    tool(docker, "logs", "Show the logs of a container"),
    tool(docker, "ps", "List containers"),
    tool(docker, "prune", "Remove all stopped containers"),
    tool(docker, "port", "List the ports of a container"),
    tool(docker, "other", "A volume"),
    tool(docker, "list_all", "Volumes"),
  ]);
  const first = (query: string) => some.rank(query, { limit: 1 })[0];
  assert.equal(first("show containers"), 2);
  assert.equal(first("my containers"), 2);
  assert.equal(first("show ports"), 4);
  assert.equal(first("show logs"), 1);
  assert.equal(first("remove containers"), 3);
  assert.equal(first("my volumes"), 6);
});

Deno.test("rank() takes a pull or merge request for a thing", () => {
  const some = buildRanking([
    tool(git, "pr_create", "Open a pull request"),
    tool(git, "pr_list", "List the pull requests of a repository"),
  ]);
  assert.equal(some.rank("my pull requests", { limit: 1 })[0], 1);
});

Deno.test("rank() answers each sentence of a request among the first", () => {
  const some = buildRanking([
    tool(cli("a"), "now", "Weather"),
    tool(cli("b"), "today", "Weather"),
    tool(cli("c"), "units", "Convert"),
    tool(cli("d"), "other", "Convert"),
  ]);
  for (const limit of [2, 4, 10]) {
    const all = some.rank("Tell me the weather. Then convert it.", { limit });
    assert.deepEqual(all, [2, 0, 3, 1].slice(0, limit));
  }
});

Deno.test("rank() looks for those that differ among the best 64", () => {
  for (const count of [63, 64]) {
    const tools = Array.from({ length: count }, () => tool(git, "a", "Weather"));
    const others = Array.from({ length: 60 }, () => tool(git, "convert", "Convert"));
    const some = buildRanking([...tools, tool(git, "units", "Convert lengths"), ...others]);
    const accept = (at: number) => at <= count;
    const found = some.rank("Tell me the weather. Then convert it.", { limit: 2, accept });
    assert.deepEqual(found, [0, count === 63 ? 63 : 1]);
  }
});

Deno.test("rank() lets a word that one tool has decide, where its owner's text has it too", () => {
  const owner = { ...git, tags: ["history"], description: "Show the history of files" };
  const some = buildRanking([
    tool(owner, "show", "Show one commit"),
    tool(owner, "stash_show", "Show what a stash holds"),
    tool(owner, "log", "Show the commit history, newest first"),
    tool(owner, "status", "Show what changed"),
  ]);
  assert.equal(some.rank("show history", { limit: 1 })[0], 2);
  assert.equal(some.rank("show the history", { limit: 1 })[0], 2);
});

Deno.test("rank() lets stop words choose among tools that share a word, and find nothing alone", () => {
  const some = buildRanking([
    tool(git, "branch_rename", "Rename a branch"),
    tool(git, "branch_current", "Say which branch this is"),
    tool(git, "which", "Which of them"),
  ]);
  assert.equal(some.rank("which branch is it", { limit: 1 })[0], 1);
  assert.deepEqual(some.rank("which quokka of them", { limit: 10 }), []);
  assert.equal(some.rank("which of them", { limit: 1 })[0], 2);
});

Deno.test("rank() prefers a noun to a verb that asks to be told something", () => {
  for (const verb of ["show", "list", "get", "display", "view"]) {
    const some = buildRanking([
      tool(git, `${verb}_all`, "Everything"),
      tool(git, "snapshots", "Snapshots"),
      ...["alpha", "beta", "gamma"].map((name) => tool(git, name, `The ${name} snapshots`)),
    ]);
    assert.equal(some.rank(`${verb} snapshots`, { limit: 1 })[0], 1, verb);
  }
});

Deno.test("rank() prefers reading to writing to destroying, unless a change is asked for", () => {
  const effects = ["destructive", "write", "read"] as const;
  const some = buildRanking(effects.map((effect) => {
    return { ...tool(docker, `docker_${effect}`, "Containers that run"), effect };
  }));
  for (const query of ["running containers", "which containers run"]) {
    assert.deepEqual(some.rank(query, { limit: 3 }), [2, 1, 0], query);
  }
  assert.deepEqual(some.rank("stop containers", { limit: 3 }), [0, 1, 2]);
});

Deno.test("rank() reads the first two thousand words of a tool, and finds the others as they stand", () => {
  const filler = Array.from({ length: 2_500 }, (_, at) => `w${at}`).join(" ");
  const some = buildRanking([tool(git, "long", `${filler} quokka`), tool(git, "other", "Other")]);
  assert.deepEqual(some.rank("w10 please", { limit: 10 }), [0]);
  assert.deepEqual(some.rank("my quokka please", { limit: 10 }), []);
  assert.deepEqual(some.rank("w2499 quokka", { limit: 10 }), [0]);
  // Of all its texts together
  for (const [count, found] of [[1_998, [0]], [1_999, []]] as const) {
    const words = Array.from({ length: count }, (_, at) => `w${at}`).join(" ");
    const one = buildRanking([tool(git, "long", words, { quokka: "" })]);
    assert.deepEqual(one.rank("my quokka please", { limit: 1 }), found);
  }
  // Of one text, 20,000 characters
  for (const [before, found] of [[19_993, [0]], [19_999, []]] as const) {
    const one = buildRanking([tool(git, "long", `${"w".repeat(before)} quokka`)]);
    assert.deepEqual(one.rank("my quokka please", { limit: 1 }), found);
  }
});

function names(query: string): string[] {
  return ranking.rank(query, { limit: 10 }).map((index) => catalogue[index]!.name);
}
