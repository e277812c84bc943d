/**
 * Sealed servers: what they are made of, what holds them, and that nothing they are started with
 * widens it. The portable form of one is run with a small program in the place of a real CLI.
 */

import assert from "node:assert/strict";
import { processTools } from "../_requirements.ts";
import { moduleCodeOf } from "../../src/pack/script.ts";
import { createHash } from "node:crypto";
import { join } from "node:path";
import manifest from "../../deno.json" with { type: "json" };
import { type Scratch, scratch } from "./_scratch.ts";
import { buildPortable } from "../build/_build.ts";
import { climax, climaxOfSources, environment, isBinary } from "./_server.ts";
import { RawServer } from "./_raw.ts";
import { ends } from "../cli/commands/_climax.ts";
import { type Ran, runToEnd, spawn } from "../_run.ts";

const { ignore } = processTools;

const config = `name: fake
description: A program for tests
command: fakecli
category: testing
tools:
  - name: fake_say
    description: Print words
    command: say
    args:
      - { name: words, description: What to print, type: string, positional: true }
  - name: fake_sum
    description: Count words
    command: sum
  - name: fake_forbidden
    description: Not in the policy
    command: say
`;

const policy = `tools:
  fake_say:
    args:
      words: { pattern: "[a-z ]*" }
  fake_sum: {}
  script_run: {}
`;

const fakeCli = `#!/bin/sh
case $1 in
  say) shift; echo "said $*" ;;
  sum) echo 0 ;;
esac
`;

/** Tries what a sealed server must not do, under whatever flags it is started with. */
const probe = `
const attempts = {
  program: () => new Deno.Command("sh", { args: ["-c", "true"] }).outputSync(),
  programByPath: () => new Deno.Command("/bin/ls").outputSync(),
  read: () => Deno.readTextFileSync("/etc/hosts"),
  readBeside: () => Deno.readTextFileSync("a.yaml"),
  write: () => Deno.writeTextFileSync("written", ""),
  listen: () => Deno.listen({ port: 0 }),
  connect: () => Deno.connect({ hostname: "127.0.0.1", port: 9 }),
  fetch: () => fetch("http://127.0.0.1:8123/"),
  remote: () => import(["https://jsr.io", "x.ts"].join("/")),
  ffi: () => Deno.dlopen("/lib/libc.so.6", {}),
  variable: () => Deno.env.get("MAIL"),
  everyVariable: () => Deno.env.toObject(),
  system: () => Deno.hostname(),
};
const done = {};
for (const [name, attempt] of Object.entries(attempts)) {
  try {
    await attempt();
    done[name] = "done";
  } catch (error) {
    done[name] = error.name + ": " + error.message.split("\\n")[0];
  }
}
new Deno.Command("fakecli", { args: ["say", "it runs"] }).outputSync();
console.log(JSON.stringify(done));
`;

let dir: Scratch;
/** On PATH. */
let tools: Scratch;
let sealed: string;
let printed: string;
if (!ignore) {
  Deno.test.beforeAll(async () => {
    dir = await scratch();
    tools = await scratch();
    await Deno.writeTextFile(join(dir.path, "a.yaml"), config);
    await Deno.writeTextFile(join(dir.path, "policy.yaml"), policy);
    await Deno.writeTextFile(join(tools.path, "fakecli"), fakeCli, { mode: 0o755 });
    // The one of npx is not counted as on PATH
    await Deno.symlink(Deno.execPath(), join(tools.path, "deno"));
    sealed = join(dir.path, "sealed.mjs");
    const made = await compile("a.yaml", "--policy", "policy.yaml", "-o", sealed);
    assert.deepEqual([made.code, made.stderr], [0, ""]);
    printed = made.stdout;
  });
  Deno.test.afterAll(async () => {
    await dir[Symbol.asyncDispose]();
    await tools[Symbol.asyncDispose]();
  });
}

/** Runs a program in the scratch directory, where `fakecli` is on PATH, to its end. */
async function run(words: readonly string[], env: Record<string, string> = {}): Promise<Ran> {
  return await runToEnd(words, { cwd: dir.path, env: sealedEnvironment(env) });
}

function sealedEnvironment(env: Record<string, string> = {}): Record<string, string> {
  const path = `${tools.path}:${Deno.env.get("PATH")}`;
  return { ...environment(), PATH: path, ...env };
}

function compile(...args: string[]): Promise<Ran> {
  return run(climax("compile", "--portable", ...args));
}

