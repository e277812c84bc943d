/** A project's own code through the bundled configs: real projects are built and tested, and none gets out. */

import assert from "node:assert/strict";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { programs } from "../../_requirements.ts";
import { place, sandboxed } from "../../_sandbox.ts";
import { climax } from "../../cli/commands/_climax.ts";

interface Project {
  readonly program: string;
  readonly version: readonly string[];
  readonly files: Readonly<Record<string, string>>;
  /** Tool, arguments as typed, exit code, and what the answer has. */
  readonly calls:
    readonly (readonly [tool: string, args: readonly string[], code: 0 | 1, RegExp])[];
}

const evil = "id > ../beside; id > .git/config; id > .mcp.json; cat ../.ssh/id; cat ../.npmrc; " +
  "curl -m 2 http://127.0.0.1:PORT/; env; kill -9 PARENT; true";

const projects: readonly Project[] = [
  {
    program: "npm",
    version: ["--version"],
    files: {
      "package.json": JSON.stringify({
        name: "x",
        scripts: { test: "node --test", args: "node -p 'process.argv.slice(1).join()' --", evil },
      }),
      "a.test.js":
        "const t = require('node:test'); t('a', () => {}); t('b', () => { throw Error('no') });",
    },
    calls: [
      ["npm_test", [], 1, /not ok 2 - b/],
      ["npm_run", ["script=args", 'args=["--grep", "a b"]'], 0, /^--grep,a b$/m],
      ["npm_run", ["script=missing"], 1, /Missing script/],
      ["npm_run", ["script=evil"], 0, /Read-only file system/],
    ],
  },
  {
    program: "deno",
    version: ["--version"],
    files: {
      "deno.json": JSON.stringify({ tasks: { hi: "echo hi", evil: `sh -c '${evil}'` } }),
      "a_test.ts": "Deno.test('a', () => {}); Deno.test('b', () => { throw Error('no') });",
    },
    calls: [
      ["deno_test", ["filter=b"], 1, /b => .*a_test\.ts/],
      ["deno_task", ["task=hi", 'args=["--watch=false", "x y"]'], 0, /^hi --watch=false x y$/m],
      ["deno_task", ["task=evil"], 0, /Read-only file system/],
    ],
  },
  {
    program: "python3",
    version: ["-m", "unittest", "-h"],
    files: {
      "test_a.py": "import unittest\nclass T(unittest.TestCase):\n" +
        "  def test_a(self): pass\n  def test_b(self): self.fail('no')\n",
    },
    calls: [
      ["python_unittest", ["verbose=true"], 1, /FAIL: test_b/],
      ["python_unittest", ["test=test_a.T.test_a"], 0, /Ran 1 test/],
    ],
  },
  {
    program: "make",
    version: ["--version"],
    files: { Makefile: `all:\n\t@echo made $(X)\nevil:\n\t@${evil}\n` },
    calls: [
      ["make_run", ['variables=["X=3 4"]'], 0, /^made 3 4$/m],
      ["make_run", ["target=--eval=x"], 1, /target/],
      ["make_run", ["target=nothing"], 1, /No rule to make target/],
      ["make_run", ["target=evil"], 0, /Read-only file system/],
    ],
  },
  {
    program: "just",
    version: ["--version"],
    files: { justfile: `hi a:\n  @echo hi {{a}}\nevil:\n  @${evil}\n` },
    calls: [
      ["just_list", [], 0, /hi a/],
      ["just_run", ["recipe=hi", "args=--dry-run"], 0, /^hi --dry-run$/m],
      ["just_run", ["recipe=evil"], 0, /Read-only file system/],
    ],
  },
  {
    program: "cargo",
    version: ["fmt", "--version"],
    files: {
      "Cargo.toml": '[package]\nname = "x"\nversion = "0.1.0"\nedition = "2021"\n',
      "src/lib.rs": "#[test]\nfn a() {}\n#[test]\nfn b() { panic!() }\n",
    },
    calls: [
      ["cargo_test", ["filter=a", "args=--exact"], 0, /1 passed/],
      ["cargo_test", [], 1, /b .*FAILED|failures:/],
      ["cargo_build", [], 0, /no output/],
      ["cargo_fmt", ["check=true"], 0, /Diff in[^]*not formatted/],
    ],
  },
  {
    program: "go",
    version: ["version"],
    files: {
      "go.mod": "module x\n\ngo 1.22\n",
      "a.go": "package x\n",
      "b/b.go": "package b\n\nvar x int = true\n",
    },
    // Without a cache of builds, a test compiles the standard library first
    calls: [["go_build", ["packages=."], 0, /no output/], ["go_build", [], 1, /cannot use true/]],
  },
];

for (const { program, version, files, calls } of projects) {
  const { ignore } = await programs({ [program]: version });
  Deno.test({
    name: `code of a ${program} project runs, and changes nothing outside of it`,
    ignore: ignore || sandboxed.ignore,
    async fn() {
      await using home = await place();
      const cwd = join(home.path, "work");
      const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
      try {
        await Deno.mkdir(join(cwd, ".git"), { recursive: true });
        await Deno.mkdir(join(home.path, ".ssh"));
        await Deno.writeTextFile(join(home.path, ".ssh/id"), "PRIVATE-KEY\n");
        await Deno.writeTextFile(join(home.path, ".npmrc"), "TOKEN-OF-NPM\n");
        for (const [name, text] of Object.entries(files)) {
          const path = join(cwd, name);
          await Deno.mkdir(dirname(path), { recursive: true });
          const { port } = listener.addr as Deno.NetAddr;
          const filled = text.replaceAll("PORT", `${port}`).replaceAll("PARENT", `${Deno.pid}`);
          await Deno.writeTextFile(path, filled);
        }
        const rustup = Deno.env.get("RUSTUP_HOME") ?? join(homedir(), ".rustup");
        const env = { HOME: home.path, RUSTUP_HOME: rustup, SECRET_TOKEN: "TOKEN-OF-ENV" };
        const [free] = calls;
        const open = ["call", "--policy", "open"];
        const refused = await climax([...open, free![0], ...free![1]], { cwd, env });
        assert.match(refused.stdout, /withheld: it runs the project's own code/);
        for (const [tool, args, code, has] of calls) {
          const done = await climax([...open, "--sandbox", tool, ...args], { cwd, env });
          assert.match(done.stdout, has, `${tool} ${args}: ${done.stderr}`);
          assert.equal(done.code, code, `${tool} ${args}: ${done.stdout}`);
          assert.doesNotMatch(done.stdout, /PRIVATE-KEY|TOKEN-OF/);
        }
        const names = (path: string) => Array.from(Deno.readDirSync(path), ({ name }) => name);
        assert.deepEqual(names(join(cwd, ".git")), []);
        assert.ok(!names(home.path).includes("beside"));
        assert.ok(!names(cwd).includes(".mcp.json"));
      } finally {
        listener.close();
      }
    },
  });
}
