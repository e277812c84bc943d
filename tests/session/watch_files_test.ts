/** Files that change: when they are read, and which calls wait for that. Time passes as the tests say. */

import assert from "node:assert/strict";
import { join } from "node:path";
import type { Gate } from "../../src/call/context.ts";
import { watchFiles } from "../../src/session/watch_files.ts";
import { guardSearchPath, leaveOut } from "../../src/exec/search_path.ts";
import { resetLog, setLogFile, setLogLevel } from "../../src/log.ts";
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

/** What is written to the log meanwhile. */
async function logged(act: () => Promise<unknown>): Promise<string> {
  await using dir = await scratch();
  const file = join(dir.path, "log");
  setLogFile(file);
  setLogLevel("info");
  try {
    await act();
  } finally {
    resetLog();
  }
  return await Deno.readTextFile(file);
}

Deno.test("what a tool may write is read once: a line at the start and one at a change say so", async () => {
  await using dir = await scratch({ "served/in.yaml": "", "out.yaml": "" });
  const at = (path: string) => join(dir.path, path);
  await Deno.symlink(at("out.yaml"), at("served/link.yaml"));
  await Deno.symlink(at("served/in.yaml"), at("other.yaml"));
  using _directory = withDirectory(at("served"));
  guardSearchPath();
  const kept = ["served/in.yaml", "served/link.yaml", "other.yaml", "served/later.yaml"].map(at);
  const said = await logged(async () => {
    const [gate, clock] = [{} as Gate, new FakeClock()];
    const configs = [...kept, at("out.yaml")];
    let loaded = 0;
    const reload = () => Promise.resolve({ problems: [], warnings: [], loaded: ++loaded });
    const unwatch = await watchFiles({ configs: () => configs }, gate, reload, clock);
    for (const path of kept) {
      await Deno.remove(path).catch(() => {});
      await Deno.writeTextFile(path, "changed");
    }
    assert.equal(gate.refresh!(), undefined);
    for (const _ of [1, 2]) await clock.advance(1000);
    assert.equal(loaded, 0);
    await Deno.writeTextFile(at("out.yaml"), "changed");
    const refreshed = gate.refresh!();
    await settled(clock);
    await refreshed;
    assert.equal(loaded, 1);
    unwatch();
  });
  const why = "lies where tools may write, so it is read at the start only";
  const lines = [
    ...kept.slice(0, 3).map((path) => `'${path}' ${why}: after a change, restart climax`),
    ...kept.map((path) =>
      `'${path}' changed: climax read it at its start; restart climax to use it`
    ),
    "The changes are loaded",
  ];
  assert.deepEqual(said.trim().split("\n").map((line) => line.replace(/^\S+ \w+: /, "")), lines);
});

Deno.test("where a sandbox or a tool may write is known after the first load", async () => {
  await using dir = await scratch({ "served/x": "", "other/config.yaml": "" });
  using _directory = withDirectory(join(dir.path, "served"));
  guardSearchPath();
  const file = join(dir.path, "other", "config.yaml");
  const { clock, gate, read, unwatch } = await watched(file);
  await Deno.writeTextFile(file, "the second");
  const first = gate.refresh!();
  // As a policy does whose sandbox may write there
  leaveOut([join(dir.path, "other")]);
  await settled(clock);
  await first;
  await Deno.writeTextFile(file, "and the third");
  assert.equal(gate.refresh!(), undefined);
  assert.deepEqual(read, ["the second"]);
  unwatch();
});
