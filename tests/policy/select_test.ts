/** What a policy says of a tool, and of a server whose tools are not known. */

import assert from "node:assert/strict";
import type { PolicyFile } from "../../src/policy/schema.ts";
import { mayServe, ToolSelection } from "../../src/policy/select.ts";
import type { Tool } from "../../src/tool/tool.ts";
import { git, tool } from "../catalog/_tools.ts";

const rows: readonly [policy: PolicyFile, isServed: boolean][] = [
  [{ default: "enabled" }, true],
  [{ default: "disabled" }, false],
  [{ default: "enabled", deny: ["cli:notes"] }, false],
  [{ default: "enabled", deny: ["notes_*"] }, false],
  [{ default: "enabled", deny: ["notes_old", "cli:other", "other_*"] }, true],
  [{ tools: { notes_read: {} }, deny: ["cli:notes"] }, false],
  [{ tools: { notes_read: {} } }, true],
  [{ tools: { "cli:notes": {} } }, true],
  [{ tools: { "notes_re*": {} } }, true],
  [{ tools: { "no*": {} } }, true],
  [{ tools: { other_read: {}, "cli:other": {}, "other_*": {} } }, false],
];

for (const [policy, isServed] of rows) {
  Deno.test(`mayServe() of ${JSON.stringify(policy)} is ${isServed}`, () => {
    assert.equal(mayServe(policy, { name: "Notes", prefix: "notes_" }), isServed);
  });
}

const log: Tool = { ...tool(git, "git_log", "Show the log"), effect: "read" };

const decisions: readonly [policy: PolicyFile, tool: Tool, isServed: boolean, rule: string][] = [
  [{ default: "enabled" }, log, true, "default: enabled"],
  [{ default: "disabled" }, log, false, "default: disabled"],
  [{ tools: { git_log: {} } }, log, true, "tools.git_log"],
  [{ tools: { "cli:git-tools": {}, "g*": {} } }, log, true, "tools.g*"],
  [{ tools: { "*": {}, "effect:read": {} } }, log, true, "tools.effect:read"],
  [{ tools: { "g*": {}, "gi*": {} } }, log, true, "tools.gi*"],
  [{ default: "enabled", deny: ["git_*"], tools: { git_log: {} } }, log, false, "deny"],
  [{ default: "enabled", effects: ["read"] }, log, true, "default: enabled"],
  [{ default: "enabled", effects: ["write"] }, log, false, "effects"],
  [{ effects: ["write"], tools: { git_log: { effect: "write" } } }, log, false, "effects"],
  [
    { effects: ["write"], tools: { git_log: { effect: "write" } } },
    { ...log, keepsEffect: true },
    true,
    "tools.git_log",
  ],
  [{ default: "enabled", categories: ["VCS"] }, log, true, "default: enabled"],
  [{ default: "enabled", categories: ["containers"] }, log, false, "categories"],
];

for (const [policy, tool, isServed, rule] of decisions) {
  const what = `${tool.keepsEffect ? "a tool that keeps to its effect" : tool.name}`;
  Deno.test(`ToolSelection.decide() of ${what} by ${JSON.stringify(policy)} is ${rule}`, () => {
    const decision = new ToolSelection(policy, [tool]).decide(tool);
    assert.deepEqual([decision.isServed, decision.rule], [isServed, rule]);
  });
}
