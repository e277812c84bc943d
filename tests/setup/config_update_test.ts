/** Files that people have edited, in their own way. */

import assert from "node:assert/strict";
import { updateConfig } from "../../src/setup/_config_update.ts";
import type { ArgDraft, ToolDraft } from "../../src/setup/_tool_draft.ts";

function option(name: string): ArgDraft {
  const flag = `--${name}`;
  return {
    key: flag,
    name,
    description: "",
    required: false,
    role: { kind: "flag", flag },
    guesses: [],
    notes: [],
  };
}

function tool(command: string, options: readonly string[]): ToolDraft {
  return {
    name: `farm_${command}`,
    isDescribed: true,
    command,
    description: command,
    effect: { effect: "read", because: "x" },
    args: options.map(option),
    leftOut: [],
    notes: [],
  };
}

const now = [
  tool("list", ["kind", "limit"]),
  tool("sell", ["price"]),
  tool("flow", ["a", "b"]),
  tool("new", ["z"]),
];

const edited = `name: farm
command: farm
tools:
- name: farm_list
  command: list
  args:
  - name: kind
    flag: "--kind="   # mine

- name: farm_sell # no arguments yet
  command: sell
- name: farm_flow
  command: flow
  args: [{name: a, flag: --a}]
x-generated:
  farm_list: ["--kind"]
  farm_sell: []
  farm_flow: ["--a"]
# last words
category: farms`;

const expected = `name: farm
command: farm
tools:
- name: farm_list
  command: list
  args:
  - name: kind
    flag: "--kind="   # mine
  # new
  - name: limit
    type: boolean
    flag: "--limit"

- name: farm_sell # no arguments yet
  command: sell
  args:
    # new
    - name: price
      type: boolean
      flag: "--price"
- name: farm_flow
  command: flow
  args: [{name: a, flag: --a}]

# new
- name: farm_new
  description: new
  command: new
  effect: read # guess: x
  args:
    - name: z
      type: boolean
      flag: "--z"
# What the program had when this was written: \`climax generate --update\` adds what is new
x-generated:
  farm_list: ["--kind", "--limit"]
  farm_sell: ["--price"]
  farm_flow: ["--a"]
  farm_new: ["--z"]
# last words
category: farms`;

Deno.test("updateConfig() adds where the file has it, and leaves every other line", () => {
  const updated = updateConfig("farm.yaml", edited, { tools: now, isGone: () => false });
  assert.equal(updated.text, expected);
  assert.deepEqual(updated.added, ["farm_list.limit", "farm_sell.price", "farm_new"]);
  assert.deepEqual(updated.refused, ["farm_flow.b"]);
});

Deno.test("updateConfig() has nothing to add the second time", () => {
  const again = updateConfig("farm.yaml", expected, { tools: now, isGone: () => false });
  assert.equal(again.text, expected);
  assert.deepEqual([again.added, again.gone], [[], []]);
  assert.deepEqual(again.refused, ["farm_flow.b"]);
});

Deno.test("updateConfig() adds no tool that was taken out", () => {
  const start = edited.indexOf("- name: farm_sell");
  const without = edited.slice(0, start) + edited.slice(edited.indexOf("- name: farm_flow"));
  const updated = updateConfig("farm.yaml", without, { tools: now, isGone: () => false });
  assert.deepEqual(updated.added, ["farm_list.limit", "farm_new"]);
});

Deno.test("updateConfig() knows a tool by its command where it has another name", () => {
  const renamed = edited.replace("name: farm_list", "name: animals");
  const updated = updateConfig("farm.yaml", renamed, { tools: now, isGone: () => false });
  assert.deepEqual(updated.added, ["animals.limit", "farm_sell.price", "farm_new"]);
});

for (const text of ["", "a: [", "x-generated: 1\ntools: []", "x-generated: {}\ntools: {}"]) {
  Deno.test(`updateConfig() refuses ${JSON.stringify(text)}`, () => {
    const present = { tools: now, isGone: () => false };
    assert.throws(() => updateConfig("farm.yaml", text, present), /Nothing was updated/);
  });
}
