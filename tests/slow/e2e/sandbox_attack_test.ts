/**
 * A hostile program in the sandbox of a policy that says no more than `type: sandbox`: it writes, reads, reaches and
 * leaves nothing outside. The moves that do no harm are made without the sandbox too, where they get through.
 */

import assert from "node:assert/strict";
import { join } from "node:path";
import { holdInPlace } from "../../../src/process/protected_paths.ts";
import { run } from "../../../src/exec/run.ts";
import { climax, ends, type Ran } from "../../cli/commands/_climax.ts";
import { processTools, programs, testsUnless } from "../../_requirements.ts";
import { place, sandboxed } from "../../_sandbox.ts";
import { deadlineMs, until } from "../../_wait.ts";
import { runningWith } from "../../e2e/_processes.ts";
import { helper, leaving, moves, prelude } from "./_sandbox_moves.ts";
import { git } from "../../e2e/_git_agent.ts";
import { exists, writeFiles } from "../../e2e/_scratch.ts";

const python = "/usr/bin/python3";
const hasPython = await programs({ [python]: ["--version"], git: ["--version"] });
const needed = testsUnless([sandboxed, hasPython, processTools].some(({ ignore }) => ignore));

const config = JSON.stringify({
  name: "hostile",
  command: python,
  tools: [{
    name: "hostile_run",
    argv: ["-c", "{code}"],
    args: [{ name: "code", required: true, text: "any" }, { name: "in", cwd: true }],
  }],
});

