import assert from "node:assert/strict";
import { fitAnswer } from "../../src/catalog/fit_answer.ts";
import { absenceOf, answer, answerNotes, hintOf, weaknessOf } from "../../src/catalog/answer.ts";
import { entryOf, plainQuery, type SearchRequest } from "../../src/catalog/search_request.ts";
import { ToolIndex } from "../../src/catalog/tool_index.ts";
import { catalogue, cli, docker, tool } from "./_tools.ts";

const index = new ToolIndex(catalogue);

const hints: readonly [request: SearchRequest, lines: string[]][] = [
  [{ query: "branch", cli: "Docker" }, [
    "No tool of CLI 'Docker' matches 'branch'",
    "Its tools: docker_ps, docker_rm, docker_login, docker_getImageHistory",
    "Found without the filter: git_branch_delete",
  ]],
  [{ query: "branch", category: "containers" }, [
    "No tool of category 'containers' matches 'branch'",
    "Its tools: docker_ps, docker_rm, docker_login, docker_getImageHistory",
    "Found without the filter: git_branch_delete",
  ]],
  [{ query: "zeta", cli: "docker", category: "containers" }, [
    "No tool of CLI 'docker' and category 'containers' matches 'zeta'",
    "Its tools: docker_ps, docker_rm, docker_login, docker_getImageHistory",
  ]],
  [{ query: "branch", cli: "dokcer" }, [
    "There is no CLI 'dokcer'",
    "Did you mean: docker",
    "Found without the filter: git_branch_delete",
  ]],
  [{ cli: "kubectl" }, ["There is no CLI 'kubectl'", "There are: git-tools, docker, files"]],
  [{ category: "vsc" }, ["There is no category 'vsc'", "Did you mean: vcs"]],
  // Too far off for the spellings that a search tries
  [{ query: "gti_lgo" }, ["Did you mean: git_log"]],
  [{ query: " kcodre " }, ["Did you mean: docker"]],
  [{ query: "vsc" }, ["Did you mean: vcs"]],
  [{ cli: "files", category: "vcs" }, ["No tool of CLI 'files' is in category 'vcs'"]],
];

for (const [request, lines] of hints) {
  Deno.test(`hintOf() says what there is instead of ${JSON.stringify(request)}`, () => {
    assert.deepEqual(hintOf(index, request)?.split("\n"), lines);
  });
}

const notes: readonly [request: SearchRequest, notes: string[]][] = [
  [{ query: "list the ansible playbooks of docker" }, []],
  [{ query: "deploy the ansible playbook of a branch" }, [
    "Nothing fits well; no tool has the words: deploy, ansible, playbook",
  ]],
  // A value and a name are no words that a tool has to have
  [{ query: "delete the branch Hotfix" }, []],
  [{ query: "git_log" }, []],
  [{ limit: 2 }, ["[2 of 3 programs; limit shows more, a query narrows]"]],
  [{ cli: "docker", limit: 3 }, ["[3 of 4 tools; limit shows more, a query narrows]"]],
  [{ cli: "docker" }, []],
  [{ query: "branch", limit: 1 }, []],
  [{ query: "list", limit: 1 }, ["[1 of 2 tools; limit shows more]"]],
];

for (const [request, wanted] of notes) {
  Deno.test(`answerNotes() says what ${JSON.stringify(request)} does not show`, async () => {
    const found = await answer(index, request);
    assert.deepEqual(await answerNotes(index, request, found), wanted);
    const cut = wanted.filter((note) => !note.startsWith("["));
    assert.deepEqual(await answerNotes(index, request, found, { isCut: false }), cut);
  });
}

const helm = ["Upgrade a helm release", "Roll back a helm release"].map((text, at) => ({
  tool: tool(cli("helm"), `helm_${at}`, text),
  explanation: `helm_${at}: load it`,
}));
const killed = tool(docker, "docker_kill", "Kill a container");
const others = new ToolIndex(catalogue, [], {
  withheld: () => {
    const strange = tool(docker, "docker_poison_well", "");
    return Promise.resolve([
      { tool: killed, explanation: "docker_kill: ask" },
      { tool: strange, explanation: "docker_poison_well: ask", unnamed: "1 tool: ask" },
    ]);
  },
  notLoaded: () => Promise.resolve(helm),
});

for (
  const [request, ...wanted] of [
    [{ query: "kill the container" }, "Nothing fits well", "docker_kill: ask"],
    [{ query: "list containers" }],
    [
      { query: "upgrade the helm release" },
      "Nothing fits well; no tool has the words: upgrade, helm",
      "helm_0: load it",
    ],
    // Its tools may fit, and another one does surely
    [
      { query: "helm releases with a branch" },
      "Nothing fits well; no tool has the words: helm",
      "helm_0: load it",
    ],
    [{ query: "helm release", cli: "docker" }],
    [{ query: "docker_kill" }, "docker_kill: ask"],
    [{ query: "poison the well" }, "1 tool: ask"],
    [{ query: "docker_ps" }],
  ] as [SearchRequest, ...string[]][]
) {
  Deno.test(`weaknessOf() names what is nearer to ${JSON.stringify(request)}`, async () => {
    const { results } = await answer(others, request) as { results: readonly unknown[] };
    const lines = (await weaknessOf(others, request, results.length === 0))?.split("\n") ?? [];
    assert.deepEqual(lines, wanted);
    assert.equal(others.get("docker_kill"), undefined);
  });
}

