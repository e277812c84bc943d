/** The contract of the index: fields, filters, limits, order. Ranking has tests of its own. */

import assert from "node:assert/strict";
import type { SearchRequest } from "../../src/catalog/search_request.ts";
import { ToolIndex } from "../../src/catalog/tool_index.ts";
import { ToolTable } from "../../src/catalog/tool_table.ts";
import { argOf, cliOf, toolOf } from "../_tools.ts";

const git = cliOf("git-tools", {
  description: "MCP tools for Git",
  category: "vcs",
  tags: ["version-control", "commits"],
});
const docker = cliOf("docker", { description: "Containers", category: "Containers" });
const bare = cliOf("bare");

const tools = [
  toolOf("git_commit", {
    owner: git,
    description: "Record changes to the repository",
    args: [argOf("message", { description: "Commit message", required: true })],
  }),
  toolOf("git_branch", { owner: git, description: "List branches" }),
  toolOf("docker_ps", { owner: docker, description: "List containers" }),
  toolOf("docker_commit", { owner: docker, description: "Make an image of a container" }),
  toolOf("lonely", { owner: bare }),
];
const index = new ToolIndex(tools);

function names(request: SearchRequest): string[] {
  return index.search(request).map((entry) => entry.tool_name);
}

Deno.test("ToolIndex.search() gives entries with the contract's fields, in its order", () => {
  const [entry] = index.search({ query: "git_commit" });
  const expected = {
    tool_name: "git_commit",
    description: "Record changes to the repository",
    cli_name: "git-tools",
    category: "vcs",
    tags: ["version-control", "commits"],
    input_schema: {
      type: "object",
      properties: { message: { type: "string", description: "Commit message" } },
      required: ["message"],
    },
  };
  assert.equal(JSON.stringify(entry), JSON.stringify(expected));
});

const searches: readonly [request: SearchRequest, found: string[]][] = [
  [{}, ["git_commit", "git_branch", "docker_ps", "docker_commit", "lonely"]],
  [{ query: "" }, ["git_commit", "git_branch", "docker_ps", "docker_commit", "lonely"]],
  [{ category: "vcs" }, ["git_commit", "git_branch"]],
  [{ category: "VCS" }, ["git_commit", "git_branch"]],
  [{ category: "containers" }, ["docker_ps", "docker_commit"]],
  [{ category: "vc" }, []],
  [{ category: "" }, []],
  [{ cli: "GIT-TOOLS" }, ["git_commit", "git_branch"]],
  [{ cli: "git" }, []],
  [{ cli: "git-tools", category: "containers" }, []],
  [{ cli: "docker", category: "containers", limit: 1 }, ["docker_ps"]],
  [{ query: "commit", cli: "docker" }, ["docker_commit"]],
  [{ query: "list", category: "vcs" }, ["git_branch"]],
  [{ query: "list", category: "vcs", cli: "docker" }, []],
  [{ query: "zzz-nothing-has-this" }, []],
  [{ limit: 0 }, []],
  [{ query: "commit", limit: 0 }, []],
  [{ limit: 2 }, ["git_commit", "git_branch"]],
  [{ category: "vcs", limit: 1 }, ["git_commit"]],
];

for (const [request, found] of searches) {
  Deno.test(`ToolIndex.search() finds ${found.length} for ${JSON.stringify(request)}`, () => {
    assert.deepEqual(names(request), found);
  });
}

const queries: readonly [where: string, query: string, found: string][] = [
  ["name", "DOCKER_PS", "docker_ps"],
  ["description", "Image", "docker_commit"],
  ["CLI name", "git-tools", "git_branch"],
  ["category", "vcs", "git_branch"],
  ["tags", "version-control", "git_branch"],
];

for (const [where, query, found] of queries) {
  Deno.test(`ToolIndex.search() looks for the query in the ${where}, letter case aside`, () => {
    assert.equal(names({ query }).includes(found), true);
    assert.equal(names({ query: query.toUpperCase() }).includes(found), true);
    assert.equal(names({ query }).includes("lonely"), false);
  });
}

Deno.test("ToolIndex.summary() gives the contract's fields, CLIs in load order", () => {
  const expected = [
    {
      name: "git-tools",
      description: "MCP tools for Git",
      tool_count: 2,
      category: "vcs",
      tags: ["version-control", "commits"],
    },
    { name: "docker", description: "Containers", tool_count: 2, category: "Containers", tags: [] },
    { name: "bare", description: "", tool_count: 1, category: null, tags: [] },
  ];
  assert.equal(JSON.stringify(index.summary()), JSON.stringify(expected));
});

