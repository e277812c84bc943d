/** Programs of configs are known from the start, with the files that they run. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { loadTools } from "../../../src/session/load.ts";
import { listProtectedPaths, pathsToRefuse } from "../../../src/process/protected_paths.ts";
import { unix } from "../../_requirements.ts";
import { withDirectory } from "../../_io.ts";
import { answerTo, policyOf, sessionOf } from "../../_session.ts";
import { scratch } from "../../e2e/_scratch.ts";

unix.test("commandRunner() keeps tools from what a program runs, and sandboxes from all its files", async () => {
  const code = ["script.py", "hook.mjs", "bin/tool", "x.global.sh"];
  const data = ["notes.md", "app.db"];
  const config = {
    name: "own",
    command: "python3 script.py",
    global_args: [{ name: "x", positional: true, default: "./x.global.sh" }],
    tools: [
      { name: "own_run", argv: ["--import=./hook.mjs", "notes.md"] },
      {
        name: "own_more",
        command: "bin/tool",
        argv: [["{?path}", "app.db"], "app.db", "{path?}"],
        args: [{ name: "path" }],
      },
      { name: "own_held", argv: ["held.py"] },
    ],
  };
  const files = Object.fromEntries([...code, ...data, "held.py"].map((name) => [name, ""]));
  await using dir = await scratch({ ...files, "own.yaml": config });
  await Deno.chmod(join(dir.path, "bin/tool"), 0o755);
  using _directory = withDirectory(dir.path);
  const policy = {
    file: "p.yaml",
    text: "default: enabled\ntools: { own_held: { sandbox: {} } }\n",
  };
  const loaded = await loadTools({ configs: [join(dir.path, "own.yaml")], policy });
  loaded.runners.get("command")!.start!(loaded.tools);
  const own = (paths: readonly string[]) => {
    return [...code, ...data, "held.py"].filter((name) => paths.includes(join(dir.path, name)));
  };
  assert.deepEqual(own(pathsToRefuse(true)), code);
  assert.deepEqual(own([...listProtectedPaths().keys()]), [...code, ...data]);
  await loaded.close();
});

unix.test("a call that finds nothing looks further by retry_with, unless a policy has a say on it", async () => {
  const script = '[ "$2$1" = allx ] && echo "$1"';
  const tool = {
    name: "own_find",
    command: "/bin/sh -c",
    argv: [script, "sh", "{word}", "{all?}", "{...}"],
    effect: "read",
    exit_codes: { 1: "nothing found" },
    retry_with: { all: "all", deep: true },
    args: [{ name: "word", required: true }, { name: "all" }, {
      name: "deep",
      type: "boolean",
      flag: "--deep",
    }],
  };
  const found = "x\n\n[found only with deep]";
  for (
    const [policy, args, said] of [
      [{}, { word: "x" }, found],
      [{}, { word: "x", all: "all", deep: true }, "x"],
      [{}, { word: "none" }, "nothing found"],
      [{ args: { all: { max_length: 9 } } }, { word: "x" }, "nothing found"],
    ] as const
  ) {
    const rules = policyOf({ tools: { own_find: policy } });
    await using session = await sessionOf({ tools: [tool] }, { policy: rules });
    assert.deepEqual(await answerTo(session, { tool: "own_find", args }), {
      text: said,
      isError: false,
    });
  }
  const wrong = { ...tool, retry_with: { other: true } };
  await assert.rejects(sessionOf({ tools: [wrong] }), ({ problems: [first] }) => {
    return /has no argument 'other'/.test(first.message);
  });
});
