/** `climax policy`: what decides about a tool, and a policy to start from. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { scratch } from "../../e2e/_scratch.ts";
import { climax, ends } from "./_climax.ts";

const config = `
name: notes
command: echo
tools:
  - name: notes_list
    description: "Lists: all of them"
    effect: read
    aliases: [list_notes]
    args:
      - { name: count, type: integer, required: true }
      - { name: tags, type: array }
      - { name: dir, cwd: true }
      - { name: hidden, value: x }
  - name: notes_drop
    effect: destructive
  - name: "off"
`;

const policy = `default: disabled
confirm: write
deny: [notes_drop]
tools:
  "notes_*":
    args:
      count: { min: 1, max: 9 }
`;

async function files(): Promise<Awaited<ReturnType<typeof scratch>>> {
  const dir = await scratch();
  await Deno.writeTextFile(join(dir.path, "notes.yaml"), config);
  await Deno.writeTextFile(join(dir.path, "policy.yaml"), policy);
  return dir;
}

const options = ["--config", "notes.yaml", "--policy", "policy.yaml"];

const explanations: readonly [words: string[], code: number, lines: string[]][] = [
  [["notes_list"], 0, [
    "notes_list: served",
    "  by tools.notes_* (policy.yaml:5:3)",
    "  effect: read",
    "  arguments: count: integer [tags…] [dir]",
    "  demands: count from 1, to 9",
  ]],
  [["list_notes", "count=3"], 0, [
    "notes_list: served",
    "  by tools.notes_* (policy.yaml:5:3)",
    "  effect: read",
    "  arguments: count: integer [tags…] [dir]",
    "  demands: count from 1, to 9",
    "",
    "This call: allowed",
    `["echo","--count","3","--hidden","x"]`,
  ]],
  [["notes_list", "count=10"], 1, [
    "notes_list: served",
    "  by tools.notes_* (policy.yaml:5:3)",
    "  effect: read",
    "  arguments: count: integer [tags…] [dir]",
    "  demands: count from 1, to 9",
    "",
    "This call: refused by tools.notes_*.args.count.max",
    "Policy validation failed:",
    "  - Argument 'count': value '10' is greater than maximum 9",
  ]],
  [["notes_drop"], 1, [
    "notes_drop: not served",
    "  by deny (policy.yaml:3:8)",
    "  because 'notes_drop' denies it",
  ]],
  [["off", "x=1"], 1, [
    "off: not served",
    "  by default: disabled (policy.yaml:1:1)",
    "  because it is not listed",
  ]],
];

for (const [words, code, lines] of explanations) {
  Deno.test(`climax policy explain ${words.join(" ")} says what decides`, async () => {
    await using dir = await files();
    const ran = await climax(["policy", "explain", ...words, ...options], { cwd: dir.path });
    assert.deepEqual([ran.code, ran.stdout.split("\n").slice(0, -1), ran.stderr], [
      code,
      lines,
      "",
    ]);
  });
}

Deno.test("climax policy explain without a policy says what holds then", async () => {
  await using dir = await files();
  const held = "name: held\ncommand: echo\ntools: [{ name: held_run, requires: sandbox }]\n";
  await Deno.writeTextFile(join(dir.path, "held.yaml"), held);
  const explain = (...words: string[]) => {
    const configs = ["--config", "notes.yaml", "--config", "held.yaml"];
    return climax(["policy", "explain", ...words, ...configs], { cwd: dir.path });
  };
  await ends(explain("notes_drop"), {
    stdout:
      /^notes_drop: served\n {2}by no policy: .*connect writes ask\n {2}asks a person: each call\n {4}because it says that it changes something\n/,
  });
  await ends(explain("notes_list", "count=x"), {
    code: 1,
    stdout: /This call: refused by arguments/,
  });
  await ends(explain("held_run"), {
    code: 1,
    stdout: /^held_run: not served\n.*\n {2}because .*\nAsk a person .*--sandbox/,
  });
  await ends(explain("held_run", "--policy", "ask"), { stdout: /^held_run: served\n/ });
});

Deno.test("climax policy explain knows the built-in tools, but no call of one", async () => {
  await using dir = await files();
  const text = "default: disabled\neffects: [read]\ntools:\n  output_*: {}\n";
  await Deno.writeTextFile(join(dir.path, "read.yaml"), text);
  const explain = (...words: string[]) => {
    const given = ["notes.yaml", "--policy", "read.yaml", "--", ...words];
    return climax(["policy", "explain", ...given], { cwd: dir.path });
  };
  const served = await explain("output_json");
  assert.equal(served.code, 0);
  assert.match(served.stdout, /^output_json: served\n {2}by tools\.output_\* \(read\.yaml:4:3\)\n/);
  const not = await explain("job_cancel");
  assert.equal(not.code, 1);
  assert.match(not.stdout, /^job_cancel: not served\n {2}by effects /);
  const call = await explain("output_json", "id=1");
  assert.equal(call.code, 2);
  assert.match(call.stderr, /A call of 'output_json' cannot be decided before .+\n {2}hint: Leave/);
});

Deno.test("climax policy explain of what is not there is wrong usage, or a wrong file", async () => {
  await using dir = await files();
  await ends(climax(["policy", "explain", "notes_lits", ...options], { cwd: dir.path }), {
    code: 2,
    stderr: /No config has a tool 'notes_lits'\n {2}hint: Did you mean: notes_list/,
  });
  const missing = await climax(
    ["policy", "explain", "notes_list", "--config", "notes.yaml", "--policy", "none.yaml"],
    { cwd: dir.path },
  );
  assert.equal(missing.code, 3);
});

Deno.test("climax policy init prints a policy that validates as it is", async () => {
  await using dir = await files();
  const { code, stdout } = await climax(["policy", "init", "notes.yaml"], { cwd: dir.path });
  assert.equal(code, 0);
  assert.deepEqual(stdout.split("\n"), [
    "# What an agent may do with notes.yaml. What is not listed is not served.",
    "default: disabled",
    "# A person is asked before each of these calls",
    "confirm: destructive",
    "tools:",
    "  notes_list:  # read: Lists: all of them",
    "    args:",
    "      dir: { within: . }",
    "  notes_drop:  # destructive",
    '  "off":  # effect not known',
    "",
  ]);
  await Deno.writeTextFile(join(dir.path, "new.yaml"), stdout);
  const checked = await climax(
    ["validate", "notes.yaml", "--policy", "new.yaml", "--strict"],
    { cwd: dir.path },
  );
  assert.match(checked.stdout, /new\.yaml: ok, 3 tools/);
  assert.equal(checked.code, 0);
});

Deno.test("climax policy init of each bundled config is a policy that it fits", async () => {
  await using dir = await scratch();
  const file = join(dir.path, "policy.yaml");
  const { stdout } = await climax(["policy", "init", "git", "coreutils"]);
  await Deno.writeTextFile(file, stdout);
  const explained = await climax(["policy", "explain", "git_push", "--policy", file]);
  assert.match(explained.stdout, /asks a person: each call, by confirm \(.*policy.yaml:4:1\)/);
  const work = ["--policy", "work"];
  await ends(climax(["policy", "explain", "git_push", ...work]), {
    stdout: /by confirm \(bundled:work:5:1\)\n {4}because it reaches beyond this machine\n/,
  });
  const { stdout: json } = await climax(["policy", "explain", "git_push", "--json", ...work]);
  const { confirm, confirm_place, confirm_reason } = JSON.parse(json);
  assert.deepEqual([confirm, confirm_place.line], [true, 5]);
  assert.equal(confirm_reason, "it reaches beyond this machine");
  await ends(climax(["policy", "explain", "script_run", ...work]), { stdout: /its calls do\n/ });
});
