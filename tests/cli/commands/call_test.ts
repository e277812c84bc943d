/** `climax call`: the three ways to give arguments, and exactly the text an agent gets. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { scratch } from "../../e2e/_scratch.ts";
import { fixture } from "../../e2e/_server.ts";
import { climax, climaxOnTerminal, ends } from "./_climax.ts";

const config = ["--config", fixture("probe.yaml")];
const printed = `["a=b c","--count","7","-l","3"]\n`;

for (
  const [what, args, stdin] of [
    ["name=value", ["text=a=b c", "count=7", ...config]],
    ["--args", ["--args", `{"text":"a=b c","count":7}`, ...config]],
    ["--args before --config", [...config, "--args", `{"text":"a=b c","count":"7"}`]],
    ["@- reads stdin", ["@-", ...config], `{"text":"a=b c","count":7}`],
    ["--args @- reads stdin", ["--args", "@-", ...config], `{"text":"a=b c","count":7}`],
  ] as [string, string[], string?][]
) {
  Deno.test(`climax call takes arguments: ${what}`, async () => {
    const settings = stdin === undefined ? {} : { stdin };
    const ran = await climax(["call", "probe_args", ...args], settings);
    assert.deepEqual(ran, { code: 0, stdout: printed, stderr: "" });
  });
}

Deno.test("climax call takes arguments from a file", async () => {
  await using dir = await scratch({ "a.json": `{"text":"a=b c","count":7}` });
  for (const args of [["@a.json"], ["--args", "@a.json"]]) {
    const ran = await climax(["call", "probe_args", ...config, ...args], { cwd: dir.path });
    assert.deepEqual(ran, { code: 0, stdout: printed, stderr: "" });
  }
});

const probeArgs = "text?, count?: integer, ratio?: number, dry_run?: boolean, " +
  "format?: json|text|csv, level: integer = 3";

for (
  const [what, args, stdout] of [
    [
      "a name that no argument has",
      ["probe_args", "texts=a", "colour=b"],
      "Argument validation failed:\n  - Unknown argument 'texts'\n  - Unknown argument 'colour'\n\n" +
      `'texts': did you mean text\nTakes: probe_args(${probeArgs})\n`,
    ],
    [
      "a name given twice, for one value",
      ["probe_args", "text=a", "text=b"],
      `Argument validation failed:\n  - Argument 'text': cannot convert '["a","b"]' to string\n\n` +
      `Takes: probe_args(${probeArgs})\n`,
    ],
    [
      "args that are no object",
      ["probe_args", "--args", "[]"],
      /'args' must be an object, found a list\n\nTakes: .*\n$/,
    ],
  ] as [string, string[], string | RegExp][]
) {
  Deno.test(`climax call: ${what} is exit code 1, its text on stdout`, async () => {
    const ran = await ends(climax(["call", ...args, ...config]), { code: 1, stderr: "" });
    if (typeof stdout === "string") assert.equal(ran.stdout, stdout);
    else assert.match(ran.stdout, stdout);
  });
}

for (
  const [what, args, code] of [
    ["pairs with --args", ["text=a", "--args", "{}"], 2],
    ["pairs with a file", ["text=a", "@-"], 2],
    ["two files", ["@-", "@-"], 2],
    ["a word that is no pair", ["text"], 2],
    ["a pair without a name", ["=a"], 2],
    ["arguments that are no JSON", ["--args", "{text: a}"], 2],
    ["a file that is missing", ["@no-such-file.json"], 3],
  ] as [string, string[], number][]
) {
  Deno.test(`climax call refuses ${what}: exit code ${code}, nothing on stdout`, async () => {
    const ran = await climax(["call", "probe_args", ...args, ...config]);
    assert.deepEqual([ran.code, ran.stdout], [code, ""]);
    assert.match(ran.stderr, /^\S.*\n/);
  });
}

Deno.test("climax call of what does not fit its output_schema is exit code 1, and the log says why", async () => {
  const tool = {
    name: "wrong",
    command: "-n",
    output: "json",
    output_schema: { type: "object", required: ["name"] },
    args: [{ name: "text", type: "string", positional: true }],
  };
  const text = JSON.stringify({ name: "odd", command: "echo", tools: [tool] });
  await using dir = await scratch({ "odd.yaml": text });
  for (const [value, code, fits] of [['{"name": 1}', 0, undefined], ["{}", 1, false]] as const) {
    const audit = join(dir.path, `audit-${code}`);
    const args = ["call", "./odd.yaml", "--audit", audit, "--", "wrong", `text=${value}`];
    await ends(climax(args, { cwd: dir.path }), { code });
    const entry = JSON.parse(await Deno.readTextFile(audit));
    assert.deepEqual([entry.ending, entry.exit_code, entry.fits], ["exited", 0, fits]);
  }
});

Deno.test("climax call --dry-run prints the invocation, and runs nothing", async () => {
  await using dir = await scratch();
  const file = join(dir.path, "pid");
  const args = ["call", "probe_timeout", `file=${file}`, "--dry-run", "--json", ...config];
  const { stdout } = await ends(climax(args, { cwd: dir.path }), { code: 0, stderr: "" });
  const seen = JSON.parse(stdout);
  assert.deepEqual(seen.argv.slice(-3), ["hold", file, "60000"]);
  assert.equal(seen.argv[0], Deno.execPath());
  assert.equal(seen.cwd, dir.path);
  assert.ok(seen.env.includes("PROBE_ENV"));
  assert.equal(seen.timeout, 1);
  assert.doesNotMatch(stdout, /from the config/);
  await assert.rejects(Deno.stat(file), Deno.errors.NotFound);
});

Deno.test("climax call --dry-run tells how much input there is, and not which", async () => {
  const args = ["call", "probe_stdin", "text=sécret", "--dry-run", "--json", ...config];
  const { stdout } = await climax(args);
  assert.equal(JSON.parse(stdout).stdin_bytes, 7);
  assert.doesNotMatch(stdout, /cret/);
});

for (
  const [words, line] of [
    [["git", "log", "--max-count", "3"], "git log --no-textconv --max-count=3"],
    [["git_log", "--oneline", "false", "max_count=2"], "git log --no-textconv --max-count=2"],
    [["git_log", "oneline", "max_count=1"], "git log --no-textconv --max-count=1 --oneline"],
    [["git_log", '{"max_count": 4}'], "git log --no-textconv --max-count=4"],
    [["git", "--", "git", "log", "--max_count", "3"], "git log --no-textconv --max-count=3"],
    [["git-branch-list"], "git branch --list"],
  ] as [string[], string][]
) {
  Deno.test(`climax call ${words.join(" ")} is ${line}`, async () => {
    const { stdout } = await ends(climax(["call", "--dry-run", ...words]), { code: 0, stderr: "" });
    assert.ok(stdout.startsWith(`$ ${line}`), stdout);
  });
}

for (
  const [words, said] of [
    [["git", "lgo"], "Unknown tool: git lgo\n  hint: Did you mean: git_log\n"],
    [["git_log", "--max_count"], "--max_count needs a value\n"],
    [["git_log", "-n", "3"], "Expected name=value, found '-n'\n  hint: "],
    [["git_log", "bare"], "found 'bare'\n  hint: Configs come before --, such as: "],
  ] as [string[], string][]
) {
  Deno.test(`climax call ${words.join(" ")} is wrong usage, and runs nothing`, async () => {
    const { stderr } = await ends(climax(["call", ...words]), { code: 2, stdout: "" });
    assert.ok(stderr.includes(said), stderr);
  });
}

Deno.test("climax call --json prints a whole result", async () => {
  const { stdout } = await ends(climax(["call", "git_log", "max_count=1", "--json"]), { code: 0 });
  const { content: [{ type, text }], isError } = JSON.parse(stdout);
  assert.deepEqual([type, isError], ["text", false]);
  assert.match(text, /^commit /);
});

Deno.test("climax help TOOL and call TOOL --help explain one tool", async () => {
  const { stdout } = await ends(climax(["help", "git", "log"]), {
    code: 0,
    stderr: "",
    stdout: [
      /^git_log \(git, read\)\nShow the commit history/,
      /^\[max_count\] +integer = 20 +Number of commits at most$/m,
      /\nExample: climax call git_log \S+\nRule: no policy: it runs without a question\n$/,
    ],
  });
  for (
    const line of [["help", "git_log"], ["call", "git_log", "--help"], ["call", "git", "-h", "log"]]
  ) {
    assert.equal((await climax(line)).stdout, stdout);
  }
  const policy = ["--policy", "git-readonly"];
  const read = await ends(climax(["call", "git_log", ...policy, "--help"]), { stdout: /^Rule: /m });
  assert.doesNotMatch(read.stdout, /no policy/);
  const why = /'git_push' is withheld by the policy 'git-readonly': its effect is destructive, /;
  await ends(climax(["call", "git_push", ...policy, "--help"]), { code: 2, stderr: why });
  await ends(climax(["call", "git_push", ...policy]), {
    code: 1,
    stdout: why,
  });
});

Deno.test("climax call of what writes asks at the terminal, and says without one how it runs", async () => {
  await using dir = await scratch();
  const env = { TERM: "dumb", CLIMAX_STATE_DIR: join(dir.path, "state") };
  const settings = { cwd: dir.path, env };
  const isThere = () => Deno.stat(join(dir.path, "new")).then(() => true, () => false);
  const init = ["call", "git_init", "path=new"];
  await ends(climax(init, settings), {
    code: 1,
    stdout: /^Call not run yet: .*\n.*climax approve \w+/,
    stderr: /^(?!.*--policy open)/s,
  });
  for (const [typed, isMade] of [["n\n", false], ["y\n", true]] as const) {
    const seen = await climaxOnTerminal(init, { ...settings, stdin: typed });
    assert.match(seen, /An agent wants to call git_init \(write\)[^]*\[y\/N\]/);
    assert.equal(await isThere(), isMade, seen);
  }
  await ends(climax(["call", "git_init", "path=other", "--policy", "open"], settings), { code: 0 });
});

Deno.test("climax call --dry-run refuses what a call refuses: exit code 1", async () => {
  const { code, stdout } = await climax(["call", "probe_required", "--dry-run", ...config]);
  const text = "Argument validation failed:\n  - Missing required argument 'message'\n\n" +
    "Takes: probe_required(message)\n";
  assert.deepEqual([code, stdout], [1, text]);
});
