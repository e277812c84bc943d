/** What others build on: nothing of the last release goes without a word in docs/migration.md. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { breaking, surface } from "../../build/_surface.ts";
import released from "../../build/surface.json" with { type: "json" };
import { root } from "../_fixtures.ts";

Deno.test("what breaks since the last release is in docs/migration.md, as its line of surface.json", async () => {
  const page = await Deno.readTextFile(join(root, "docs", "migration.md"));
  const [, upgrading = ""] = page.split("\n## Upgrading\n");
  const unsaid = breaking(released, await surface()).filter((line) => {
    return !upgrading.includes(`\`${line}\``);
  });
  assert.deepEqual(
    unsaid,
    [],
    "Keep it, or say under 'Upgrading' what takes its place; before a first release: deno task surface",
  );
});

Deno.test("surface() has commands, options, choices, keys, exit codes and audit fields", async () => {
  const lines = await surface();
  const expected = [
    "command run --classic",
    "command run --http VALUE",
    "command run --results VALUE compact",
    "command schema <file>",
    "required command schema <file>",
    "key config.tools[].args[].flag: string",
    'key config.effect: "read"',
    "required key config.name",
    "key project.mcpServers",
    "exit 2 usage",
    "audit refusal",
  ];
  const missing = expected.filter((line) => !lines.includes(line));
  assert.deepEqual(missing, []);
});

const changes: [what: string, before: string[], now: string[], broken: string[]][] = [
  ["an option that is gone", ["command run --a"], [], ["command run --a"]],
  ["an option that is new", [], ["command run --a"], []],
  ["a key of another type", ["key config.a: string"], ["key config.a: integer"], [
    "key config.a: string",
  ]],
  ["a key that takes more", ["key config.a: string"], [
    "key config.a: array",
    "key config.a: string",
  ], []],
  ["a key that must be there now", ["key config: object", "key config.a"], [
    "key config: object",
    "key config.a",
    "required key config.a",
  ], ["required key config.a"]],
  ["a key that need not be there any more", ["key config.a", "required key config.a"], [
    "key config.a",
  ], []],
  ["a map that is new with what it requires", ["key config: object"], [
    "key config: object",
    "key config.a",
    "key config.a: object",
    "required key config.a.b",
  ], []],
  ["an argument that must be there now", ["command add"], [
    "command add",
    "required command add <x>",
  ], ["required command add <x>"]],
  ["an exit code with another number", ["exit 3 file"], ["exit 5 file"], ["exit 3 file"]],
];

for (const [what, before, now, broken] of changes) {
  Deno.test(`breaking() ${broken.length > 0 ? "names" : "passes"} ${what}`, () => {
    assert.deepEqual(breaking(before, now), broken);
  });
}