function start(path: string, env: Record<string, string> = {}, args: string[] = []): RawServer {
  return new RawServer(spawn([path, ...args], { cwd: dir.path, env: sealedEnvironment(env) }));
}

/** Deno's flags in the beginning of a script. */
async function flagsOf(path: string): Promise<string[]> {
  const [, line] = (await Deno.readTextFile(path)).split("\n");
  const words = /; exec deno run (.*) "\$0" "\$@"$/.exec(line!)?.[1];
  assert.ok(words !== undefined, line);
  return words.split(" ");
}

function call(tool_name: string, args: object): [string, object] {
  return ["climax_call", { tool_name, args }];
}

processTools.test("climax compile --portable prints the permissions, and those of the script are they", async () => {
  const args = ["permissions", "a.yaml", "--policy", "policy.yaml", "--json"];
  const { flags } = JSON.parse((await run(climax(...args))).stdout) as { flags: string[] };
  const inside = (await flagsOf(sealed)).filter((flag) => flag.startsWith("--allow"));
  assert.equal(printed, `${sealed}: ${inside.join(" ")}\n`);
  // Both files are inside, so there is nothing left to read
  assert.deepEqual(inside, flags.filter((flag) => !flag.startsWith("--allow-read=")));
  assert.equal(inside.includes("--allow-run=fakecli,kill,ps"), true);
  assert.equal((await Deno.stat(sealed)).mode! & 0o777, 0o755);
});

processTools.test("a sealed server runs a script, under its policy", async () => {
  await using server = await start(sealed).ready();
  const code = `const said = await call("fake_say", {words: "good day"});
    const denied = await call("fake_forbidden").catch(({message}) => message);
    return [said.text.trim(), denied]`;
  const { text } = await server.call(...call("script_run", { code }));
  assert.deepEqual(JSON.parse(text), ["said good day", "Unknown tool: fake_forbidden"]);
});

processTools.test("a sealed server has the scripts that were accepted, and reads no others", async () => {
  const scripts = join(dir.path, ".climax", "scripts");
  const settings = join(dir.path, "settings");
  const twice = `/* climax script
description: Says it twice
effect: write
args: [{ name: words, required: true }]
*/
const say = () => call("fake_say", { words: input.words });
return [await say(), await say()].map(({ text }) => text.trim());
`;
  const kept = join(dir.path, "kept.mjs");
  await Deno.mkdir(scripts, { recursive: true });
  try {
    await Deno.writeTextFile(join(scripts, "fake_twice.js"), twice);
    await Deno.writeTextFile(join(scripts, "fake_other.js"), twice);
    const env = { XDG_CONFIG_HOME: settings };
    await ends(run(climax("script", "accept", "--yes", "fake_twice"), env), { code: 0 });
    const made = await run(
      climax("compile", "--portable", "a.yaml", "--policy", "open", "-o", kept),
      env,
    );
    assert.equal(made.code, 0);
    assert.match(made.stderr, /The script 'fake_other' is not served: it is new or has changed/);
    // What is written there later is not looked at, accepted or not
    await Deno.writeTextFile(join(scripts, "fake_twice.js"), `${twice}// changed`);
    await run(climax("script", "accept", "--yes", "fake_other"), env);
    const described = JSON.parse((await run([kept, "--describe"], env)).stdout);
    assert.deepEqual(described.tools, ["fake_say", "fake_sum", "fake_forbidden", "fake_twice"]);
    assert.equal(described.scripts[0].sha256, createHash("sha256").update(twice).digest("hex"));
    await using server = await start(kept, env).ready();
    const { text } = await server.call(...call("fake_twice", { words: "a" }));
    assert.equal(text, '["said a","said a"]');
    assert.match((await server.call(...call("fake_other", { words: "a" }))).text, /^Unknown tool/);
  } finally {
    await Deno.remove(join(dir.path, ".climax"), { recursive: true });
  }
});

processTools.test("a sealed server runs its program, under its policy", async () => {
  await using server = await start(sealed).ready();
  const said = await server.call(...call("fake_say", { words: "good day" }));
  assert.deepEqual(said, { text: "said good day", isError: false });
  const refused = await server.call(...call("fake_say", { words: "GOOD DAY" }));
  assert.match(refused.text, /^Policy validation failed:/);
  const removed = await server.call(...call("fake_forbidden", {}));
  assert.match(removed.text, /^Unknown tool: fake_forbidden/);
  await server.closeInput();
  const { code, stderr } = await server.ended();
  assert.equal(code, 0);
  assert.match(stderr, /^\S+ warning: fake_say: refused: .*\n\S+ warning: fake_forbidden: .*\n$/);
});

