/** `climax validate`: what is right and wrong about configs, by exit code and by text. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { scratch } from "../../e2e/_scratch.ts";
import { fixture } from "../../e2e/_server.ts";
import { climax } from "./_climax.ts";

const cwd = fixture("");

Deno.test("climax validate says which configs are right: exit code 0", async () => {
  const ran = await climax(["validate", "probe.yaml", "git"], { cwd });
  const stdout = /^probe\.yaml: ok, 12 tools\ngit: ok, \d+ tools\n$/;
  assert.match(ran.stdout, stdout);
  assert.deepEqual([ran.code, ran.stderr], [0, ""]);
});

Deno.test("climax validate reports all problems of all configs: exit code 1", async () => {
  const args = ["validate", "broken_keys.yaml", "probe.yaml", "./broken_syntax.txt"];
  const { code, stdout } = await climax(args, { cwd });
  assert.equal(code, 1);
  const lines = stdout.trimEnd().split("\n");
  assert.equal(lines[0], "broken_keys.yaml:3:1: Unknown key 'categroy'");
  assert.ok(lines.includes("broken_keys.yaml: 4 problems"));
  assert.ok(lines.includes("probe.yaml: ok, 12 tools"));
  assert.equal(lines.at(-1), "./broken_syntax.txt: 1 problem");
});

Deno.test("climax validate reports a program that is not on PATH: exit code 1", async () => {
  const { code, stdout } = await climax(["validate", "missing.yaml"], { cwd });
  assert.equal(code, 1);
  assert.match(stdout, /^missing\.yaml: Program 'climax-no-such-program' is not on PATH$/m);
});

for (
  const [what, config, said] of [
    ["a missing file", "none.yaml", "none.yaml: File not found"],
    ["an unknown name", "gitt", "Unknown config 'gitt'"],
    ["a directory", "./", "Expected a file, found a directory"],
  ] as [string, string, string][]
) {
  Deno.test(`climax validate: ${what} is exit code 3, and the rest is still checked`, async () => {
    const { code, stdout } = await climax(["validate", config, "broken_keys.yaml"], { cwd });
    assert.equal(code, 3);
    assert.ok(stdout.includes(said), stdout);
    assert.match(stdout, /^broken_keys\.yaml: 4 problems$/m);
  });
}

Deno.test("climax validate warns of what is legal but doubtful: exit code 0", async () => {
  await using dir = await scratch();
  const config = `name: doubtful
command: $PROBE_DENO
tools:
  - name: "two words"
    args:
      - { name: a, type: string, required: true, default: b }
`;
  await Deno.writeTextFile(join(dir.path, "doubtful.yaml"), config);
  const { code, stdout } = await climax(["validate", "doubtful.yaml"], { cwd: dir.path });
  assert.match(stdout, /^warning: doubtful\.yaml:4:5: Tool name 'two words' is refused/m);
  assert.match(stdout, /^warning: doubtful\.yaml:6:50: Argument 'a' is required/m);
  assert.equal(code, 0, stdout);
});

/** A config of the tools, each with its arguments, and with a key that no config has. */
function config(tools: Readonly<Record<string, readonly string[]>>, more = ""): string {
  const lines = Object.entries(tools).map(([name, args]) => {
    return `  - { name: ${name}, args: [${args.map((arg) => `{ name: ${arg} }`).join(", ")}] }`;
  });
  return ["name: some", "command: $PROBE_DENO", more, "tools:", ...lines, ""].join("\n");
}

Deno.test("climax validate reports a broken config and a broken policy in one run", async () => {
  await using dir = await scratch();
  await Deno.writeTextFile(join(dir.path, "bad.yaml"), config({ a: ["x"] }, "categroy: x"));
  const policy = "tools:\n  a: { args: { x: { patern: y } } }\n  none:\n";
  await Deno.writeTextFile(join(dir.path, "policy.yaml"), policy);
  const args = ["validate", "bad.yaml", "--policy", "policy.yaml"];
  const { code, stdout } = await climax(args, { cwd: dir.path });
  assert.equal(code, 1);
  // Whether a config has the tool 'none' is not known
  assert.deepEqual(stdout.trimEnd().split("\n").filter((line) => !line.startsWith("  hint: ")), [
    "bad.yaml:3:1: Unknown key 'categroy'",
    "bad.yaml: 1 problem",
    "policy.yaml:2:21: Unknown key 'patern'",
    "policy.yaml: 1 problem",
  ]);
});

Deno.test("climax validate says what was not checked of a policy", async () => {
  await using dir = await scratch();
  await Deno.writeTextFile(join(dir.path, "bad.yaml"), config({ a: ["x"] }, "categroy: x"));
  await Deno.writeTextFile(join(dir.path, "policy.yaml"), "tools:\n  none:\n");
  const args = ["validate", "bad.yaml", "--policy", "policy.yaml"];
  const { code, stdout } = await climax(args, { cwd: dir.path });
  assert.equal(code, 1);
  const said = "policy.yaml: not checked against the configs, which have problems\n";
  assert.ok(stdout.endsWith(said), stdout);
});

Deno.test("climax validate names tools that two configs define, with both files", async () => {
  await using dir = await scratch();
  await Deno.writeTextFile(join(dir.path, "a.yaml"), config({ one: [], both: [] }));
  await Deno.writeTextFile(join(dir.path, "b.yaml"), config({ both: [] }));
  const line = "warning: b.yaml: Tool 'both' is used as defined here, not as in 'a.yaml'\n";
  const plain = await climax(["validate", "a.yaml", "b.yaml"], { cwd: dir.path });
  assert.equal(plain.stdout, `a.yaml: ok, 2 tools\nb.yaml: ok, 1 tool\n${line}`);
  assert.equal(plain.code, 0);

  await Deno.writeTextFile(join(dir.path, "policy.yaml"), "tools:\n  both:\n");
  const args = ["validate", "a.yaml", "b.yaml", "--policy", "policy.yaml"];
  const { stdout } = await climax(args, { cwd: dir.path });
  assert.equal(stdout, `a.yaml: ok, 2 tools\nb.yaml: ok, 1 tool\n${line}policy.yaml: ok, 1 tool\n`);
});
