/**
 * Configs as people wrote them for the CLImax in Python: each loads with the meaning it has there, or
 * is refused with a line that says what to write instead.
 */

import assert from "node:assert/strict";
import { loadConfigs } from "../../../src/sources/command/load.ts";

/** Variables as two of the configs have them. */
const variables = new Map([["VERBOSE", "1"], ["VAULT", "notes"]]);

async function load(...lines: string[]) {
  const text = ["name: wild", "command: ls", ...lines, ""].join("\n");
  return await loadConfigs([{ file: "wild.yaml", text }], (name) => variables.get(name));
}

/** A config of one tool with one argument, as YAML has it between braces. */
async function loadArg(arg: string) {
  return await load(`tools: [{ name: t, description: d, args: [{ name: a, ${arg} }] }]`);
}

for (
  const [written, meaning] of [
    ["type: string, default: 50", { default: "50" }],
    ["type: integer, default: '10'", { type: "integer", default: 10 }],
    ["type: integer, enum: ['1', '2']", { type: "integer", enum: [1, 2] }],
    ["type: integer, default: 1, enum: ['1', '2']", { default: 1, enum: [1, 2] }],
    ["type: string, enum: ['1', '2']", { enum: ["1", "2"] }],
    ["type: boolean, default: 'true'", { type: "boolean", default: true }],
    ["flag: '--a', stdin: true", { role: { kind: "stdin" } }],
    ["flag: 'a='", { role: { kind: "flag", flag: "a=" } }],
    ["positional: true", { role: { kind: "positional" } }],
    ["default: null", {}],
  ] as [string, object][]
) {
  Deno.test(`an argument with ${written} loads`, async () => {
    const { tools, problems } = await loadArg(written);
    assert.deepEqual(problems, []);
    assert.partialDeepStrictEqual(tools[0]!.args[0], meaning);
  });
}

Deno.test("keys of a tool and of a config that the original takes load", async () => {
  const { tools, problems } = await load(
    "x-common: &common { type: string }",
    "category: productivity",
    "tags: [notes]",
    "env: { A: b }",
    "global_args:",
    "  - { name: vault, flag: 'vault=', default: $VAULT }",
    "  - { name: verbose, type: boolean, default: $VERBOSE }",
    "  - { name: unset, default: $UNSET }",
    "tools:",
    "  - { name: t, description: d, timeout: '60', risk: write, args: [] }",
    "  - { name: u, description: d, confirm_message: Sure, risk: destructive }",
  );
  assert.deepEqual(problems, []);
  assert.equal(tools[0]!.timeoutMs, 60_000);
  assert.deepEqual(tools.map(({ effect }) => effect), ["write", "destructive"]);
  assert.deepEqual(tools[0]!.source.globalArgs, ["vault=notes", "--verbose"]);
});
