import assert from "node:assert/strict";
import fc from "fast-check";
import { buildRanking } from "../../src/catalog/rank.ts";
import type { Arg, Cli, Tool } from "../../src/tool/tool.ts";

const GIT: Cli = {
  name: "git-tools",
  description: "Version control",
  category: "vcs",
  tags: ["repository"],
};
const DOCKER: Cli = {
  name: "docker",
  description: "Manage containers",
  category: "containers",
  tags: [],
};
const FILES: Cli = { name: "files", description: "", tags: ["ファイル操作", "disk"] };

const TOOLS: Tool[] = [
  tool(GIT, "git_commit", "Record changes to the repository", { message: "Commit message" }),
  tool(GIT, "git_branch_delete", "Delete a branch", { force: "Even if it is not merged" }),
  tool(GIT, "git_log", "Show commit logs", { max_count: "Limit the number of entries" }),
  tool(GIT, "git_stash", "Put local changes aside"),
  tool(DOCKER, "docker_ps", "List containers", { all: "Show stopped containers too" }),
  tool(DOCKER, "docker_rm", "Remove one or more containers"),
  tool(DOCKER, "docker_login", "Authenticate to a registry", { username: "", password: "" }),
  tool(DOCKER, "docker_getImageHistory", "Layers (with sizes)"),
  tool(FILES, "files_copy", "Copy a directory to another place [a-z]*"),
  tool(FILES, "files_削除", "ファイルを削除する"),
  tool(FILES, "files_複製", "选择文件并复制"),
  tool(FILES, "files_search", "חיפוש קבצים 🔍 İstanbul"),
];

const ranking = buildRanking(TOOLS);

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

Deno.test("rank() corrects one edit in a word that the catalogue does not know", () => {
  for (const query of ["comit", "commmit", "cmomit", "commat", "comits", "cmomiting"]) {
    assert.equal(names(query)[0], "git_commit", query);
  }
  assert.deepEqual(names("cmmt"), []);
});

Deno.test("rank() gives nothing for a single token that nothing has", () => {
  for (const query of ["nonexistent", "git_nonexistent", "docker_branch", "%%%", "🚀", "zz"]) {
    assert.deepEqual(names(query), [], query);
  }
});

Deno.test("rank() matches a token of several words only as a whole", () => {
  assert.deepEqual(names("branch_delete"), ["git_branch_delete"]);
  assert.deepEqual(names("imageHistory"), ["docker_getImageHistory"]);
});

Deno.test("rank() puts the exact name first", () => {
  const rival = tool(GIT, "git_log_log", "git_log git_log git log log logs");
  const some = buildRanking([rival, ...TOOLS]);
  const expected = 1 + TOOLS.findIndex(({ name }) => name === "git_log");
  for (const query of ["git_log", "GIT_LOG"]) {
    assert.equal(some.rank(query, { limit: 1 })[0], expected);
  }
});

Deno.test("rank() puts a tool first whose name a pasted command spells out", () => {
  const some = buildRanking([
    tool(DOCKER, "docker_run_shell_bash", "Bash in ubuntu"),
    tool(DOCKER, "docker_run", "Start a container"),
  ]);
  assert.deepEqual(some.rank("docker run ubuntu", { limit: 2 }), [1, 0]);
});

Deno.test("rank() finds a tool by the values of its arguments", () => {
  const encode = tool(FILES, "encode", "Encode", { format: "" });
  const format = { ...encode.args[0]!, enum: ["webp", "avif"] };
  const some = buildRanking([...TOOLS, { ...encode, args: [format] }]);
  assert.deepEqual(some.rank("to avif please", { limit: 10 }), [TOOLS.length]);
});

Deno.test("rank() puts text that contains a pasted fragment first", () => {
  const [scattered, pasted] = [
    tool(DOCKER, "entries_limit", "Number the entries, limit them, number of limit", {
      limit: "Limit entries number",
    }),
    tool(FILES, "other", "It can limit the number of entries in the list"),
  ];
  const some = buildRanking([scattered!, pasted!]);
  assert.deepEqual(some.rank("LIMIT the number of entries", { limit: 10 }), [1, 0]);
});

