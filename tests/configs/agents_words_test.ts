/** First calls in the words of the known agents' tools reach the tool that does it, in the set for a folder of code. */

import assert from "node:assert/strict";
import { prepareCall } from "../../src/call/prepare.ts";
import { openSession } from "../../src/session/session.ts";

const configs = [
  "git",
  "files",
  "files-write",
  "ripgrep",
  "npm",
  "sqlite3",
  "archives",
  "processes",
];

const rows: readonly (readonly [name: string, args: object, tool: string])[] = [
  ["Read", { file_path: "a", offset: 3, limit: 2 }, "files_read"],
  ["read_many_files", { paths: ["a", "b"] }, "files_read"],
  ["read_multiple_files", { paths: ["a", "b"] }, "files_read"],
  ["str_replace_editor", { command: "view", path: "a", view_range: [1, 2] }, "files_read"],
  ["Write", { file_path: "a", content: "b" }, "files_write"],
  ["write_to_file", { path: "a", content: "b" }, "files_write"],
  ["Edit", { file_path: "a", old_string: "b", new_string: "c" }, "files_edit"],
  ["search_replace", { file_path: "a", old_string: "b", new_string: "c" }, "files_edit"],
  ["delete_file", { target_file: "a", explanation: "b" }, "files_remove"],
  ["files_delete", { path: "a", recursive: true }, "files_remove"],
  ["move_file", { source: "a", destination: "b" }, "files_move"],
  ["create_directory", { path: "a" }, "files_mkdir"],
  ["Glob", { pattern: "src/**/*.ts" }, "rg_files"],
  ["Grep", { pattern: "a", output_mode: "content", "-n": true, "-A": 2 }, "rg_search"],
  ["search_files", { path: ".", regex: "a", file_pattern: "*.ts" }, "rg_search"],
  ["ripgrep", { pattern: "a", path: "." }, "rg_search"],
  ["LS", { path: "." }, "files_list"],
  ["get_file_info", { path: "a" }, "files_stat"],
  ["diff", { file1: "a", file2: "b" }, "files_diff"],
  ["npx", { command: "tsx --test a.ts" }, "npm_exec"],
  ["run_script", { path: "a.sh" }, "files_run"],
  ["git_checkout", { branch: "a", create: true }, "git_switch"],
  ["git_delete_branch", { name: "a" }, "git_branch_delete"],
  ["git_tag", { name: "a", message: "b", annotate: true }, "git_tag_create"],
  ["git_revert", { commit: "a" }, "git_revert"],
  ["git_merge", { branch: "a" }, "git_merge"],
];

Deno.test("the words of the known agents' tools reach the tool that does it", async () => {
  await using session = await openSession({ configs });
  const found = await Promise.all(rows.map(async ([name, args]) => {
    const planned = await prepareCall(session, { tool: name, args });
    return [name, args, planned.ok ? planned.tool.name : planned.reasons.join("\n")];
  }));
  assert.deepEqual(found, rows);
});
