/** What a policy says of a tool, and of a server whose tools are not known. */

import assert from "node:assert/strict";
import type { PolicyFile } from "../../src/policy/schema.ts";
import { mayServe, ToolSelection } from "../../src/policy/select.ts";
import type { Tool } from "../../src/tool/tool.ts";
import { cli, git, tool } from "../catalog/_tools.ts";

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
  [{ tools: { "category:x": {} } }, true],
  [{ tools: { "notes_read_a?": {} } }, true],
  [{ tools: { "?": {} }, deny: ["category:x"] }, true],
];

for (const [policy, isServed] of rows) {
  Deno.test(`mayServe() of ${JSON.stringify(policy)} is ${isServed}`, () => {
    assert.equal(mayServe(policy, { name: "Notes", prefix: "notes_" }), isServed);
  });
}

const log: Tool = { ...tool(git, "git_log", "Show the log"), effect: "read" };

/** Has its old name as an alias. */
const renamed: Tool = { ...tool(git, "git_new", ""), aliases: ["git_old"] };

const note: Tool = {
  ...tool(cli("notes"), "resource:note://a", ""),
  effect: "read",
  feature: {
    kind: "resource",
    ...{ id: "note://a", listed: {}, alsoNamed: [], alsoDenied: ["resource:x:b"] },
    spellings: ["resource:NOTE://A", "resource:Note://a"],
  },
};

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
  [{ default: "enabled", categories: ["vcs"] }, tool(cli("c"), "c_a", ""), false, "categories"],
  [{ default: "enabled", deny: ["git_old"] }, renamed, false, "deny"],
  [{ default: "enabled", deny: ["git_o*"] }, renamed, false, "deny"],
  [{ tools: { git_old: {} } }, renamed, true, "tools.git_old"],
  [{ tools: { "git_o*": {} } }, renamed, false, "default: disabled"],
  [{ tools: { "category:VCS": {} } }, log, true, "tools.category:VCS"],
  [{ tools: { "category:containers": {} } }, log, false, "default: disabled"],
  // The nearest key, or the one that demands something of another name that it has
  [{ tools: { "git_n*": {}, "git_o*": {} } }, renamed, true, "tools.git_o*"],
  [{ tools: { "git_ne*": {}, "git_o*": {} } }, renamed, true, "tools.git_ne*"],
  [{ tools: { "git_*": {} } }, renamed, true, "tools.git_*"],
  [{ tools: { git_new: {}, "git_old*": {} } }, renamed, true, "tools.git_new"],
  [{ default: "enabled", tools: { "git_o*": {} } }, renamed, true, "tools.git_o*"],
  // A resource is served by its server, its name and globs of its kind
  [{ tools: { "*": {}, "effect:read": {}, "prompt:*": {} } }, note, false, "default: disabled"],
  [{ tools: { "cli:notes": {} } }, note, true, "tools.cli:notes"],
  [{ tools: { "resource:note://*": {} } }, note, true, "tools.resource:note://*"],
  [{ tools: { "resource:*": {} } }, note, true, "tools.resource:*"],
  [{ tools: { "resource:NOTE://*": {} } }, note, false, "default: disabled"],
  [{ tools: { "resource:note*": {}, "resource:NOTE*": {} } }, note, false, "tools.resource:NOTE*"],
  [{ tools: { "resource:note:*": {}, "resource:NOTE*": {} } }, note, true, "tools.resource:note:*"],
  [{ default: "enabled", deny: ["*"] }, note, false, "deny"],
  [{ default: "enabled", deny: ["effect:read"] }, note, false, "deny"],
  [{ default: "enabled", deny: ["resource:NOTE://A"] }, note, false, "deny"],
  [{ default: "enabled", deny: ["resource:x:b"] }, note, false, "deny"],
  [{ tools: { "resource:NOTE://A": {}, "resource:x:b": {} } }, note, false, "default: disabled"],
];

for (const [policy, tool, isServed, rule] of decisions) {
  const what = `${tool.keepsEffect ? "a tool that keeps to its effect" : tool.name}`;
  Deno.test(`ToolSelection.decide() of ${what} by ${JSON.stringify(policy)} is ${rule}`, () => {
    // Another tool has the old name of one, unless a rule means that
    const others = tool === renamed && policy.tools?.["git_old"] === undefined
      ? [{ ...log, name: "git_old" }]
      : [];
    const decision = new ToolSelection(policy, [tool, ...others]).decide(tool);
    assert.deepEqual([decision.isServed, decision.rule], [isServed, rule]);
  });
}

const listed: Tool = { ...log, owner: cli("git") };
const { effect: _, ...unlisted } = log;

const refusals: readonly [policy: PolicyFile, tool: Tool, path: unknown, reason: string][] = [
  [{ deny: ["x", "git_*"] }, log, ["deny", 1], "'git_*' denies it"],
  [{}, log, ["default"], "it is not listed"],
  [
    { effects: ["write", "destructive"] },
    log,
    ["effects"],
    "its effect is read, and only these are served: write, destructive",
  ],
  [
    { effects: ["read"] },
    unlisted,
    ["effects"],
    "its effect is not known, which counts as write, and only these are served: read",
  ],
  [
    { categories: ["x"] },
    log,
    ["categories"],
    "its category is vcs, which is not among those served",
  ],
  [
    { categories: ["x"] },
    listed,
    ["categories"],
    "it has no category, which is not among those served",
  ],
];

for (const [policy, tool, path, reason] of refusals) {
  Deno.test(`ToolSelection.decide() refuses because ${reason}`, () => {
    const decision = new ToolSelection(policy, [tool]).decide(tool);
    assert.deepEqual(decision.isServed ? [] : [decision.path, decision.reason], [path, reason]);
  });
}
