/** A name of several tools, or of none, leads to the tool that is meant. */

import assert from "node:assert/strict";
import { chooseTool, jobMeant, refuseUnknown, synonymOf } from "../../src/call/unknown_tool.ts";
import { ToolIndex } from "../../src/catalog/tool_index.ts";
import { argOf, cliOf, toolOf } from "../_tools.ts";

const path = argOf("path", { required: true });
const read = toolOf("f_read", { effect: "read", args: [path, argOf("from")], aliases: ["f_view"] });
const grep = toolOf("f_grep", { effect: "read", args: [argOf("pattern"), argOf("glob")] });
const count = toolOf("f_count", { effect: "read", args: [argOf("pattern")] });
const write = toolOf("f_write", {
  effect: "write",
  args: [path, argOf("text", { required: true })],
});
const remove = toolOf("f_remove", { effect: "destructive", args: [path] });
const test = toolOf("npm_test", { owner: cliOf("npm"), description: "Run the tests" });
const lists = ["f_read_list", "f_list", "g_list"].map((name) => toolOf(name, { effect: "read" }));
const index = new ToolIndex([read, grep, count, write, remove, test, ...lists]);

for (
  const [meant, args, name, rest] of [
    [[write], { command: "view", path: "a" }, "f_read", { path: "a" }],
    [[write], { command: "view", path: "a", other: 1 }, "f_write"],
    [[read, write], { path: "a", text: "b" }, "f_write"],
    [[read, grep], { pattern: "a" }, "f_grep"],
    [[count, grep], { pattern: "a" }, "f_grep"],
    [[grep], { pattern: "a", mode: "count" }, "f_count", { pattern: "a" }],
    [[grep], { pattern: "a", count: true }, "f_count", { pattern: "a" }],
    [[grep], { pattern: "count" }, "f_grep"],
    [[grep], { remove: true }, "f_grep"],
    [[read], { mode: "list" }, "f_read_list", {}],
    [[grep], { mode: "list" }, "f_grep"],
    [[read], { path: "a", mode: "remove" }, undefined],
    [[remove, write], {}, undefined],
    [[remove], { path: "a" }, "f_remove"],
    [[remove, { ...remove, name: "f_other" }], { path: "a" }, undefined],
    [[write], null, "f_write", null],
  ] as const
) {
  Deno.test(`chooseTool() takes ${name} for ${JSON.stringify(args)}`, () => {
    const chosen = chooseTool(index, meant, args);
    assert.equal(chosen?.tool.name, name);
    if (chosen !== undefined) assert.deepEqual(chosen.args, rest ?? args);
  });
}

for (
  const [name, meant] of [
    ["f_delete", "f_remove"],
    ["RemoveF", "f_remove"],
    ["climax_f_save", "f_write"],
    ["f_clear", undefined],
    ["f_display", "f_list"],
    ["f_delete_all", undefined],
    ["delete", undefined],
  ] as const
) {
  Deno.test(`synonymOf() finds ${meant} for ${name}, but no tool of others`, () => {
    const bundled = index.tools.map((tool) => ({
      ...tool,
      owner: cliOf("f", { isBundled: true }),
    }));
    assert.equal(synonymOf(new ToolIndex(bundled), name)[0]?.name, meant);
    assert.deepEqual(synonymOf(index, name), []);
  });
}

for (
  const [name, tool, meant] of [
    ["f_run", { effect: "write", subcommand: ["start"] }, undefined],
    ["f_run", { effect: "write", subcommand: ["-s"] }, "f_start"],
    ["f_run", { effect: "read", subcommand: ["start"] }, "f_start"],
    ["start_f", { effect: "write", subcommand: ["start"] }, "f_start"],
  ] as const
) {
  Deno.test(`synonymOf() finds ${meant} for ${name} where the tool has ${JSON.stringify(tool)}`, () => {
    const own = toolOf("f_start", { ...tool, owner: cliOf("f", { isBundled: true }) });
    assert.equal(synonymOf(new ToolIndex([own]), name)[0]?.name, meant);
  });
}

Deno.test("jobMeant() goes by the id of a job, and by a name that ends it", () => {
  const jobs = ["job_status", "job_cancel"].map((name) => toolOf(name));
  const withJobs = new ToolIndex([...index.tools, ...jobs]);
  const id = "j0123456789ab";
  for (
    const [name, args, tool] of [
      ["BashOutput", { bash_id: id, filter: "x" }, "job_status"],
      ["TaskOutput", { task_id: id, block: true }, "job_status"],
      ["send_input", { session: id }, "job_status"],
      ["KillShell", { shell_id: id }, "job_cancel"],
      ["stop-task", { id }, "job_cancel"],
      ["BashOutput", { bash_id: "b1" }, undefined],
    ] as const
  ) {
    const meant = jobMeant(withJobs, name, args);
    assert.deepEqual([meant?.tool.name, meant?.args], [tool, tool && { id }], name);
  }
  assert.equal(jobMeant(index, "BashOutput", { bash_id: id }), undefined);
});

for (
  const [name, args, help] of [
    [
      "Bash",
      { command: "cd a && npm test 2>&1 | tail" },
      "There is no shell; for 'npm test': npm_test",
    ],
    [
      "shell",
      { command: ["bash", "-lc", "f_grep x"] },
      "There is no shell; for 'f_grep x': f_grep",
    ],
    ["bash", { cmd: "make all" }, "There is no shell; no tool for 'make all'"],
    ["apply", { script: "*** Begin" }, "There is no tool like it"],
    ["tar_create", {}, "There is no tool like it"],
    ["run_the_tests", {}, "Did you mean: npm_test"],
  ] as const
) {
  Deno.test(`refuseUnknown() says of ${name}: ${help}`, () => {
    assert.deepEqual(refuseUnknown(index, name, args).help, [help]);
  });
}
