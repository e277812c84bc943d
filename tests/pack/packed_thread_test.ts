/** The code of a thread in a bundle: a module that any thread can load, with nothing beside it. */

import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { withoutPacked } from "../../src/pack/packed_data.ts";
import { packedThread } from "../../src/pack/packed_thread.ts";
import { scratch } from "../e2e/_scratch.ts";

const root = new URL("../../", import.meta.url);

Deno.test("packedThread() writes a module whose thread does its task, also in a sealed server", async () => {
  await using dir = await scratch();
  const places = await packedThread(dir.path, root, async (entry, output) => {
    const args = ["bundle", "--quiet", "--minify", "--config", "deno.json", "--output", output];
    const { success } = await new Deno.Command(Deno.execPath(), {
      args: [...args, entry],
      cwd: fileURLToPath(root),
    }).output();
    assert.ok(success);
  });
  const [[inSource, place] = []] = Object.entries(places);
  assert.equal(inSource, new URL("src/worker/_worker_code.ts", root).href);
  const code = await Deno.readTextFile(fileURLToPath(place!));
  assert.equal(withoutPacked(code), code);
  const { threadUrl } = await import(place!);
  const thread = new Worker(new URL(threadUrl()));
  const reply = new Promise((resolve) => thread.once("message", resolve));
  const input = { text: '{"a":[1,2]}', path: "$.a[1]", from: 1, most: 1, characters: 10 };
  const stop = new Int32Array(new SharedArrayBuffer(4));
  thread.postMessage({ name: "path", input, stop });
  assert.deepEqual(await reply, { output: { rows: ["2"], hasMore: false, isBehind: false } });
  await thread.terminate();
});