Deno.test("answer() counts the matches where an offset is given, as CLImax 0.5 does", async () => {
  const page = async (request: SearchRequest) => {
    const { mode: _, results, summary, ...rest } = await answer(index, request) as Record<
      string,
      unknown
    >;
    const names = [results ?? summary].flat().map((each) => Object.values(each as object)[0]);
    return [names, Object.values(rest)];
  };
  const [all] = await page({ cli: "docker" });
  assert.deepEqual(await page({ cli: "docker", offset: 0, limit: 3 }), [
    (all as string[]).slice(0, 3),
    [4, 0, 3, true],
  ]);
  assert.deepEqual(await page({ cli: "docker", offset: 3 }), [
    (all as string[]).slice(3),
    [4, 3, 1, false],
  ]);
  assert.deepEqual((await page({ query: "list", offset: 0, limit: 1 }))[1], [2, 0, 1, true]);
  assert.deepEqual(await page({ query: "zzzz", offset: 0 }), [[], [0, 0, 0, false]]);
  assert.deepEqual(await page({ cli: "docker", offset: 9 }), [[], [4, 9, 0, false]]);
  assert.deepEqual((await page({ offset: 1, limit: 1 }))[1], [3, 1, 1, true]);
});

Deno.test("plainQuery() reads what models write for a query, and search() takes several names", () => {
  for (
    const [text, query] of [
      ["select:git_log, docker_ps", "git_log, docker_ps"],
      [" * ", ""],
      ['{"tool_name": "git_log", "args": {}}', "git_log"],
      ["{}", "{}"],
      ["a * b", "a * b"],
    ] as const
  ) assert.equal(plainQuery(text), query);
  const names = (query: string) => index.search({ query }).map(({ tool_name }) => tool_name);
  assert.deepEqual(names("git_log, docker_ps"), ["git_log", "docker_ps"]);
  assert.deepEqual(names("git_log, unheard_of").slice(0, 1), ["git_log"]);
});

Deno.test("entryOf() leaves out of a server's schema what says nothing", () => {
  const input = { $schema: "http://json-schema.org/draft-07/schema#", type: "object" } as const;
  const schemaOf = (more: object) => {
    return entryOf({ ...catalogue[0]!, input: { ...input, ...more } }).input_schema;
  };
  assert.deepEqual(schemaOf({ additionalProperties: false }), { type: "object" });
  const open = { additionalProperties: { type: "string" } };
  assert.deepEqual(schemaOf(open), { type: "object", ...open });
});

Deno.test("hintOf() says that a server whose tools are not known has none", () => {
  const explain = () => "Server 'down' failed 2 times and is tried again in 4 s: it ended";
  const down = { ...cli("down"), prefix: "down__", explain, retry: () => {} };
  const some = new ToolIndex(catalogue, [down]);
  assert.equal(hintOf(some, { cli: "down" }), "No tool of CLI 'down' is available");
  assert.equal(absenceOf(some, { cli: "DOWN" }), `Not searched:\n${explain()}`);
  assert.equal(absenceOf(some, { query: "branch" }), `Not searched:\n${explain()}`);
  assert.equal(absenceOf(some, { cli: "git-tools" }), undefined);
  const many = new ToolIndex([], Array.from({ length: 5 }, () => down));
  assert.match(absenceOf(many, {})!, /(?:\nServer.*){3}\n… and 2 more servers$/);
});

Deno.test("hintOf() is silent where something was found, or nothing is near and no filter to blame", () => {
  for (
    const request of [
      {},
      { query: "branch" },
      { query: "no such thing" },
      { query: "branch", cli: "git-tools" },
      { cli: "docker" },
      { query: "branch", cli: "docker", limit: 0 },
    ]
  ) {
    assert.equal(hintOf(index, request), undefined, JSON.stringify(request));
  }
});

Deno.test("hintOf() names at most ten tools of a CLI or CLIs, three elsewhere, and cuts long names", () => {
  const many = Array.from({ length: 11 }, (_, at) => tool(docker, `d${at}`, "Container"));
  const elsewhere = Array.from({ length: 11 }, (_, at) => tool(cli(`c${at}`), `branch_${at}`, ""));
  const long = tool(cli("long"), "branch".repeat(100), "Branch branch branch");
  const some = new ToolIndex([...many, long, ...elsewhere]);
  const [line, found, ...rest] = hintOf(some, { query: "branch", cli: "docker" })!.split("\n");
  assert.equal(line, "No tool of CLI 'docker' matches 'branch'");
  assert.deepEqual(rest, []);
  const names = found!.replace("Found without the filter: ", "").split(", ");
  assert.equal(names.length, 3);
  assert.ok(names.every((name) => name.length <= 101));
  assert.equal(hintOf(some, { cli: "kubectl" }), "There is no CLI 'kubectl'");
  assert.ok(hintOf(some, { cli: "x".repeat(10_000) })!.length < 150);
});

Deno.test("fitAnswer() of the first of several pages keeps that there are more", () => {
  const results = [{ tool_name: "a", description: "x ".repeat(2000) }] as never;
  const page = { total_matches: 9, offset: 0, returned: 1, has_more: true };
  const { text, note } = fitAnswer({ mode: "search", results, ...page }, JSON.stringify, 500);
  const { returned, has_more } = JSON.parse(text);
  assert.deepEqual([returned, has_more, note], [1, true, "[shown in part for their length: a]"]);
});
