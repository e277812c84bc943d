/** Files that change: when they are read, and which calls wait for that. Time passes as the tests say. */

import assert from "node:assert/strict";
import { join } from "node:path";
import type { Gate } from "../../src/call/context.ts";
import { warnOfOpenFile, watchFiles } from "../../src/session/watch_files.ts";
import { resetLog, setLogFile } from "../../src/log.ts";
import { loadTools } from "../../src/session/load.ts";
import { FakeClock } from "../_clock.ts";
import { withDirectory } from "../_io.ts";
import { scratch } from "../e2e/_scratch.ts";

/** Milliseconds without a change before a file is read. */
const settledMs = 100;

/** Lets a file settle that was found changed. */
async function settled(clock: FakeClock): Promise<void> {
  await clock.timer(settledMs);
  await clock.advance(settledMs);
}

Deno.test("calls after an edit that comes while files are loaded wait for that edit, and load it once", async () => {
  await using dir = await scratch({ "config.yaml": "one" });
  const config = join(dir.path, "config.yaml");
  const gate: Gate = {};
  const clock = new FakeClock();
  const loading = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const;
  const read: string[] = [];
  const unwatch = await watchFiles({ configs: () => [config] }, gate, async () => {
    read.push(await Deno.readTextFile(config));
    loading[0].resolve();
    if (read.length === 1) await loading[1].promise;
    return { problems: [], warnings: [] };
  }, clock);
  assert.equal(gate.refresh!(), undefined);
  await Deno.writeTextFile(config, "the second");
  const first = gate.refresh!();
  await settled(clock);
  await loading[0].promise;
  await Deno.writeTextFile(config, "and the third");
  const others = [gate.refresh!(), gate.refresh!()];
  loading[1].resolve();
  await first;
  await settled(clock);
  await Promise.all(others);
  assert.deepEqual(read, ["the second", "and the third"]);
  assert.equal(gate.refresh!(), undefined);
  unwatch();
});

Deno.test("calls that arrived before a look need none of their own, later ones do", async () => {
  await using dir = await scratch({ "config.yaml": "one" });
  const file = join(dir.path, "config.yaml");
  const { clock, gate, read, unwatch } = await watched(file);
  const early = 0;
  await Deno.writeTextFile(file, "the second");
  // Nothing was looked at yet, whenever the call arrived
  const first = gate.refresh!(early);
  // Nor is it known that nothing has changed while that is loaded
  const together = gate.refresh!(early);
  assert.notEqual(together, undefined);
  await settled(clock);
  await Promise.all([first, together]);
  await Deno.writeTextFile(file, "and the third");
  assert.equal(gate.refresh!(early), undefined);
  const late = gate.refresh!();
  await settled(clock);
  await late;
  assert.deepEqual(read, ["the second", "and the third"]);
  unwatch();
});

Deno.test("a call among many files sees one that was replaced, and a written one 50 ms after a look", async () => {
  await using dir = await scratch();
  const files = Array.from({ length: 60 }, (_, at) => join(dir.path, `${at}.yaml`));
  await Promise.all(files.map((file) => Deno.writeTextFile(file, "one")));
  const { clock, gate, read, unwatch } = await watched(files[0]!, files);
  assert.equal(gate.refresh!(), undefined);
  await Deno.writeTextFile(files[0]!, "written");
  assert.equal(gate.refresh!(), undefined);
  await clock.advance(50);
  const seen = gate.refresh!();
  await settled(clock);
  await seen;
  await Deno.writeTextFile(join(dir.path, "new"), "replaced");
  await Deno.rename(join(dir.path, "new"), files[0]!);
  const next = gate.refresh!();
  await settled(clock);
  await next;
  assert.deepEqual(read, ["written", "replaced"]);
  unwatch();
});

/** Watches a file; `read` has what was loaded, and `readAt` when. */
async function watched(file: string, files: readonly string[] = [file]) {
  const clock = new FakeClock();
  const read: string[] = [];
  const readAt: number[] = [];
  let next = Promise.withResolvers<void>();
  const gate: Gate = {};
  const unwatch = await watchFiles({ configs: () => files }, gate, async () => {
    readAt.push(clock.now());
    read.push(await Deno.readTextFile(file));
    next.resolve();
    next = Promise.withResolvers();
    return { problems: [], warnings: [] };
  }, clock);
  return { clock, gate, read, readAt, unwatch, loaded: () => next.promise };
}

Deno.test("watchFiles() finds an edit without a call, once a second", async () => {
  await using dir = await scratch({ "config.yaml": "one" });
  const file = join(dir.path, "config.yaml");
  const { clock, read, unwatch, loaded } = await watched(file);
  for (const text of ["the second", "and the third"]) {
    await Deno.writeTextFile(file, text);
    await clock.advance(clock.timers[0]! - 1);
    assert.equal(clock.timers.includes(settledMs), false);
    const next = loaded();
    await clock.advance(1);
    await settled(clock);
    await next;
    assert.equal(read.at(-1), text);
  }
  unwatch();
  assert.deepEqual([read.length, clock.timers], [2, []]);
});

