/** A policy in front of the real server: what it took away was never there. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { climax, ends } from "../cli/commands/_climax.ts";
import { callerIn, connect } from "./_clients.ts";
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

for (const mode of ["discovery", "classic"] as const) {
  unix.test(`${mode} under a policy is as if the rest had never been`, async () => {
    await using dir = await scratch();
    await prepare(dir);
    const start = (words: readonly string[]) => {
      const more = mode === "classic" ? ["--classic"] : [];
      return connect([...words, ...more], { cwd: dir.path });
    };
    await using held = await start(withPolicy);
    await using bare = await start(neverThere);
    assert.equal(held.instructions, bare.instructions);
    assert.match(held.instructions ?? "", /\b1 tool of 1 command-line program\b/);
    assert.deepEqual(await held.list(), await bare.list());
    for (const search of mode === "classic" ? [] : searches) {
      const found = await held.call("climax_search", search);
      assert.deepEqual(found, await bare.call("climax_search", search));
      assert.equal(/zebra|zoo_|animals|remove/.test(found.text), false, found.text);
    }
    for (const name of names) {
      const answer = await callerIn(mode, held)(name);
      assert.deepEqual(answer, await callerIn(mode, bare)(name));
      assert.equal(answer.text.split("\n")[0], `Unknown tool: ${name}`);
      assert.equal(answer.isError, true);
    }
    for (const name of ["removed", "fed"]) {
      await assert.rejects(Deno.stat(join(dir.path, name)), Deno.errors.NotFound);
    }
  });
}

unix.test("constraints hold the same way in every way in", async () => {
  await using dir = await scratch();
  await prepare(dir);
  await using discovery = await connect(withPolicy, { cwd: dir.path });
  await using classic = await connect([...withPolicy, "--classic"], { cwd: dir.path });
  const count = "Argument 'count': value '500' is greater than maximum 100";
  // Values that are no integer or text of one line are those of coerceArgs()
  const rows: readonly [args: Record<string, unknown>, text: string, isError: boolean][] = [
    [{ count: "5", path: "abc" }, "listed abc --count 5", false],
    // The default is a value like any other
    [{}, `Policy validation failed:\n  - ${count}`, true],
    [{ count: null }, `Policy validation failed:\n  - ${count}`, true],
    // Junk is not a way around a limit
    [{ count: "5e2" }, "cannot convert '5e2' to integer", true],
    [{ count: [500] }, `Policy validation failed:\n  - ${count}`, true],
    [{ count: { valueOf: 5 } }, "cannot convert", true],
    [{ count: 5, path: "abc\n" }, "contains U+000A and must be one line", true],
    [{ count: 5, path: "аbc" }, "does not match pattern '[a-z]+'", true],
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

unix.test("a policy that is missing or no YAML stops every command: exit code 3", async () => {
  await using dir = await scratch();
  await prepare(dir);
  const commands = [
    ["run", "notes.yaml"],
    ["list", "notes.yaml"],
    ["search", "--config", "notes.yaml"],
    ["call", "note_remove", "--config", "notes.yaml"],
  ];
  for (const command of commands) {
    const stderr = /^(?:error: )?bad\.yaml: File not found$/m;
    const ran = climax([...command, "--policy", "bad.yaml"], { cwd: dir.path });
    await ends(ran, { code: 3, stdout: "", stderr });
  }
  await Deno.writeTextFile(join(dir.path, "bad.yaml"), "tools: {");
  const ran = climax(["run", "notes.yaml", "--policy", "bad.yaml"], { cwd: dir.path });
  await ends(ran, { code: 3, stdout: "", stderr: /^(?:error: )?bad\.yaml:\d+:\d+: /m });
  await assert.rejects(Deno.stat(join(dir.path, "removed")), Deno.errors.NotFound);
});
