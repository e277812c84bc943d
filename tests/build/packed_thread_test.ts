/** The code of a thread in a bundle: a module that any thread can load, with nothing beside it. */

import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { packedThreads } from "../../build/_packed_thread.ts";
import { scratch } from "../e2e/_scratch.ts";

const root = new URL("../../", import.meta.url);

Deno.test("packedThreads() writes a module whose thread does its task", async () => {
  await using dir = await scratch();
  const places = await packedThreads(dir.path, root, async (entry, output) => {
    const args = ["bundle", "--quiet", "--minify", "--config", "deno.json", "--output", output];
    const { success } = await new Deno.Command(Deno.execPath(), {
      args: [...args, entry],
      cwd: fileURLToPath(root),
    }).output();
    assert.ok(success);
  });
  assert.equal(Object.keys(places).length, 2);
  const threadOf = async (inSource: string) => {
    const place = places[new URL(inSource, root).href]!;
    const { threadUrl } = await import(place);
    return new Worker(new URL(threadUrl()));
  };
  const thread = await threadOf("src/worker/_worker_code.ts");
  const reply = new Promise((resolve) => thread.once("message", resolve));
  const input = { text: '{"a":[1,2]}', path: "$.a[1]", from: 1, most: 1, characters: 10 };
  const stop = new Int32Array(new SharedArrayBuffer(4));
  thread.postMessage({ name: "path", input, stop });
  assert.deepEqual(await reply, { output: { rows: ["2"], hasMore: false, isBehind: false } });
  await thread.terminate();
  const room = await threadOf("src/sources/scripts/_thread_code.ts");
  const ready = new Promise((resolve) => room.once("message", resolve));
  assert.deepEqual(await ready, { kind: "ready" });
  const returned = new Promise((resolve) => room.once("message", resolve));
  const { scriptLimits: limits } = await import("../../src/sources/scripts/limits.ts");
  room.postMessage({ code: "return 6 * 7", seed: 1, now: 0, limits, stop });
  assert.deepEqual(await returned, { kind: "done", text: "42" });
  await room.terminate();
});
