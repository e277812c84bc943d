import assert from "node:assert/strict";
import { join } from "node:path";
import { describeChange, type DriftChange, driftOf, withoutBroken } from "../../src/setup/drift.ts";
import { formatLock, type Lock, lockTools, readLock } from "../../src/setup/lock.ts";
import { loadTools } from "../../src/session/load.ts";
import type { Tool } from "../../src/tool/tool.ts";
import { scratch } from "../e2e/_scratch.ts";
import { type Farm, farm, withHelp, writeFarm } from "./_farm.ts";
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

/** What has changed once `after` stands where the farm stood. */
async function changesTo(
  after: Farm | undefined,
  { script = (text: string) => text, thorough = false, keepFile = false } = {},
): Promise<{ changes: DriftChange[]; lock: Lock; ran: string[] }> {
  await using dir = await scratch();
  const path = await writeFarm(dir.path);
  const tools = await toolsOf(path);
  const { lock } = await lockTools(tools);
  if (after === undefined) await Deno.remove(path);
  else await writeFarm(dir.path, after);
  if (after !== undefined) await Deno.writeTextFile(path, script(await Deno.readTextFile(path)));
  if (keepFile) {
    // The same file with another help: a program that only starts another one
    const { sha256 } = (await lockTools(tools)).lock.programs[path]!;
    lock.programs[path]!.sha256 = sha256;
  }
  const ran: string[] = [];
  const onRun = (argv: readonly string[]) => ran.push(argv.slice(1).join(" "));
  return { changes: await driftOf(tools, lock, { thorough, onRun }), lock, ran };
}

unix.test("lockTools() records program, version, help and the options that the help has", async () => {
  await using dir = await scratch();
  const path = await writeFarm(dir.path);
  const ran: string[] = [];
  const { lock, missing, unwatched } = await lockTools(await toolsOf(path), {
    onRun: (argv) => ran.push(argv.slice(1).join(" ")),
  });
  assert.deepEqual([missing, unwatched], [[], []]);
  assert.equal(lock.programs[path]!.version, "farm 1.0");
  assert.match(lock.programs[path]!.sha256, /^[0-9a-f]{64}$/);
  assert.deepEqual(lock.tools["list"]!.flags, ["--kind", "-n"]);
  assert.deepEqual(lock.tools["sell"]!.flags, ["--force", "--price"]);
  assert.deepEqual(ran.toSorted(), ["--help", "--version", "list --help", "sell --help"]);
  const file = join(dir.path, "climax.lock.json");
  await Deno.writeTextFile(file, formatLock(lock));
  assert.deepEqual(await readLock(file), lock);
});

unix.test("lockTools() says which programs are missing", async () => {
  const { lock, missing } = await lockTools(await toolsOf("climax-no-such-program"));
  assert.deepEqual(missing, ["climax-no-such-program"]);
  assert.deepEqual(lock.tools, {});
});

unix.test("driftOf() finds nothing where nothing has changed, and asks for little", async () => {
  const { changes, ran } = await changesTo(farm);
  assert.deepEqual(changes, []);
  assert.deepEqual(ran.toSorted(), ["--help", "--version"]);
  const thorough = await changesTo(farm, { thorough: true });
  assert.deepEqual(thorough.changes, []);
  assert.deepEqual(thorough.ran.length, 4);
});

unix.test("driftOf() finds another program, with all its tools", async () => {
  const { changes } = await changesTo(farm, {
    script: (text) => text.replace("farm 1.0", "farm 2.0"),
  });
  assert.equal(changes.length, 1);
  assert.deepEqual(changes[0]!.tools, ["list", "sell"]);
  assert.match(changes[0]!.message, /is another file than it was: farm 1\.0, now farm 2\.0$/);
  assert.equal(changes[0]!.isBreaking, true);
});

