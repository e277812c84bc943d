/** A policy in front of the real server: what it took away was never there. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { climax, ends } from "../cli/commands/_climax.ts";
import { connect } from "./_clients.ts";
import { type Scratch, scratch } from "./_scratch.ts";
import { unix } from "../_requirements.ts";

const kept = `  - name: note_list
    description: Lists notes
    command: echo listed
    args:
      - { name: path, positional: true }
      - { name: count, type: integer, default: 500 }
`;
const head = "name: notes\ndescription: Keeps notes\ncommand: ''\ncategory: notes\ntools:\n";
const removed = `  - name: note_remove
    description: Removes a zebra
    command: touch removed
`;
const other = `name: zoo
description: Keeps animals
command: touch fed
category: animals
tools:
  - { name: zoo_feed, description: Feeds a zebra }
`;
const policy = `tools:
  note_list:
    description: Shows quokkas
    args:
      path: { pattern: "[a-z]+" }
      count: { max: 100 }
`;

/** Configs with and without the tools that the policy takes away. */
async function prepare(dir: Scratch): Promise<void> {
  const files: readonly [string, string][] = [
    ["notes.yaml", head + removed + kept],
    ["zoo.yaml", other],
    ["bare.yaml", head + kept],
    ["policy.yaml", policy],
  ];
  for (const [name, text] of files) await Deno.writeTextFile(join(dir.path, name), text);
}

/** Configs, which stand before the policy, as values of `--config`. */
function asOptions(words: readonly string[]): string[] {
  const option = words.indexOf("--policy");
  return [
    ...words.slice(0, option).flatMap((config) => ["--config", config]),
    ...words.slice(option),
  ];
}

const withPolicy = ["notes.yaml", "zoo.yaml", "--policy", "policy.yaml"];
const neverThere = ["bare.yaml", "--policy", "policy.yaml"];

/** Everything that may give a removed tool away. */
const searches: readonly Record<string, unknown>[] = [
  {},
  { query: "note" },
  { query: "remove" },
  { query: "zebra" },
  { query: "zoo" },
  { query: "quokkas" },
  { query: "Lists" },
  { category: "animals" },
  { category: "notes" },
  { cli: "zoo" },
  { cli: "notes", query: "" },
];
const names = ["note_remove", "note_remov", "zoo_feed", "zoo", "note_lst", "touch", "__proto__"];

unix.test("discovery under a policy is as if the rest had never been", async () => {
  await using dir = await scratch();
  await prepare(dir);
  const settings = { cwd: dir.path };
  await using held = await connect(withPolicy, settings);
  await using bare = await connect(neverThere, settings);
  assert.equal(held.instructions, bare.instructions);
  assert.match(held.instructions ?? "", /\b1 tool of 1 command-line program\b/);
  assert.deepEqual(await held.list(), await bare.list());
  for (const search of searches) {
    const found = await held.call("climax_search", search);
    assert.deepEqual(found, await bare.call("climax_search", search));
    assert.equal(/zebra|zoo_|animals|remove/.test(found.text), false, found.text);
  }
  for (const tool_name of names) {
    const answer = await held.call("climax_call", { tool_name, args: {} });
    assert.deepEqual(answer, await bare.call("climax_call", { tool_name, args: {} }));
    assert.equal(answer.text.split("\n")[0], `Unknown tool: ${tool_name}`);
    assert.equal(answer.isError, true);
  }
  const near = await held.call("climax_call", { tool_name: "note_lst" });
  assert.equal(near.text, "Unknown tool: note_lst");
  assert.deepEqual(near.beside, ["Did you mean: note_list"]);
  for (const name of ["removed", "fed"]) {
    await assert.rejects(Deno.stat(join(dir.path, name)), Deno.errors.NotFound);
  }
});

unix.test("classic mode under a policy is as if the rest had never been", async () => {
  await using dir = await scratch();
  await prepare(dir);
  const settings = { cwd: dir.path };
  await using held = await connect([...withPolicy, "--classic"], settings);
  await using bare = await connect([...neverThere, "--classic"], settings);
  assert.equal(held.instructions, bare.instructions);
  const listed = await held.list();
  assert.deepEqual(listed, await bare.list());
  assert.deepEqual(listed.map(({ name, description }) => [name, description]), [
    ["note_list", "Shows quokkas"],
  ]);
  for (const name of names) {
    const answer = await held.call(name, {});
    assert.deepEqual(answer, await bare.call(name, {}));
    assert.equal(answer.text.split("\n")[0], `Unknown tool: ${name}`);
  }
});

