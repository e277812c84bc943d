/** What others build on: nothing of the last release goes without a word in docs/migration.md. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { breaking, surface } from "../../build/_surface.ts";
import recorded from "../../build/surface.json" with { type: "json" };
import { root } from "../_fixtures.ts";
import { outputOf } from "../_requirements.ts";

/** What git prints in the checkout; `undefined` where it fails. */
async function git(...args: string[]): Promise<string | undefined> {
  const output = await outputOf("git", ["-C", root, ...args]);
  return output?.success ? new TextDecoder().decode(output.stdout).trim() : undefined;
}

/** What the last release before this commit offered; `undefined` if there was none. */
async function released(): Promise<string[] | undefined> {
  const tag = await git("describe", "--tags", "--abbrev=0", "--match=v*", "HEAD^");
  const text = tag && await git("show", `${tag}:build/surface.json`);
  return text && JSON.parse(text);
}

Deno.test("what breaks since the last release is in docs/migration.md, as its line of surface.json", async () => {
  const page = await Deno.readTextFile(join(root, "docs", "migration.md"));
  const [, upgrading = ""] = page.split("\n## Upgrading\n");
  const now = await surface();
  // The file may have been written again since, and a copy without history has no tags
  const broken = new Set([...breaking(await released() ?? [], now), ...breaking(recorded, now)]);
  assert.deepEqual(
    [...broken].filter((line) => !upgrading.includes(`\`${line}\``)),
    [],
    "Keep it, or say under 'Upgrading' what takes its place; before a first release: deno task surface",
  );
});

Deno.test("a release records what it offers", async () => {
  const tags = await git("tag", "--points-at=HEAD", "--list", "v*");
  if (tags) assert.deepEqual(recorded, await surface(), "Before the tag: deno task surface");
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
    "tool git_commit <message>",
    "required tool git_commit <message>",
    // An old name
    "tool git_branch",
  ];
  assert.deepEqual(expected.filter((line) => !lines.includes(line)), []);
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
  ["an argument of a tool that must be there now", ["tool a"], [
    "tool a",
    "tool a <b>",
    "required tool a <b>",
  ], ["required tool a <b>"]],
  ["a tool that is new with what it requires", [], [
    "tool a",
    "tool a <b>",
    "required tool a <b>",
  ], []],
  ["an exit code with another number", ["exit 3 file"], ["exit 5 file"], ["exit 3 file"]],
];

for (const [what, before, now, broken] of changes) {
  Deno.test(`breaking() ${broken.length > 0 ? "names" : "passes"} ${what}`, () => {
    assert.deepEqual(breaking(before, now), broken);
  });
}