/** A home with keys, a repository in it, and what listens outside. */
async function ground(path: string, marker: string) {
  const [home, work] = [join(path, "home"), join(path, "home", "work")];
  const files: Readonly<Record<string, string>> = {
    ".ssh/id": "KEY",
    ".aws/credentials": "KEY",
    ".config/tool/token": "KEY",
    ".netrc": "KEY",
    ".npmrc": "KEY",
    ".docker/config.json": "KEY",
    ".docker/run/x": "",
    ".bashrc": "",
    keep: "kept",
    "work/secrets/key": "KEY",
    "work/deep/secrets/key": "KEY",
    "work/linked/x": "",
    "work/.climax/own.yaml": "",
    "work/.git/hooks/x": "",
    "work/below/.git/hooks/x": "",
    "work/sub/x": "",
    "work/empty/x": "",
    "work/fresh/x": "",
    "work/config.yaml": config,
    "work/policy.yaml":
      "executor: { type: sandbox, hide: [secrets, deep/secrets] }\ndefault: enabled\n",
  };
  await writeFiles(home, files);
  for (const folder of [work, join(work, "sub")]) await git(folder, "init", "--quiet");
  for (const name of ["sub", "empty"]) {
    const entry = `160000,${"1".repeat(40)},${name}`;
    await git(work, "update-index", "--add", "--cacheinfo", entry);
  }
  await Deno.symlink(join(home, ".ssh"), join(work, "linked", ".vscode"));
  const child = new Deno.Command(python, {
    args: ["-c", helper, home, marker],
    env: { SECRET: marker },
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  const { value = "" } = await reader.read();
  const agent = join(home, "agent.sock");
  const known = {
    ...JSON.parse(value),
    home,
    marker,
    abstract: marker,
    server: child.pid,
    docker: join(home, ".docker", "run", "docker.sock"),
    agent,
  };
  const begin = `import json\nprint("begun", flush=True)\nA = json.loads(${
    JSON.stringify(JSON.stringify(known))
  })\n${prelude}`;
  const env = { HOME: home, SSH_AUTH_SOCK: agent, SECRET: "x" };
  const attack = (code: string, words: readonly string[], directory = "."): Promise<Ran> => {
    const args = ["call", "hostile_run", "--config", "config.yaml", ...words];
    return climax([...args, "--args", JSON.stringify({ code: begin + code, in: directory })], {
      cwd: work,
      env,
    });
  };
  return {
    home,
    begin,
    env,
    attack,
    async [Symbol.asyncDispose]() {
      await reader.cancel();
      await child.stdin.close();
      await child.status;
    },
  };
}

const inside = ["--policy", "policy.yaml"];

needed.test("no move of a hostile program gets out of a sandbox", async (context) => {
  await using dir = await place();
  await using outside = await ground(dir.path, `climax-${crypto.randomUUID()}`);
  assert.equal(moves.length >= 40, true);
  for (const { name, code, isHarmless, directory, leaves } of moves) {
    await context.step(`it ${name}`, async () => {
      const { stdout } = await ends(outside.attack(code, inside, directory), { stdout: /begun/ });
      assert.doesNotMatch(stdout, /WON|KEY/);
      assert.doesNotMatch(stdout, /SyntaxError|NameError|AttributeError|not started|bwrap:/);
      if (leaves !== undefined) {
        assert.equal(await exists(join(outside.home, "work", leaves)), false);
      }
      // After the sandbox, since some leave files behind
      if (!isHarmless) return;
      await ends(outside.attack(code, [], directory), { stdout: /WON/ });
    });
  }
  assert.equal(await Deno.readTextFile(join(outside.home, "keep")), "kept");
});

needed.test("no move of a hostile program gets out of the tests of a project", async () => {
  await using dir = await place();
  await using outside = await ground(dir.path, `climax-${crypto.randomUUID()}`);
  const work = join(outside.home, "work");
  for (const [directory, made] of Map.groupBy(moves, ({ directory = "." }) => directory)) {
    const codes = made.map(({ name, code }) => [name, outside.begin + code]);
    await writeFiles(join(work, directory), {
      "package.json": JSON.stringify({ scripts: { test: "node moves.js" } }),
      "moves.js": `for (const [name, code] of ${JSON.stringify(codes)}) {
        const { stdout, stderr } = require("node:child_process")
          .spawnSync(${JSON.stringify(python)}, ["-c", code], { encoding: "utf8", timeout: 60000 });
        console.log("MOVE", name, stdout, stderr.slice(0, 300));
      }`,
    });
    const words = [
      "call",
      "npm_test",
      `directory=${directory}`,
      "--max-output",
      "1000000",
    ];
    const { stdout } = await climax([...words, ...inside], { cwd: work, env: outside.env });
    const seen = stdout.split("MOVE ").slice(1);
    assert.equal(seen.length, made.length, stdout);
    for (const text of seen) {
      assert.match(text, /begun/);
      assert.doesNotMatch(text, /WON|KEY|SyntaxError|NameError|AttributeError/);
    }
    for (const { leaves } of made) {
      if (leaves !== undefined) assert.equal(await exists(join(work, leaves)), false, leaves);
    }
  }
  assert.equal(await Deno.readTextFile(join(outside.home, "keep")), "kept");
});

/** The number of processes of this machine that are called `marker`. */
function running(marker: string): number {
  return runningWith(marker).filter((line) => line.split(/\s+/)[1] === marker).length;
}

needed.test("what leaves its call ends with it, also in numbers", async () => {
  await using dir = await place();
  const marker = `climax-${crypto.randomUUID()}`;
  await using outside = await ground(dir.path, marker);
  await ends(outside.attack(`${leaving(1000)}\nprint("left")`, inside), { stdout: /left/ });
  await until(() => running(marker) === 0, "the end of what left");
});

/** Puts a link in the place of a folder and back, as fast as it can. */
const swapping = `
import ctypes
libc = ctypes.CDLL(None)
print("begun", flush=True)
while True: libc.renameat2(-100, b"out", -100, b"link", 2)
`;

needed.test("a link that is swapped while the sandbox of another tool is made leads nowhere", async () => {
  await using dir = await place();
  const [work, home] = [join(dir.path, "work"), join(dir.path, "home")];
  for (const folder of [join(work, "out"), home]) await Deno.mkdir(folder, { recursive: true });
  // A link from '/' leads nowhere while mounts are made
  await Deno.symlink("../home", join(work, "link"));
  const all = { write: [work], read: ["/"], hide: [], network: "none" } as const;
  const one = { ...all, write: [join(work, "out")] };
  holdInPlace(one);
  const { promise: begun, resolve } = Promise.withResolvers<void>();
  const end = new AbortController();
  const swap = run({
    argv: [python, "-c", swapping],
    cwd: work,
    env: {},
    timeoutMs: deadlineMs(),
    sandbox: all,
  }, { signal: end.signal, onOutput: () => resolve() });
  await begun;
  for (let count = 0; count < 100; count++) {
    const argv = ["/bin/sh", "-c", `touch ${join(home, "new")}`] as const;
    await run({ argv, cwd: "/", env: {}, timeoutMs: deadlineMs(), sandbox: one });
  }
  end.abort();
  await swap;
  assert.equal(await exists(join(home, "new")), false);
});