unix.test("constraints hold the same way in every way in", async () => {
  await using dir = await scratch();
  await prepare(dir);
  await using discovery = await connect(withPolicy, { cwd: dir.path });
  await using classic = await connect([...withPolicy, "--classic"], { cwd: dir.path });
  const count = "Argument 'count': value '500' is greater than maximum 100";
  const rows: readonly [args: Record<string, unknown>, text: string, isError: boolean][] = [
    [{ count: 5 }, "listed --count 5", false],
    [{ count: "5", path: "abc" }, "listed abc --count 5", false],
    // The default is a value like any other
    [{}, `Policy validation failed:\n  - ${count}`, true],
    [{ count: null }, `Policy validation failed:\n  - ${count}`, true],
    // Junk is not a way around a limit
    [{ count: "500" }, `Policy validation failed:\n  - ${count}`, true],
    [{ count: "5e2" }, "cannot convert '5e2' to integer", true],
    [{ count: [5] }, "listed --count 5", false],
    [{ count: [500] }, `Policy validation failed:\n  - ${count}`, true],
    [{ count: [5, 5] }, "cannot convert '[5,5]' to integer", true],
    [{ count: { valueOf: 5 } }, "cannot convert", true],
    [{ count: "٥" }, "cannot convert '٥' to integer", true],
    [{ count: " 5" }, "cannot convert ' 5' to integer", true],
    [{ count: 5, path: ["abc", "d"] }, "cannot convert", true],
    [{ count: 5, path: "abc\n" }, "contains U+000A and must be one line", true],
    [{ count: 5, path: "abc\0" }, "NUL byte", true],
    [{ count: 5, path: "аbc" }, "does not match pattern '[a-z]+'", true],
    [{ count: 5, path: "" }, "does not match pattern '[a-z]+'", true],
    [
      { path: "INVALID123" },
      "Policy validation failed:\n" +
      "  - Argument 'path': value 'INVALID123' does not match pattern '[a-z]+'\n" +
      `  - ${count}`,
      true,
    ],
    // The order of the contract: types before the policy
    [{ path: "X", count: "x" }, "Argument validation failed:\n  - Argument 'count'", true],
  ];
  for (const [args, text, isError] of rows) {
    const answer = await discovery.call("climax_call", { tool_name: "note_list", args });
    assert.deepEqual(answer, await classic.call("note_list", args));
    const words = ["call", "note_list", "--args", JSON.stringify(args), ...asOptions(withPolicy)];
    const stdout = `${[answer.text, ...answer.beside ?? []].join("\n\n")}\n`;
    const { code } = await ends(climax(words, { cwd: dir.path }), { stdout });
    assert.equal(code, isError ? 1 : 0);
    assert.equal(answer.isError, isError);
    if (isError) assert.equal(answer.text.includes(text), true, answer.text);
    else assert.equal(answer.text, text);
  }
});

const stops: readonly [what: string, text: string | undefined, said: RegExp][] = [
  ["missing", undefined, /^(?:error: )?bad\.yaml: File not found$/m],
  ["no YAML", "tools: {", /^(?:error: )?bad\.yaml:\d+:\d+: /m],
];

for (const [index, [what, text, said]] of stops.entries()) {
  // The commands load a policy in one place, so one defect is enough to see that each does
  const every = index === 0;
  unix.test(`a policy that is ${what} stops ${every ? "every command" : "a start"}: exit code 3`, async () => {
    await using dir = await scratch();
    await prepare(dir);
    if (text !== undefined) await Deno.writeTextFile(join(dir.path, "bad.yaml"), text);
    const commands = [
      ["run", "notes.yaml"],
      ["list", "notes.yaml"],
      ["search", "--config", "notes.yaml"],
      ["call", "note_remove", "--config", "notes.yaml"],
    ];
    for (const command of every ? commands : commands.slice(0, 1)) {
      const args = [...command, "--policy", "bad.yaml"];
      await ends(climax(args, { cwd: dir.path }), { code: 3, stdout: "", stderr: said });
    }
    await assert.rejects(Deno.stat(join(dir.path, "removed")), Deno.errors.NotFound);
    const args = ["validate", "notes.yaml", "--policy", "bad.yaml"];
    await ends(climax(args, { cwd: dir.path }), { code: text === undefined ? 3 : 1, stdout: said });
  });
}

unix.test("--strict makes a tool that no config has an error", async () => {
  await using dir = await scratch();
  await prepare(dir);
  await Deno.writeTextFile(join(dir.path, "typo.yaml"), "tools: { note_lst: , note_list: }");
  const args = ["list", "notes.yaml", "--policy", "typo.yaml"];
  const said = "typo.yaml:1:10: No config has a tool 'note_lst'\n  hint: Did you mean: note_list";
  const lenient = await ends(climax(args, { cwd: dir.path }), { code: 0 });
  assert.equal(lenient.stderr.includes(`warning: ${said.split("\n")[0]}`), true, lenient.stderr);
  const strict = await climax([...args, "--strict"], { cwd: dir.path });
  assert.deepEqual([strict.code, strict.stdout], [3, ""]);
  assert.equal(strict.stderr.startsWith(`error: ${said}`), true, strict.stderr);
  // A broken config is reported alone, since its tools are not known
  await Deno.writeTextFile(join(dir.path, "broken.yaml"), "nam: x");
  const broken = ["list", "broken.yaml", "--policy", "policy.yaml", "--strict"];
  const { code, stderr } = await climax(broken, { cwd: dir.path });
  assert.equal(code, 3);
  assert.match(stderr, /^broken\.yaml:1:1: Unknown key 'nam'$/m);
  assert.equal(stderr.includes("No config has"), false, stderr);
});