processTools.test("under the flags of a sealed server, nothing but its program can be run", async () => {
  const path = join(dir.path, "probe.mjs");
  await Deno.writeTextFile(path, probe);
  const ran = await run([Deno.execPath(), "run", ...await flagsOf(sealed), path]);
  assert.equal(ran.code, 0, ran.stderr);
  const done: Record<string, string> = JSON.parse(ran.stdout);
  assert.equal(Object.keys(done).length, 13);
  for (const [name, outcome] of Object.entries(done)) {
    const expected = name === "remote" ? /--no-remote is specified/ : /^NotCapable: Requires/;
    assert.match(outcome, expected, `${name}: ${outcome}`);
  }
});

processTools.test("a sealed server whose config was changed still runs nothing else", async () => {
  const forged = join(dir.path, "forged.mjs");
  const text = await Deno.readTextFile(sealed);
  await Deno.writeTextFile(forged, text.replace("command: fakecli", "command: /bin/sh"), {
    mode: 0o755,
  });
  await using server = await start(forged).ready();
  const done = await server.call(...call("fake_say", { words: "x" }));
  assert.equal(done.isError, true);
  assert.match(done.text, /^Permission denied: this server may not run '\/bin\/sh'/);
});

/** What might be thought to widen a sealed server. */
const wideners: readonly string[][] = [
  ["git"],
  ["run", "git"],
  ["--policy", "wide.yaml"],
  ["--classic"],
  ["--allow-all"],
  ["-A"],
  ["--allow-run"],
  ["--audit", "audit.jsonl"],
  ["--config", "a.yaml"],
  ["call", "fake_forbidden"],
  ["compile", "git", "-o", "out"],
  ["--describe", "git"],
  ["--", "git"],
  [""],
];

processTools.test("no argument widens a sealed server: exit code 2", async () => {
  await Promise.all(wideners.map(async (args) => {
    const ran = await ends(run([sealed, ...args]), { code: 2 });
    // The word that is too much, and not what belongs to it
    const word = args[0] === "--describe" ? args[1] : args[0];
    assert.ok(ran.stderr.startsWith(`error: A sealed server takes no '${word}'\n`), ran.stderr);
    assert.equal(ran.stdout, "");
  }));
  for (const name of ["out", "audit.jsonl"]) await assert.rejects(Deno.stat(join(dir.path, name)));
});

processTools.test("no environment variable widens a sealed server", async () => {
  const deno = { compilerOptions: {}, imports: { commander: "./evil.mjs" } };
  await Deno.writeTextFile(join(dir.path, "deno.json"), JSON.stringify(deno));
  await using server = await start(sealed, {
    CLIMAX_POLICY: "wide.yaml",
    CLIMAX_UNDER_TEST: "x",
    DENO_PERMISSIONS: "--allow-all",
    DENO_FLAGS: "-A",
    DENO_V8_FLAGS: "--expose-gc",
    DENO_CONFIG: join(dir.path, "deno.json"),
    DENO_NO_PROMPT: "0",
    NODE_OPTIONS: "--allow-child-process",
    INIT_CWD: "/",
  }).ready();
  const removed = await server.call(...call("fake_forbidden", {}));
  assert.match(removed.text, /^Unknown tool: fake_forbidden/);
  assert.equal((await server.call(...call("fake_say", { words: "GOOD DAY" }))).isError, true);
});

for (const name of ["CLIMAX_LOG_FILE", "CLIMAX_AUDIT_FILE"]) {
  processTools.test(`a sealed server may write no file, so ${name} stops it`, async () => {
    const path = join(dir.path, `${name}.txt`);
    const ran = await ends(run([sealed], { [name]: path }), { code: 3 });
    assert.equal(ran.stderr.includes(name) || ran.stderr.includes(path), true, ran.stderr);
    assert.equal(ran.stdout, "");
    await assert.rejects(Deno.stat(path), Deno.errors.NotFound);
  });
}

