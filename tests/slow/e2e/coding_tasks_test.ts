/** A coding agent does everyday tasks through climax alone in a sandbox, without a shell. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { repository, say } from "../../configs/_programs.ts";
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
  "find the commit that broke a test": [
    ["files_edit", { path: "src/add.js", old: "a + b", new: "b + a" }, /b \+ a/],
    ["git_commit", { message: "perf: faster", all: true }, /1 file/],
    ["files_edit", { path: "src/add.js", old: "b + a", new: "b - a" }, /b - a/],
    ["git_commit", { message: "perf: much faster", all: true }, /1 file/],
    ["files_edit", { path: "values.ini", old: "a = 1", new: "a = 2" }, /a = 2/],
    ["git_commit", { message: "chore: a", all: true }, /1 file/],
    ["npm_test", {}, /5 !== 1/],
    ["git_bisect_start", { bad: "HEAD", good: "HEAD~3" }, /Bisecting/],
    [
      "git_bisect_run",
      { command: ["npm", "--silent", "test"] },
      /is the first bad commit[^]*perf: much faster/,
    ],
    ["git_bisect_reset", {}, /main/],
    ["git_revert", { revision: "HEAD~1" }, /Revert "perf: much faster"/],
    ["npm_test", {}, /# pass 1\n/],
  ],
};

const files: Readonly<Record<string, string>> = {
  "package.json": '{"name":"x","version":"1.0.0","scripts":{"test":"node --test test/"}}\n',
  "src/add.js": "exports.add = (a, b) => a - b;\n",
  "test/add.test.js": "const { add } = require('../src/add.js');\n" +
    "require('node:test')('adds', () => require('assert').strictEqual(5, add(2, 3)));\n",
  "values.ini": "a = 1\nb = 1\nc = 1\n",
};

const needed = await programs({ npm: ["--version"], rg: ["--version"], ss: ["-V"] });

Deno.test("tasks of a coding agent are done through climax alone, in a sandbox", {
  ignore: needed.ignore || sandboxed.ignore,
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
  const configs = ["git", "npm", "files", "files-write", "ripgrep"];
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
});

Deno.test("the owner of a port is found, outside of a sandbox, in which no other process is seen", {
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
