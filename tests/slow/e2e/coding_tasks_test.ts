/** A coding agent does everyday tasks through climax alone in a sandbox, without a shell. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { repository, say, whyNot } from "../../configs/_programs.ts";
import { programs } from "../../_requirements.ts";
import { sandboxed } from "../../_sandbox.ts";
import { connect } from "../../e2e/_clients.ts";

/** A tool, its arguments, and what the answer has. */
type Step = readonly [tool: string, args: Record<string, unknown>, has: RegExp];

const conflict = /^<<<<<<< .*\nb = 2\n=======\nb = 3\n>>>>>>> .*$/m;

/** In this order, each where the one before it ended. */
const tasks: Readonly<Record<string, readonly Step[]>> = {
  "fix a failing test": [
    ["npm_test", {}, /not ok 1 - adds[^]*5 !== -1/],
    ["rg_search", { pattern: "a - b" }, /add\.js\n1:/],
    ["files_edit", { path: "src/add.js", old: "a - b", new: "a + b" }, /\+.*a \+ b/],
    ["npm_test", {}, /# pass 1\n/],
    ["git_commit", { message: "fix: add adds", all: true }, /1 file changed/],
  ],
  "rename a function across files": [
    ["rg_search", { pattern: "\\badd\\b", files_with_matches: true }, /src\/add\.js/],
    ["files_edit", { path: "src/add.js", old: "exports.add", new: "exports.sum" }, /exports\.sum/],
    ["files_edit", { path: "test/add.test.js", old: "{ add }", new: "{ sum }" }, /\{ sum \}/],
    ["files_edit", { path: "test/add.test.js", old: "add(2, 3)", new: "sum(2, 3)" }, /sum\(2/],
    ["npm_test", {}, /# pass 1\n/],
    ["git_mv", { source: "src/add.js", destination: "src/sum.js" }, /no output/],
    ["files_edit", { path: "test/add.test.js", old: "src/add", new: "src/sum" }, /src\/sum/],
    ["npm_test", {}, /# pass 1\n/],
    ["git_commit", { message: "refactor: add is sum", all: true }, /3 files changed/],
  ],
  "write a test, and see it fail first": [
    ["git_switch_create", { name: "twice" }, /Switched/],
    [
      "files_write",
      {
        path: "test/twice.test.js",
        content: "const { twice } = require('../src/twice.js');\n" +
          "require('node:test')('twice', () => require('assert').equal(twice(2), 4));\n",
      },
      /twice\.test\.js/,
    ],
    ["npm_test", {}, /Cannot find module '\.\.\/src\/twice\.js'/],
    [
      "files_write",
      { path: "src/twice.js", content: "exports.twice = (n) => 2 * n;\n" },
      /\+exports\.twice/,
    ],
    ["npm_test", {}, /# pass 2\n/],
    ["git_add", { path: ["src", "test"] }, /no output/],
    ["git_commit", { message: "feat: twice" }, /2 files changed/],
    ["git_switch", { branch: "main" }, /main/],
    ["git_merge", { revision: "twice", no_ff: true, message: "merge twice" }, /2 files/],
  ],
  "resolve a conflict": [
    ["git_switch_create", { name: "three" }, /Switched/],
    ["files_edit", { path: "values.ini", old: "b = 1", new: "b = 3" }, /\+b = 3/],
    ["git_commit", { message: "feat: three", all: true }, /1 file/],
    ["git_switch", { branch: "main" }, /main/],
    ["files_edit", { path: "values.ini", old: "b = 1", new: "b = 2" }, /\+b = 2/],
    ["git_commit", { message: "feat: two", all: true }, /1 file/],
    ["git_merge", { revision: "three" }, /CONFLICT/],
    ["files_read", { path: "values.ini" }, conflict],
    [
      "files_edit",
      {
        path: "values.ini",
        old: "<<<<<<< HEAD\nb = 2\n=======\nb = 3\n>>>>>>> three\n",
        new: "b = 5\n",
      },
      /\+b = 5/,
    ],
    ["git_add", { path: "values.ini" }, /no output/],
    ["git_merge_continue", {}, /Merge branch 'three'/],
  ],
  "release notes of a range": [
    ["git_tag_list", {}, /^v1$/],
    [
      "git_log",
      { revision: "v1..HEAD", no_merges: true, reverse: true, format: "- %s" },
      /^- fix: add adds\n- refactor: add is sum\n- feat: twice\n(?:- feat: (?:two|three)\n?){2}$/,
    ],
    [
      "files_write",
      { path: "CHANGELOG.md", content: "# 2\n\n- fix: add adds\n- feat: twice\n" },
      /\+# 2/,
    ],
    ["git_add", { path: "CHANGELOG.md" }, /no output/],
    ["git_commit", { message: "docs: release notes" }, /1 file/],
    ["git_tag_create", { name: "v2" }, /no output/],
  ],
  "find the commit that broke a test": [
    ["files_edit", { path: "src/twice.js", old: "2 * n", new: "n * n" }, /n \* n/],
    ["git_commit", { message: "perf: faster", all: true }, /1 file/],
    ["files_edit", { path: "src/twice.js", old: "n * n", new: "n ** 3" }, /n \*\* 3/],
    ["git_commit", { message: "perf: much faster", all: true }, /1 file/],
    ["files_edit", { path: "values.ini", old: "a = 1", new: "a = 2" }, /a = 2/],
    ["git_commit", { message: "chore: a", all: true }, /1 file/],
    ["npm_test", {}, /8 == 4/],
    ["git_bisect_start", { bad: "HEAD", good: "v2" }, /Bisecting/],
    [
      "git_bisect_run",
      { command: ["npm", "--silent", "test"] },
      /is the first bad commit[^]*perf: much faster/,
    ],
    ["git_bisect_reset", {}, /main/],
    ["git_revert", { revision: "HEAD~1" }, /Revert "perf: much faster"/],
    ["npm_test", {}, /# pass 2\n/],
  ],
  "run a build, and look at what it made": [
    ["npm_run", { script: "build" }, /built/],
    ["files_read", { path: "out/built.txt" }, /^made$/],
    ["tar_list", { path: "out.tgz" }, /out\/built\.txt/],
    ["tar_extract", { path: "out.tgz", destination: "unpacked" }, /no output/],
    ["files_diff", { old: "out/built.txt", new: "unpacked/out/built.txt" }, /no output/],
  ],
  "tidy up": [
    ["git_clean", { directories: true, dry_run: true }, /Would remove out\/\n[^]*unpacked\//],
    ["git_clean", { directories: true, path: "unpacked" }, /Removing unpacked\//],
    ["files_remove", { path: ["out/built.txt", "out", "out.tgz"] }, /removed directory 'out'/],
    ["git_commit", { message: "chore: version 2", all: true }, /2 files|1 file/],
    ["git_status", { short: true }, /no output/],
  ],
};

const files: Readonly<Record<string, string>> = {
  "package.json": '{"name":"x","version":"1.0.0","scripts":{"test":"node --test test/",' +
    '"build":"mkdir -p out && echo made > out/built.txt && tar czf out.tgz out && echo built"}}\n',
  "src/add.js": "exports.add = (a, b) => a - b;\n",
  "test/add.test.js": "const { add } = require('../src/add.js');\n" +
    "require('node:test')('adds', () => require('assert').strictEqual(5, add(2, 3)));\n",
  "values.ini": "a = 1\nb = 1\nc = 1\n",
  "ci.yaml": "jobs:\n  test:\n    steps:\n      - uses: actions/checkout@v3\n",
};

const needed = await programs({
  npm: ["--version"],
  rg: ["--version"],
  jq: ["--version"],
  ss: ["-V"],
  unzip: ["-v"],
});

Deno.test("eight tasks of a coding agent are done through climax alone, in a sandbox", {
  // Debian has another program of this name
  ignore: needed.ignore || sandboxed.ignore || await whyNot("yq") !== undefined,
}, async (context) => {
  await using repo = await repository();
  for (const [name, text] of Object.entries(files)) {
    await Deno.mkdir(join(repo.path, name, ".."), { recursive: true });
    await Deno.writeTextFile(join(repo.path, name), text);
  }
  const identity = [["config", "user.name", "Ada"], ["config", "user.email", "ada@example.org"]];
  for (
    const words of [...identity, ["add", "."], ["commit", "-qm", "feat: first"], ["tag", "v1"]]
  ) {
    assert.equal((await say(["git", ...words], repo.path))?.code, 0);
  }
  const configs = ["git", "npm", "files", "files-write", "ripgrep", "jq", "yq", "archives"];
  await using client = await connect([...configs, "--sandbox"], { cwd: repo.path });
  for (const [task, steps] of Object.entries(tasks)) {
    const done = await context.step(task, async () => {
      for (const [tool_name, args, has] of steps) {
        const { text, beside = [] } = await client.call("climax_call", { tool_name, args });
        const all = [text, ...beside].join("\n");
        assert.match(all, has, `${tool_name} ${JSON.stringify(args)}: ${all}`);
      }
    });
    assert.ok(done, `${task}: the tasks after it build on it`);
  }
  assert.equal(Object.keys(tasks).length, 8);
});

Deno.test("the owner of a port is found, outside of a sandbox, in which no other process is seen", {
  // Debian has another program of this name
  ignore: needed.ignore || sandboxed.ignore,
}, async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  try {
    const { port } = listener.addr as Deno.NetAddr;
    for (const isSandboxed of [false, true]) {
      await using client = await connect(isSandboxed ? ["processes", "--sandbox"] : ["processes"]);
      const { text } = await client.call("climax_call", { tool_name: "port_list", args: { port } });
      assert.equal(text.includes(`pid=${Deno.pid},`), !isSandboxed, text);
    }
  } finally {
    listener.close();
  }
});