Deno.test("a call waits for one reload that began after it arrived, while edits go on", async () => {
  await using dir = await scratch();
  const file = join(dir.path, "config.yaml");
  await Deno.writeTextFile(file, "one");
  const { clock, gate, read, unwatch, loaded } = await watched(file);
  await Deno.writeTextFile(file, "the second");
  // Arrives while the file settles, which is in front of the reload
  const calls = [gate.refresh!(performance.now()), gate.refresh!(performance.now())];
  const next = loaded();
  await settled(clock);
  await next;
  await Deno.writeTextFile(file, "and the third");
  await Promise.all(calls);
  assert.deepEqual([read, clock.timers.includes(settledMs)], [["the second"], false]);
  unwatch();
});

Deno.test("watchFiles() looks at nothing without files, and finds one that appears", async () => {
  await using dir = await scratch();
  const none = await watched("", []);
  assert.deepEqual([none.clock.timers, none.gate.refresh], [[], undefined]);
  const file = join(dir.path, "config.yaml");
  const { clock, gate, read, unwatch } = await watched(file);
  assert.equal(gate.refresh!(), undefined);
  assert.equal(gate.refresh!(), undefined);
  await Deno.writeTextFile(file, "there");
  const seen = gate.refresh!();
  await settled(clock);
  await seen;
  assert.deepEqual(read, ["there"]);
  unwatch();
});

Deno.test("watchFiles() reads a file that keeps changing after 0.2 seconds", async () => {
  await using dir = await scratch({ "config.yaml": "" });
  const file = join(dir.path, "config.yaml");
  const { clock, gate, read, readAt, unwatch } = await watched(file);
  const start = clock.now();
  const edit = () => Deno.writeTextFile(file, "x", { append: true });
  await edit();
  let isRead = false;
  const call = gate.refresh!()!.then(() => isRead = true);
  while (!isRead) {
    await Promise.race([clock.timer(settledMs), call]);
    if (!isRead) await edit();
    await clock.advance(settledMs);
  }
  assert.deepEqual(readAt.map((at) => at - start), [300]);
  assert.deepEqual(read.map(({ length }) => length), [4]);
  unwatch();
});

/** What is written to the log meanwhile. */
async function logged(act: () => Promise<unknown>): Promise<string> {
  await using dir = await scratch();
  const file = join(dir.path, "log");
  setLogFile(file);
  try {
    await act();
  } finally {
    resetLog();
  }
  return await Deno.readTextFile(file);
}

Deno.test("a file of climax that changes while a tool runs that nothing holds is loaded no more", async () => {
  await using dir = await scratch({ "config.yaml": "one", "policy.yaml": "" });
  using _directory = withDirectory(dir.path);
  const [file, policy] = ["config.yaml", "policy.yaml"].map((name) => join(dir.path, name));
  for (const changed of [file!, policy!]) {
    const [gate, clock] = [{} as Gate, new FakeClock()];
    await watchFiles({ configs: () => [file!], policy }, gate, () => assert.fail("loaded"), clock);
    const [end, other] = [gate.begin!("x_write"), gate.begin!("x_other")];
    await Promise.all([end(), other()]);
    const again = gate.begin!("x_write");
    const said = await logged(async () => {
      await Deno.writeTextFile(changed, "written by the tool");
      await again();
    });
    const why = "changed while x_write ran, which nothing holds: it is not loaded";
    assert.ok(said.includes(`error: '${changed}' ${why}, and no later change is.`), said);
    assert.deepEqual([gate.refresh, gate.begin, clock.timers], [undefined, undefined, []]);
  }
});

const writes = { name: "x_write", effect: "write" };
const openFileRows: readonly (readonly [
  what: string,
  tool: object,
  options: { readonly policy?: string; readonly sandbox?: boolean; readonly folder?: string },
  file: string | undefined,
])[] = [
  ["a config", writes, { policy: "open" }, "config.yaml"],
  ["a policy, before a config", writes, { policy: "./policy.yaml" }, "policy.yaml"],
  ["a config beside a policy elsewhere", writes, { policy: "/elsewhere.yaml" }, "config.yaml"],
  ["nothing where a person is asked", writes, { policy: "ask" }, undefined],
  ["nothing without a policy, where a person is asked too", writes, {}, undefined],
  ["nothing that tools only read", { ...writes, effect: "read" }, {}, undefined],
  ["nothing where a sandbox holds the tool", writes, { sandbox: true }, undefined],
  ["nothing that no tool may write", writes, { folder: ".claude" }, undefined],
];

for (const [what, tool, { folder = "", ...options }, expected] of openFileRows) {
  Deno.test(`warnOfOpenFile() warns of ${what}`, async () => {
    const text = JSON.stringify({ name: "x", command: "echo", tools: [tool] });
    const files = { [join(folder, "config.yaml")]: text, "policy.yaml": "default: enabled\n" };
    await using dir = await scratch(files);
    using _directory = withDirectory(dir.path);
    const configs = [join(dir.path, folder, "config.yaml")];
    const policy = options.policy?.replace(/^[.](?=[/])/, () => dir.path);
    const isThere = policy !== "/elsewhere.yaml";
    const loaded = await loadTools({ ...options, configs, policy: isThere ? policy : "open" });
    const said = await logged(() => Promise.resolve(warnOfOpenFile({ configs, policy }, loaded)));
    await loaded.close();
    const why = "decides what runs, and tools that nothing holds may change it";
    const start = `warning: '${join(dir.path, expected ?? "")}' ${why}`;
    assert.equal(said.includes(start), expected !== undefined, said);
    assert.equal(said === "", expected === undefined, said);
  });
}
