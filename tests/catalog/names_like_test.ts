import assert from "node:assert/strict";
import { namesLike } from "../../src/catalog/tool_index.ts";
import { ToolTable } from "../../src/catalog/tool_table.ts";
import { openSession } from "../../src/session/session.ts";
import { tool } from "./_tools.ts";

const server = (name: string) => ({ name, description: "", tags: [], isServer: true });
const [filesystem, memory] = [server("filesystem"), server("memory")];
// Names and first sentences of the reference servers
const served = [
  tool(filesystem, "filesystem__read_text_file", "Read the complete contents of a file as text"),
  tool(filesystem, "filesystem__read_media_file", "Read an image or audio file as base64 data"),
  tool(filesystem, "filesystem__write_file", "Create a new file or overwrite an existing file"),
  tool(filesystem, "filesystem__edit_file", "Make line-based edits to a text file"),
  tool(filesystem, "filesystem__list_directory", "Get a listing of all files and directories"),
  tool(filesystem, "filesystem__create_directory", "Create a new directory"),
  tool(filesystem, "filesystem__search_files", "Search for files matching a pattern"),
  tool(memory, "memory__create_entities", "Create new entities in the knowledge graph"),
  tool(memory, "memory__read_graph", "Read the entire knowledge graph"),
  tool(memory, "memory__search_nodes", "Search for nodes in the knowledge graph"),
];
await using session = await openSession({ configs: ["git", "sqlite3", "jq", "ripgrep", "npm"] });
const table = new ToolTable([...session.index.tools, ...served]);

/** Names that models guess, each with the tools that do what it says. */
const guesses: Readonly<Record<string, string>> = {
  git_checkout: "git_switch git_switch_create git_restore",
  git_list_branches: "git_branch_list",
  git_create_branch: "git_branch_create git_switch_create",
  git_new_branch: "git_branch_create git_switch_create",
  git_delete_branch: "git_branch_delete",
  git_current_branch: "git_branch_current",
  git_tag: "git_tag_list git_tag_create",
  git_list_tags: "git_tag_list",
  git_stash: "git_stash_push git_stash_list",
  git_pop_stash: "git_stash_pop",
  git_history: "git_log",
  git_log_file: "git_log",
  git_diff_staged: "git_diff",
  git_diff_unstaged: "git_diff",
  git_remote: "git_remote_list git_remote_add",
  git_stage: "git_add",
  git_unstage: "git_restore git_reset",
  git_add_files: "git_add",
  git_commit_all: "git_commit",
  git_show_commit: "git_show",
  git_list_files: "git_ls_files",
  git_search: "git_grep",
  git_undo: "git_revert git_restore git_reset git_reset_soft",
  grep: "rg_search git_grep",
  ripgrep: "rg_search",
  search_code: "rg_search git_grep",
  jq: "jq_query jq_file",
  json_query: "jq_query jq_file",
  npm_info: "npm_view",
  npm_list: "npm_ls",
  execute_sql: "sqlite3_query",
  describe_table: "sqlite3_schema sqlite3_columns",
  read_file: "filesystem__read_text_file",
  mkdir: "filesystem__create_directory",
  searchMemory: "memory__search_nodes",
};

Deno.test("an alias or namesLike() has the right tool for 85 % of the names that models guess", () => {
  const rows = Object.entries(guesses).map(([name, right]) => {
    assert.ok(right.split(" ").every((each) => table.get(each) !== undefined), right);
    const meant = table.meantBy(name).map((tool) => tool.name);
    const hints = meant.length > 0 ? meant : namesLike(table, name);
    return { name, hints, isRight: hints.some((hint) => right.split(" ").includes(hint)) };
  });
  const wrong = rows.filter(({ isRight }) => !isRight);
  assert.ok(wrong.length <= 0.15 * rows.length, JSON.stringify(wrong));
  assert.ok(rows.every(({ hints }) => hints.length <= 3));
});

/** Names for which there is no tool. */
const strangers = [
  ..."bash Bash shell sh exec python make task pytest terminal".split(" "),
  ..."run_command execute_command web_search fetch_url send_email git_bisect".split(" "),
  ..."docker_ps kubectl_get_pods str_replace_editor todo_write browser_navigate get_weather".split(
    " ",
  ),
  ..."slack_post_message nonexistent_tool str_replace_based_edit_tool".split(" "),
];

Deno.test("namesLike() has nothing for three quarters of the names without a tool", () => {
  const rows = strangers.map((name) => ({ name, hints: namesLike(table, name) }));
  const hinted = rows.filter(({ hints }) => hints.length > 0);
  assert.ok(hinted.length <= 0.25 * rows.length, JSON.stringify(hinted));
});

const misspelt: readonly [name: string, hints: readonly string[]][] = [
  ["git_comit", ["git_commit"]],
  ["gti_log", ["git_log"]],
  ["mcp__climax__git_lgo", ["git_log"]],
  ["git_stauts", ["git_status"]],
  ["npm_outdted", ["npm_outdated"]],
  ["x".repeat(129), []],
];

for (const [name, hints] of misspelt) {
  Deno.test(`namesLike() has [${hints}] for '${name.slice(0, 30)}'`, () => {
    assert.deepEqual(namesLike(table, name), hints);
  });
}