const named = (owner: string, names: readonly string[]) =>
  names.map((name) => toolOf(name, { owner: cliOf(owner) }));
const spelled = new ToolTable([
  ...named("git", ["git_log", "git_diff", "v_1_1", "a_b", "ab", "c++"]),
  ...named("filesystem", ["filesystem__write_file", "getIssue"]),
  { ...named("git", ["git_branch_list"])[0]!, aliases: ["git_branch"] },
]);

const spellings: readonly (readonly [tool: string | undefined, ...names: readonly string[]])[] = [
  ["git_log", "git_log", "git.log", "git log", "git-log", "gitLog", "GIT_LOG"],
  ["git_log", "git:log", "git/log"],
  ["git_log", "mcp__climax__git_log", "climax:git_log", "climax_git_log", "functions.git_log"],
  ["git_log", "git:git_log", "mcp_climax_git_log", "mcp__git__git_log"],
  ["filesystem__write_file", "filesystem_write_file", "mcp__filesystem__write_file"],
  ["getIssue", "get_issue", "filesystem__get_issue"],
  ["git_branch_list", "git_branch", "Git-Branch"],
  ["a_b", "a_b"],
  // Two fit, or none
  [undefined, "A.B", "v_11", "v11", "c#", "write_file", "git_logs", "mcp__other__git_log"],
  [undefined, "", "__"],
  [undefined, "g".repeat(200)],
];

Deno.test("ToolTable.resolve() undoes separators, letter case and prefixes where one tool fits", () => {
  for (const [wanted, ...names] of spellings) {
    for (const name of names) assert.equal(spelled.resolve(name)?.name, wanted, name);
  }
});

Deno.test("ToolTable.resolve() has no other tool for a server that does not answer", () => {
  const absent = { ...cliOf("git"), prefix: "git__", explain: () => "", retry: () => {} };
  const table = new ToolTable(spelled.tools, [absent]);
  assert.equal(table.resolve("git__log"), undefined);
  assert.equal(table.resolve("git-log")?.name, "git_log");
});

Deno.test("ToolIndex.get() gives a tool by its alias, unless that means another tool too", () => {
  const renamed = toolOf("new_name", { aliases: ["old_name", "other", "lonely", "shared"] });
  const second = toolOf("second", { aliases: ["shared", "lonely"] });
  const aliased = new ToolIndex([renamed, second, toolOf("lonely")]);
  assert.equal(aliased.get("shared"), undefined);
  assert.deepEqual(aliased.meantBy("shared").map(({ name }) => name), ["new_name", "second"]);
  assert.deepEqual(aliased.meantBy("SHARED").map(({ name }) => name), ["new_name", "second"]);
  assert.deepEqual(aliased.meantBy("older"), []);
  assert.equal(aliased.get("old_name")?.name, "new_name");
  assert.equal(aliased.get("other")?.name, "new_name");
  assert.equal(aliased.get("lonely")?.name, "lonely");
  assert.equal(aliased.get("older"), undefined);
  assert.equal(aliased.search({}).length, 3);

  const found = (request: SearchRequest) => aliased.search(request).map((each) => each.tool_name);
  assert.equal(found({ query: "old_name" })[0], "new_name");
  assert.equal(found({ query: " other " })[0], "new_name");
  assert.equal(found({ query: "lonely" })[0], "lonely");
  assert.deepEqual(found({ query: "other", cli: "none" }), []);
  assert.deepEqual(found({ query: "other", limit: 0 }), []);
});

Deno.test("ToolIndex.search() finds a tool by a name it had, and not by what is fixed", async () => {
  const renamed = toolOf("new_name", {
    aliases: ["zebra_stripes"],
    args: [argOf("hidden", { description: "quokka", fixed: "x" })],
  });
  const found = new ToolIndex([renamed, toolOf("other")]);
  const names = async (query: string) => {
    return (await found.search({ query })).map(({ tool_name }) => tool_name);
  };
  assert.deepEqual(await names("zebra stripes"), ["new_name"]);
  assert.deepEqual(await names("quokka"), []);
});