Deno.test("rank() prefers tools of a CLI that the query names", () => {
  const some = buildRanking([
    tool(cli("other"), "other_list", "List everything that zeta has listed"),
    tool(cli("zeta"), "zeta_list", "List"),
  ]);
  for (const query of ["zeta list everything", "list everything in zeta"]) {
    assert.deepEqual(some.rank(query, { limit: 1 }), [1], query);
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

Deno.test("rank() prefers words that are neighbours in the query's order", () => {
  const some = buildRanking([
    tool(GIT, "one", "History change"),
    tool(GIT, "two", "Change history"),
  ]);
  assert.deepEqual(some.rank("the change history please", { limit: 2 }), [1, 0]);
});

Deno.test("rank() gives the first word weight, and less to asides and quoted text", () => {
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
  const parts = ["get", "random", "image"].flatMap((word) =>
    [1, 2, 3].map((number) => tool(cli(`${word}${number}`), `${word}_${number}`, ""))
  );
  const some = buildRanking([...parts, tool(GIT, "getrandomimage", "")]);
  assert.deepEqual(some.rank("get a random image", { limit: 1 }), [parts.length]);
});

Deno.test("rank() answers each sentence of a request among the first", () => {
  const some = buildRanking([
    tool(cli("a"), "now", "Weather"),
    tool(cli("b"), "today", "Weather"),
    tool(cli("c"), "units", "Convert"),
    tool(cli("d"), "other", "Convert"),
  ]);
  assert.deepEqual(some.rank("Tell me the weather. Then convert it.", { limit: 2 }), [2, 0]);
});

Deno.test("rank() counts a word by how rare it is among what a filter accepts", () => {
  const box = cli("box");
  const others = Array.from(
    { length: 50 },
    (_, index) => tool(cli(`c${index}`), `c${index}`, "Close"),
  );
  const some = buildRanking([
    tool(box, "box_wrap", "A box in a box"),
    tool(box, "box_lid", "Close"),
    ...others,
  ]);
  assert.deepEqual(some.rank("box close", { limit: 1, accept: (index) => index < 2 }), [1]);
});

Deno.test("rank() takes what a filter accepts only, and no word of the CLI's name for a clue", () => {
  const accept = (index: number) => TOOLS[index]!.cli === DOCKER;
  const found = ranking.rank("remove docker containers", { limit: 10, accept });
  assert.equal(TOOLS[found[0]!]!.name, "docker_rm");
  assert.ok(found.every(accept));
  assert.deepEqual(ranking.rank("branch", { limit: 10, accept }), []);
  assert.deepEqual(ranking.rank("branch", { limit: 10, accept: () => false }), []);
});

Deno.test("rank() reads scripts without spaces by pairs of characters", () => {
  assert.equal(names("ファイルの削除")[0], "files_削除");
  assert.equal(names("复制")[0], "files_複製");
  assert.equal(names("我要复制文件")[0], "files_複製");
});

Deno.test("rank() takes regular expression characters, emoji and right-to-left text literally", () => {
  for (const query of ["[a-z]*", "🔍", "קבצים", "(with", "İSTANBUL"]) {
    assert.equal(names(query).length, 1, query);
  }
  assert.deepEqual(names(".*"), []);
  assert.deepEqual(names("\0"), []);
});

Deno.test("rank() gives every tool for the empty query, in load order", () => {
  assert.deepEqual(ranking.rank("", { limit: 1e9 }), [...TOOLS.keys()]);
});

Deno.test("rank() keeps load order among equals", () => {
  const same = Array.from(
    { length: 100 },
    (_, index) => tool(GIT, `tool_${index}`, "Do this thing"),
  );
  const found = buildRanking(same).rank("this thing", { limit: 100 });
  assert.deepEqual(found, [...same.keys()]);
});

Deno.test("rank() gives nothing for a limit below 1, and caps others at the catalogue", () => {
  for (const limit of [0, -1, 0.5, NaN]) assert.deepEqual(ranking.rank("git", { limit }), []);
  assert.equal(ranking.rank("git", { limit: 1 }).length, 1);
  assert.equal(ranking.rank("git", { limit: Infinity }).length, 4);
});

Deno.test("rank() gives nothing for an empty catalogue", () => {
  assert.deepEqual(buildRanking([]).rank("git", { limit: 10 }), []);
});

Deno.test("rank() reads only the first 512 characters of a long query for its words", () => {
  assert.deepEqual(names(`${"x".repeat(509)} y commit message`), []);
  assert.equal(names(`commit message ${"x ".repeat(500_000)}`)[0], "git_commit");
});

Deno.test("rank() finds a long fragment that is longer than what is ranked", () => {
  const long = Array.from({ length: 300 }, (_, index) => `w${index}`).join(" ");
  const some = buildRanking([...TOOLS, tool(GIT, "long", long)]);
  assert.deepEqual(some.rank(long.slice(3), { limit: 1 }), [TOOLS.length]);
});

const QUERIES = fc.oneof(
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
  fc.assert(fc.property(QUERIES, fc.nat(20), fc.nat(3), (query, limit, modulus) => {
    const accept = (index: number) => index % (modulus + 1) === 0;
    const found = ranking.rank(query, { limit, accept });
    assert.ok(found.length <= limit);
    assert.equal(new Set(found).size, found.length);
    assert.ok(found.every((index) => index in TOOLS && accept(index)));
    assert.deepEqual(ranking.rank(query, { limit, accept }), found);
  }));
});

Deno.test("rank() includes every tool whose text contains the query", () => {
  const texts = TOOLS.flatMap(textsOf);
  const slices = fc.tuple(fc.constantFrom(...texts), fc.nat(40), fc.integer({ min: 1, max: 40 }))
    .map(([text, start, length]) => text.slice(start, start + length));
  fc.assert(fc.property(fc.oneof(slices, QUERIES), (query) => {
    const found = ranking.rank(query, { limit: Infinity });
    const contains = (text: string) => text.toLowerCase().includes(query.toLowerCase());
    TOOLS.forEach((tool, index) => {
      if (textsOf(tool).some(contains)) assert.ok(found.includes(index), `${tool.name}: ${query}`);
    });
  }));
});

Deno.test("rank() finds a tool by its own words in any catalogue", () => {
  const text = fc.string({ unit: "grapheme", maxLength: 30 });
  const catalogue = fc.array(fc.tuple(text, text), { minLength: 1, maxLength: 8 });
  fc.assert(fc.property(catalogue, (entries) => {
    const tools = entries.map(([name, description]) => tool(GIT, name, description));
    const some = buildRanking(tools);
    tools.forEach(({ name, description }, index) => {
      assert.ok(some.rank(name, { limit: 100 }).includes(index));
      assert.ok(some.rank(description, { limit: 100 }).includes(index));
    });
  }));
});

function names(query: string): string[] {
  return ranking.rank(query, { limit: 10 }).map((index) => TOOLS[index]!.name);
}

function cli(name: string): Cli {
  return { name, description: "", tags: [] };
}

function textsOf({ name, description, cli }: Tool): string[] {
  return [name, description, cli.name, cli.category ?? "", ...cli.tags];
}

function tool(
  cli: Cli,
  name: string,
  description: string,
  args: Readonly<Record<string, string>> = {},
): Tool {
  return {
    name,
    description,
    cli,
    args: Object.entries(args).map(([name, description]) => toArg(name, description)),
    timeoutMs: 30_000,
    source: { kind: "command", command: [name], env: {}, globalArgs: [] },
  };
}

function toArg(name: string, description: string): Arg {
  const role = { kind: "flag", flag: `--${name}` } as const;
  return { name, description, type: "string", required: false, role };
}
