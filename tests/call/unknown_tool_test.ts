/** A name of several tools, or of none, leads to the tool that is meant. */

import assert from "node:assert/strict";
import { chooseTool, refuseUnknown } from "../../src/call/unknown_tool.ts";
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
const index = new ToolIndex([read, grep, count, write, remove, test]);

for (
  const [meant, args, name, rest] of [
    [[write], { command: "view", path: "a" }, "f_read", { path: "a" }],
    [[write], { command: "view", path: "a", other: 1 }, "f_write"],
    [[grep], { pattern: "a", mode: "count" }, "f_count", { pattern: "a" }],
    [[grep], { pattern: "count" }, "f_grep"],
    [[read], { path: "a", mode: "remove" }, undefined],
    [[read, write], { path: "a", text: "b" }, "f_write"],
    [[read, grep], { pattern: "a" }, "f_grep"],
    [[count, grep], { pattern: "a" }, "f_grep"],
    [[remove, write], {}, undefined],
    [[remove], { path: "a" }, "f_remove"],
    [[remove, { ...remove, name: "f_other" }], { path: "a" }, undefined],
    [[write], null, "f_write"],
  ] as const
) {
  Deno.test(`chooseTool() takes ${name} for ${JSON.stringify(args)}`, () => {
    const chosen = chooseTool(index, meant, args);
    assert.equal(chosen?.tool.name, name);
    if (chosen !== undefined) assert.deepEqual(chosen.args, rest ?? args);
  });
}

for (
  const [name, args, help] of [
    ["Bash", { command: "cd a && npm test 2>&1 | tail" }, "Did you mean: npm_test"],
    ["bash", { cmd: "make all" }, "There is no shell, and no such tool"],
    ["apply", { script: "*** Begin" }, "There is no tool like it"],
    ["tar_create", {}, "There is no tool like it"],
    ["run_the_tests", {}, "Did you mean: npm_test"],
  ] as const
) {
  Deno.test(`refuseUnknown() says of ${name}: ${help}`, () => {
    assert.deepEqual(refuseUnknown(index, name, args).help, [help]);
  });
}
