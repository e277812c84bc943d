/** `climax validate`: what is right and wrong about configs, by exit code and by text. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { scratch } from "../../e2e/_scratch.ts";
import { fixture } from "../../e2e/_server.ts";
import { climax, ends } from "./_climax.ts";

const cwd = fixture("");

Deno.test("climax validate says which configs are right: exit code 0", async () => {
  const ran = await climax(["validate", "probe.yaml", "git"], { cwd });
  const stdout = /^probe\.yaml: ok, 12 tools\ngit: ok, \d+ tools\n$/;
  assert.match(ran.stdout, stdout);
  assert.deepEqual([ran.code, ran.stderr], [0, ""]);
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
  const config = `name: doubtful
command: $PROBE_DENO
tools:
  - name: "two words"
    args:
      - { name: a, type: string, required: true, default: b }
`;
  const shell = "name: shell\ncommand: sh -c\ntools: [{ name: t }]\n";
  await using dir = await scratch({ "doubtful.yaml": config, "shell.yaml": shell });
  await ends(climax(["validate", "doubtful.yaml", "shell.yaml"], { cwd: dir.path }), {
    code: 0,
    stdout: [
      /^warning: doubtful\.yaml:4:5: Tool name 'two words' is refused/m,
      /^warning: doubtful\.yaml:6:50: Argument 'a' is required/m,
      /^warning: shell\.yaml: The command 'sh -c' runs any code it is given$/m,
    ],
  });
});

Deno.test("climax validate says what is wrong with configs and policy in one run", async () => {
  await using dir = await scratch({
    "a.yaml": "name: x\ncommand: echo\ntoosl: []\n",
    "policy.yaml": "default: enabled\ntools:\n  t: { args: { a: { pattern: '(' } } }\n",
  });
  const args = ["validate", "a.yaml", "--policy", "policy.yaml", "--strict"];
  const { code, stdout } = await climax(args, { cwd: dir.path });
  assert.equal(code, 1);
  assert.match(stdout, /a\.yaml:3:1: Unknown key 'toosl'\n {2}hint: Did you mean: tools/);
  assert.match(stdout, /policy\.yaml:3:21: 'pattern': '\(' is not an RE2 expression/);
  // What the config would have had is not known
  assert.doesNotMatch(stdout, /No config has a tool/);
  await Deno.writeTextFile(join(dir.path, "policy.yaml"), "tools: { t: }\n");
  await ends(climax(args, { cwd: dir.path }), {
    code: 1,
    stdout:
      /\npolicy\.yaml: nothing wrong by itself; what it leaves of the configs is not known\n$/,
  });
});

Deno.test("climax validate --json has every key of every report, and the same exit codes", async () => {
  await using dir = await scratch();
  const file = (name: string, text: string) => Deno.writeTextFile(join(dir.path, name), text);
  await file("fine.yaml", "name: x\ndescription: X\ncommand: echo\ntools: [{ name: t }]\n");
  await file("broken.yaml", "name: x\ncommand: echo\ntoosl: []\n");
  await file("p.yaml", "tools: { t: }\n");
  const json = async (...args: string[]) => {
    const { code, stdout, stderr } = await climax(["validate", ...args, "--json"], {
      cwd: dir.path,
    });
    assert.equal(stderr, "");
    const { ok, reports } = JSON.parse(stdout);
    assert.equal(ok, code === 0);
    return { code, reports };
  };
  const fine = { about: "config", subject: "fine.yaml", ok: true, tools: 1 };
  const nothing = { problems: [], notes: [] };
  const warning = {
    file: "fine.yaml",
    line: 4,
    column: 10,
    message: "Tool 't' has no description: agents find it by its name only",
    hint: "Say what it does, in the words of who would ask for it",
  };
  const first = await json("fine.yaml");
  assert.deepEqual(Object.keys(first.reports[0]), [
    ...["about", "subject", "ok", "tools", "problems", "warnings", "notes"],
  ]);
  assert.deepEqual(Object.keys(first.reports[0].warnings[0]), Object.keys(warning));
  assert.equal(first.code, 0);
  assert.partialDeepStrictEqual(first.reports, [{ ...fine, ...nothing }]);

  const both = await ends(json("fine.yaml", "broken.yaml", "--policy", "p.yaml"), { code: 1 });
  assert.partialDeepStrictEqual(both.reports, [fine, {
    about: "config",
    subject: "broken.yaml",
    ok: false,
    tools: null,
    problems: [{
      file: "broken.yaml",
      line: 3,
      column: 1,
      message: "Unknown key 'toosl'",
      hint: "Did you mean: tools",
    }],
  }, { about: "policy", subject: "p.yaml", ok: true, tools: null }]);

  const missing = await ends(json("none.yaml"), { code: 3 });
  assert.deepEqual(missing.reports[0].problems, [
    { file: "none.yaml", line: null, column: null, message: "File not found", hint: null },
  ]);
});

Deno.test("climax validate reads files of Windows, and says what is wrong with no text", async () => {
  const text = "name: x\ndescription: X\ncommand: echo\ntools:\n  - { name: t, description: T }\n";
  const windows = `\ufeff${text.replaceAll("\n", "\r\n")}`;
  await using dir = await scratch({
    "windows.yaml": windows,
    "empty.yaml": "",
    "bare.yaml": "\ufeff# nothing yet\r\n\r\n",
  });
  await Deno.writeFile(join(dir.path, "latin.yaml"), new Uint8Array([0x6e, 0xe4, 0x0a]));
  const args = ["validate", "windows.yaml", "empty.yaml", "bare.yaml", "latin.yaml"];
  await ends(climax(args, { cwd: dir.path }), {
    code: 3,
    stdout: "windows.yaml: ok, 1 tool\n" +
      "empty.yaml:1:1: There is nothing in the file\nempty.yaml: 1 problem\n" +
      "bare.yaml:1:1: There is nothing in the file\n  1 | # nothing yet\n    | ^\nbare.yaml: 1 problem\n" +
      "latin.yaml: File is not UTF-8 text\n  hint: Save it with the encoding UTF-8\nlatin.yaml: 1 problem\n",
  });
});