processTools.test("--describe says what is inside", async () => {
  const { stdout } = await ends(run([sealed, "--describe"]), { code: 0 });
  const hash = (text: string) => createHash("sha256").update(text).digest("hex");
  assert.deepEqual(JSON.parse(stdout), {
    version: manifest.version,
    built: "portable",
    mode: "discovery",
    tools: ["fake_say", "fake_sum", "script_run"],
    sandbox: false,
    audit: null,
    permissions: (await flagsOf(sealed)).filter((flag) => flag.startsWith("--allow")),
    configs: [{ file: "a.yaml", sha256: hash(config) }],
    scripts: [],
    policy: { file: "policy.yaml", sha256: hash(policy), text: policy },
  });
  assert.equal((await run([sealed, "--version"])).stdout, `${manifest.version}\n`);
  assert.match((await run([sealed, "--help"])).stdout, /--describe/);
});

processTools.test("what becomes of the files afterwards changes nothing", async () => {
  await using elsewhere = await scratch();
  for (const name of ["a.yaml", "policy.yaml"]) {
    await Deno.copyFile(join(dir.path, name), join(elsewhere.path, name));
  }
  const files = ["a.yaml", "policy.yaml"].map((name) => join(elsewhere.path, name));
  const output = join(elsewhere.path, "server.mjs");
  await ends(compile(files[0]!, "--policy", files[1]!, "--classic", "-o", output), { code: 0 });
  const before = await run([output, "--describe"]);
  await Deno.writeTextFile(files[0]!, "not: [a config");
  await Deno.remove(files[1]!);
  assert.deepEqual(await run([output, "--describe"]), before);
  await using server = await start(output).ready();
  // Sealed as classic, it shows the tools themselves
  const { result } = await server.request("tools/list");
  assert.deepEqual(
    result.tools.map(({ name }: { name: string }) => name),
    ["fake_say", "fake_sum", "script_run"],
  );
  assert.equal((await server.call("fake_say", { words: "still here" })).text, "said still here");
});

processTools.test("a sealed server under 'within' reads its directories and no others", async () => {
  await Deno.mkdir(join(dir.path, "inside"), { recursive: true });
  const text = `tools:\n  fake_say:\n    args:\n      words: { within: ./inside }\n`;
  await Deno.writeTextFile(join(dir.path, "within.yaml"), text);
  const output = join(dir.path, "within.mjs");
  const made = await compile("a.yaml", "--policy", "within.yaml", "-o", output);
  assert.equal(made.code, 0, made.stderr);
  assert.match(made.stdout, /--allow-read=/);
  await using server = await start(output).ready();
  const inside = await server.call(...call("fake_say", { words: "inside/x" }));
  assert.deepEqual(inside, { text: "said inside/x", isError: false });
  for (const words of ["../etc/passwd", "/etc/passwd", "inside/../a.yaml"]) {
    const outside = await server.call(...call("fake_say", { words }));
    assert.equal(outside.isError, true);
    assert.match(outside.text, /lies? outside/);
  }
});

/** Command lines that build nothing, and what is said. */
const broken: readonly [what: string, args: string[], said: RegExp][] = [
  ["a broken config", ["broken.yaml"], /broken\.yaml:\d+:\d+: /],
  ["a limit that holds nothing", ["a.yaml", "--policy", "typo.yaml"], /typo\.yaml:\d+:\d+: /],
];

for (const [what, args, said] of broken) {
  processTools.test(`climax compile writes nothing for ${what}: exit code 3`, async () => {
    const files: [string, string][] = [
      ["broken.yaml", "tools: [x"],
      ["typo.yaml", "tools:\n  fake_say:\n    args:\n      word: { max: 1 }\n"],
    ];
    for (const [name, text] of files) await Deno.writeTextFile(join(dir.path, name), text);
    const output = join(dir.path, "nothing.mjs");
    await ends(compile(...args, "-o", output), { code: 3, stdout: "", stderr: said });
    await assert.rejects(Deno.stat(output), Deno.errors.NotFound);
  });
}

