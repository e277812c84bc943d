/** `main` takes what it is given in place of its process, and leaves nothing behind. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { io, processIo } from "../../src/io.ts";
import { main } from "../../src/cli/main.ts";
import { isLogged } from "../../src/log.ts";
import { scratch } from "../e2e/_scratch.ts";
import { environment, fixture } from "../e2e/_server.ts";
import { ioOf } from "../_io.ts";
import { climax, climaxOnTerminal, climaxProcess, ends } from "./commands/_climax.ts";
import { unix } from "../_requirements.ts";

const where = `name: where
description: Where a program runs
command: sh
tools:
  - name: where_am_i
    description: Say it
    effect: read
    command: where.sh
  - name: where_below
    description: Say it of a directory
    effect: read
    command: ../where.sh
    args: [{ name: dir, cwd: true }]
`;

unix.test("main() starts programs in the directory and with the variables of its io", async () => {
  await using dir = await scratch({ "where.yaml": where, "where.sh": 'pwd; echo "$MINE $HOME"\n' });
  await Deno.mkdir(join(dir.path, "below"));
  const settings = { cwd: dir.path, env: { MINE: "of the run", HOME: "/nowhere" } };
  const said = await climax(["call", "where.yaml", "--", "where_am_i"], settings);
  assert.equal(said.stdout, `${dir.path}\nof the run /nowhere\n`, said.stderr);
  const below = await climax(["call", "where.yaml", "--", "where_below", "dir=below"], settings);
  assert.equal(below.stdout, `${join(dir.path, "below")}\nof the run /nowhere\n`, below.stderr);
  assert.equal(Deno.env.get("MINE"), undefined);
});

Deno.test("main() and a process say the same", async () => {
  await using dir = await scratch({ "broken.yaml": "name: broken\ncommand: 1\n" });
  for (
    const args of [
      ["--version"],
      ["validate", "broken.yaml", "none.yaml", "jq"],
      ["list", "gitt"],
      ["call", "jq_filter", "--dry-run", "filter=."],
      ["nosuch", "--option"],
    ]
  ) {
    const settings = { cwd: dir.path, isClone: true };
    assert.deepEqual(await climax(args, settings), await climaxProcess(args, settings));
  }
});

Deno.test("main() measures and colours for the terminal of its io", async () => {
  const text = await climaxOnTerminal(["list", "git"]);
  assert.ok(text.startsWith("\x1b[1mTOOL"), text);
  assert.ok(!(await climax(["list", "git"])).stdout.includes("\x1b"));
});

Deno.test("main() ends with nothing open and nothing set", {
  sanitizeOps: true,
  sanitizeResources: true,
}, async () => {
  await using dir = await scratch();
  const config = fixture("probe.yaml");
  const list = '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}\n';
  const call = ["call", "probe_args", "--config", config, "-vv"];
  for (
    const [args, env] of [
      [["run", config, "--classic"], {}],
      [["validate", config, "--json"], {}],
      [call, { CLIMAX_LOG_FILE: "climax.log" }],
    ] as [string[], Record<string, string>][]
  ) {
    await ends(climax(args, { cwd: dir.path, env, stdin: list }), { code: 0 });
  }
  assert.notEqual(await Deno.readTextFile(join(dir.path, "climax.log")), "");
  assert.equal(isLogged("info"), false);
  assert.equal(io(), processIo);
});

Deno.test("main() reports what its streams refuse", async () => {
  const settings = { cwd: Deno.cwd(), env: environment(), stdin: "" };
  let said = "";
  const given = ioOf({
    ...settings,
    write: (bytes) => void (said += new TextDecoder().decode(bytes)),
  });
  for (
    const [error, code, text] of [
      [new Deno.errors.BrokenPipe("gone"), 0, ""],
      [
        new Error("No space left on device"),
        3,
        "error: Standard output cannot be written: No space left on device\n",
      ],
    ] as [Error, number, string][]
  ) {
    said = "";
    const stdout = { ...given.stdout, write: () => Promise.reject(error) };
    assert.equal(await main(["--version"], { ...given, stdout }), code);
    assert.equal(said, text);
  }
});
