import assert from "node:assert/strict";
import { join } from "node:path";
import { describeChange, type DriftChange, driftOf } from "../../src/setup/drift.ts";
import { formatLock, lockTools, readLock } from "../../src/setup/lock.ts";
import { loadTools } from "../../src/session/load.ts";
import type { Tool } from "../../src/tool/tool.ts";
import { scratch } from "../e2e/_scratch.ts";
import { writeFarm } from "./_farm.ts";
import { unix } from "../_requirements.ts";

async function toolsOf(path: string): Promise<readonly Tool[]> {
  const text = `name: farm
command: ${path}
tools:
  - name: list
    command: list
    args:
      - {name: kind, flag: "--kind="}
      - {name: limit, type: integer, flag: "-n"}
  - name: sell
    command: sell --force
    args:
      - {name: price, flag: --price=}
      - {name: secret, flag: --not-in-the-help=}
`;
  const { tools, problems } = await loadTools({ configs: [{ file: "farm.yaml", text }] });
  assert.deepEqual(problems, []);
  return tools;
}

/** What has changed once `script` stands where the farm stood; without it, the farm is removed. */
async function changesTo(
  script?: (text: string) => string,
): Promise<{ path: string; changes: DriftChange[]; ran: string[] }> {
  await using dir = await scratch();
  const path = writeFarm(dir.path);
  const tools = await toolsOf(path);
  const { lock } = await lockTools(tools);
  if (script === undefined) await Deno.remove(path);
  else await Deno.writeTextFile(path, script(await Deno.readTextFile(path)));
  const ran: string[] = [];
  const changes = await driftOf(tools, lock, (argv) => ran.push(argv.slice(1).join(" ")));
  return { path, changes, ran };
}

unix.test("lockTools() records program, version, hash and command, and asks for nothing else", async () => {
  await using dir = await scratch();
  const path = writeFarm(dir.path);
  const ran: string[] = [];
  const { lock, missing } = await lockTools(await toolsOf(path), (argv) => {
    ran.push(argv.slice(1).join(" "));
  });
  assert.deepEqual(missing, []);
  assert.equal(lock.programs[path]!.version, "farm 1.0");
  assert.match(lock.programs[path]!.sha256, /^[0-9a-f]{64}$/);
  assert.deepEqual(lock.tools, {
    list: { program: path, command: [path, "list"] },
    sell: { program: path, command: [path, "sell"] },
  });
  assert.deepEqual(ran, ["--version"]);
  const file = join(dir.path, "climax.lock.json");
  await Deno.writeTextFile(file, formatLock(lock));
  assert.deepEqual(await readLock(file), lock);
  // Locks once had what the help said, which nothing reads
  const before = JSON.parse(formatLock(lock));
  Object.assign(before.programs[path], { help: null });
  Object.assign(before.tools.list, { help: null, own_help: false, flags: ["--kind"] });
  await Deno.writeTextFile(file, JSON.stringify(before));
  assert.deepEqual(await readLock(file), lock);
});

const changed: [what: string, script: ((text: string) => string) | undefined, RegExp?][] = [
  ["nothing where nothing has changed", (text) => text],
  [
    "another version",
    (text) => text.replace("farm 1.0", "farm 2.0"),
    /is another file than it was: farm 1\.0, now farm 2\.0$/,
  ],
  [
    "another file of the same version",
    (text) => text.replace("go on looking", "never stop"),
    /is another file than it was: farm 1\.0, now farm 1\.0$/,
  ],
  ["a program that is gone", undefined, /^Not on PATH any more: /],
];
for (const [what, script, message] of changed) {
  unix.test(`driftOf() finds ${what}`, async () => {
    const { changes, ran } = await changesTo(script);
    assert.equal(changes.length, message === undefined ? 0 : 1);
    if (message !== undefined) {
      assert.match(changes[0]!.message, message);
      assert.deepEqual(changes[0]!.tools, ["list", "sell"]);
    }
    assert.deepEqual(ran, script === undefined ? [] : ["--version"]);
  });
}

unix.test("driftOf() finds another version of a file that only starts the program", async () => {
  await using dir = await scratch();
  const path = writeFarm(dir.path);
  const tools = await toolsOf(path);
  const { lock } = await lockTools(tools);
  lock.programs[path]!.version = "farm 0.9";
  const [change] = await driftOf(tools, lock);
  assert.match(change!.message, /says another version: farm 0\.9, now farm 1\.0$/);
});

unix.test("driftOf() finds tools that the lock does not know, whatever they are called", async () => {
  await using dir = await scratch();
  const path = writeFarm(dir.path);
  const tools = await toolsOf(path);
  const { lock } = await lockTools(tools);
  const renamed = tools.map((tool) => ({ ...tool, name: "constructor" })).slice(0, 1);
  const changes = await driftOf(renamed, lock);
  assert.deepEqual(changes, [{ message: "Not in the lock", tools: ["constructor"] }]);
});

Deno.test("describeChange() names few of many tools", () => {
  const tools = Array.from({ length: 12 }, (_, index) => `t${index}`);
  const text = describeChange({ message: "Gone", tools });
  assert.equal(text, "Gone (breaks t0, t1, t2, t3, t4, t5, t6, t7, and 4 more)");
});

Deno.test("readLock() refuses what is no lock", async () => {
  await using dir = await scratch();
  const file = join(dir.path, "lock.json");
  await assert.rejects(readLock(file), /There is no lock/);
  await Deno.writeTextFile(file, `{"version": 2, "programs": {}, "tools": {}}`);
  await assert.rejects(readLock(file), /The lock file is wrong/);
});