processTools.test("climax compile says when the script finds no deno on PATH, and which targets there are", async () => {
  const output = join(dir.path, "lonely.mjs");
  const words = climax("compile", "--portable", "a.yaml", "-o", output);
  // What npm puts there for a while does not count
  const fleeting = join(tools.path, "node_modules", ".bin");
  await Deno.mkdir(fleeting, { recursive: true });
  await Deno.symlink(Deno.execPath(), join(fleeting, "deno"));
  const { code, stderr } = await run(words, { PATH: `${fleeting}:/no/such/folder` });
  if (isBinary) {
    const warning = "warning: The script is started by 'deno', which is not on PATH here\n";
    return assert.deepEqual([code, stderr], [0, warning]);
  }
  const warning = stderr.split("\n").find((line) => line.startsWith("warning: "));
  assert.deepEqual([code, warning], [
    0,
    `warning: There is no 'deno' on PATH here, so the script is started by ${Deno.execPath()}`,
  ]);
  const described = await run([output, "--describe"], { PATH: "/no/such/folder" });
  assert.equal(JSON.parse(described.stdout).built, "portable", described.stderr);
  const aimed = await run(climax("compile", "a.yaml", "-o", output, "--target", "foo"));
  assert.equal(aimed.code, 2);
  assert.match(aimed.stderr, /^error: --target takes one of x86_64-unknown-linux-gnu, .*'foo'$/m);
});

processTools.test("climax compile says which output cannot be written: exit code 3", async () => {
  for (const output of [join(dir.path, "none", "x.mjs"), dir.path]) {
    const { stderr } = await ends(compile("a.yaml", "-o", output), { code: 3 });
    assert.equal(stderr.startsWith(`error: ${output}: `), true, stderr);
  }
  await ends(compile("a.yaml"), { code: 2 });
});

processTools.test("the portable form makes the same sealed server as the source", async () => {
  const portable = await buildPortable(dir.path);
  const output = join(dir.path, "again.mjs");
  const args = ["compile", "a.yaml", "--policy", "policy.yaml", "--portable", "-o"];
  await ends(run([portable, ...args, output]), { code: 0 });
  const ofSources = join(dir.path, "of-sources.mjs");
  await ends(run(climaxOfSources(...args, ofSources)), { code: 0 });
  const code = async (path: string) => moduleCodeOf(await Deno.readTextFile(path));
  for (const other of [sealed, ofSources]) {
    assert.deepEqual(await run([output, "--describe"]), await run([other, "--describe"]));
    assert.equal(await code(output) === await code(other), true);
  }
  // Neither the libraries for language models nor the tokens of `climax stats` are in it, of all that
  // is packed only the code of the two kinds of threads
  const [whole, left] = [await code(portable), await code(output)];
  assert.ok(left.length < whole.length * 0.9, `${left.length} of ${whole.length}`);
  const packed = (code: string) => code.match(/[A-Za-z0-9+/=]{100000,}/g)?.length;
  assert.equal(packed(left), 2);
  assert.ok(packed(whole)! > 2, `${packed(whole)} of the whole`);
});

processTools.test("a sealed server is started without what its launcher would have Deno load", async () => {
  const trace = join(dir.path, "loaded");
  const module = join(dir.path, "loaded.cjs");
  await Deno.writeTextFile(
    module,
    `require("node:fs").writeFileSync(${JSON.stringify(trace)}, "")`,
  );
  const coverage = join(dir.path, "coverage");
  const permissions = join(dir.path, "permissions.jsonl");
  await using server = await start(sealed, {
    NODE_OPTIONS: `--require ${module}`,
    DENO_COVERAGE_DIR: coverage,
    DENO_AUDIT_PERMISSIONS: permissions,
    DENO_PERMISSION_BROKER_PATH: join(dir.path, "no-broker"),
  }).ready();
  const said = await server.call(...call("fake_say", { words: "good day" }));
  assert.deepEqual(said, { text: "said good day", isError: false });
  await server.closeInput();
  assert.equal((await server.ended()).code, 0);
  for (const path of [trace, coverage, permissions]) {
    await assert.rejects(Deno.stat(path), Deno.errors.NotFound, path);
  }
});

processTools.test("a sealed server has the audit log it was built with", async () => {
  const output = join(dir.path, "audited.mjs");
  const made = await ends(compile("a.yaml", "--audit", "calls.jsonl", "-o", output), { code: 0 });
  const log = join(dir.path, "calls.jsonl");
  assert.equal(made.stdout.includes(`--allow-write=${log}`), true, made.stdout);
  await using server = await start(output).ready();
  await server.call(...call("fake_say", { words: "x" }));
  const [entry] = (await Deno.readTextFile(log)).trim().split("\n").map((line) => JSON.parse(line));
  assert.equal(entry.tool, "fake_say");
  await Deno.remove(log);
  const refused = await server.call(...call("fake_say", { words: "x" }));
  assert.match(refused.text, /^Call refused: audit log .* is not where it was/);
  await server.closeInput();
  assert.equal((await server.ended()).code, 0);
});