unix.test("driftOf() finds an option that is gone, with the tool that uses it", async () => {
  const after = withHelp("sell", (text) => text.replace(/ {2}--price.*\n/, ""));
  const { changes } = await changesTo(after, { keepFile: true, thorough: true });
  assert.deepEqual(changes, [{ message: changes[0]!.message, tools: ["sell"], isBreaking: true }]);
  assert.match(changes[0]!.message, /farm sell' has no --price any more$/);
});

unix.test("driftOf() finds an option of the command itself that is gone", async () => {
  const after = withHelp("sell", (text) => text.replace(/ {2}-f, --force.*\n/, ""));
  const { changes } = await changesTo(after, { keepFile: true, thorough: true });
  assert.match(changes[0]!.message, /has no --force any more$/);
});

unix.test("driftOf() finds a command that is gone", async () => {
  const after: Farm = { helps: { "": farm.helps[""]!, list: farm.helps["list"]! } };
  const { changes } = await changesTo(after, { keepFile: true, thorough: true });
  assert.deepEqual(changes.map(({ tools, isBreaking }) => ({ tools, isBreaking })), [
    { tools: ["sell"], isBreaking: true },
  ]);
  assert.match(changes[0]!.message, /^Command '.*farm sell' is gone$/);
});

unix.test("driftOf() finds a command that only has the help of the program any more", async () => {
  const after: Farm = { helps: { ...farm.helps, sell: farm.helps[""]! } };
  const { changes } = await changesTo(after, { keepFile: true, thorough: true });
  assert.match(changes[0]!.message, /is gone$/);
});

unix.test("driftOf() says that a help has changed, which breaks nothing", async () => {
  const after = withHelp("list", (text) => text.replace("go on looking", "never stop"));
  const { changes } = await changesTo(after, { keepFile: true, thorough: true });
  assert.deepEqual(changes.map(({ tools, isBreaking }) => ({ tools, isBreaking })), [
    { tools: ["list"], isBreaking: false },
  ]);
});

unix.test("driftOf() finds a program that is gone", async () => {
  const { changes } = await changesTo(undefined);
  assert.match(changes[0]!.message, /^Not on PATH any more: /);
  assert.deepEqual(changes[0]!.tools, ["list", "sell"]);
});

unix.test("driftOf() finds tools that the lock does not know, whatever they are called", async () => {
  await using dir = await scratch();
  const path = await writeFarm(dir.path);
  const tools = await toolsOf(path);
  const { lock } = await lockTools(tools);
  const renamed = tools.map((tool) => ({ ...tool, name: "constructor" })).slice(0, 1);
  const changes = await driftOf(renamed, lock);
  assert.deepEqual(changes, [
    { message: "Not in the lock", tools: ["constructor"], isBreaking: true },
  ]);
});

unix.test("withoutBroken() leaves the tools that no change breaks", async () => {
  const tools = await toolsOf("farm");
  const changes: DriftChange[] = [
    { message: "One", tools: ["sell"], isBreaking: true },
    { message: "Two", tools: ["list"], isBreaking: false },
  ];
  const left = withoutBroken(tools, changes, "climax.lock.json");
  assert.deepEqual(left.tools.map(({ name }) => name), ["list"]);
  assert.deepEqual(left.warnings.map(({ message }) => message), [
    "One (breaks sell)",
    "Two (concerns list)",
  ]);
  assert.deepEqual(left.withheld.map(({ explanation }) => explanation), [
    "Tool 'sell' is withheld: what it runs is not as it was locked\n" +
    "Ask a person to look at it; this accepts it: climax lock CONFIG…",
  ]);
});

Deno.test("describeChange() names few of many tools", () => {
  const tools = Array.from({ length: 12 }, (_, index) => `t${index}`);
  const text = describeChange({ message: "Gone", tools, isBreaking: true });
  assert.equal(text, "Gone (breaks t0, t1, t2, t3, t4, t5, t6, t7 and 4 more)");
});

Deno.test("readLock() refuses what is no lock", async () => {
  await using dir = await scratch();
  const file = join(dir.path, "lock.json");
  await assert.rejects(readLock(file), /There is no lock/);
  await Deno.writeTextFile(file, `{"version": 2, "programs": {}, "tools": {}}`);
  await assert.rejects(readLock(file), /The lock file is wrong/);
});
