/** Stored outputs in a store of several instances: texts, bounds, owners, and a store that is away. */

import assert from "node:assert/strict";
import { defaultOutputBounds } from "../../../src/jobs/stored_output.ts";
import { StateError } from "../../../src/state/store.ts";
import { until } from "../../_wait.ts";
import { randomKey } from "../../state/_key_file.ts";
import { redisServer, startRedis } from "../../state/_redis_server.ts";
import { type Instance, openInstance } from "./_shared.ts";

/** Resolves when `id` is in the store, and no longer in the memory of its instance. */
async function stored(instance: Instance, id: string, owner?: string): Promise<string> {
  return await until(async () => {
    if (instance.outputs.read(id, owner) !== undefined) return undefined;
    return await instance.outputs.open(id, owner);
  }, "the output in the store");
}

redisServer.test("SharedOutputs gives an output at each instance as it was stored", async () => {
  await using redis = await startRedis();
  await using one = await openInstance(redis);
  await using other = await openInstance(redis);
  const { bytes } = defaultOutputBounds;
  for (
    const text of ["", "x", "wörd 🦕\n".repeat(1000), "🦕".repeat(bytes / 4), "x".repeat(bytes + 1)]
  ) {
    const kept = await one.outputs.store(text, "ada");
    assert.equal(kept === undefined, text === "");
    if (kept === undefined) continue;
    const here = await stored(one, kept.id, "ada");
    assert.equal(here.startsWith(text.slice(0, bytes)), true);
    assert.equal(await other.outputs.open(kept.id, "ada") === here, true);
  }
});

redisServer.test("SharedOutputs shows an output to its owner in its scope alone", async () => {
  await using redis = await startRedis();
  await using one = await openInstance(redis);
  await using other = await openInstance(redis, { scope: "other" });
  const { id } = (await one.outputs.store("text", "ada"))!;
  await stored(one, id, "ada");
  for (const owner of [undefined, "", "bob", "ada\0"]) {
    assert.equal(await one.outputs.open(id, owner), undefined);
  }
  assert.equal(await other.outputs.open(id, "ada"), undefined);
  for (const wrong of ["", "k", `${id}0`, "k/../index", `j${id.slice(1)}`, "k".repeat(100_000)]) {
    assert.equal(await one.outputs.open(wrong, "ada"), undefined);
  }
});

redisServer.test("SharedOutputs holds the bounds of all instances together, whoever fills them first", async () => {
  await using redis = await startRedis();
  const bounds = { count: 6, bytes: 1000, totalBytes: 4000 };
  await using one = await openInstance(redis, { bounds });
  await using other = await openInstance(redis, { bounds });
  const both = [one, other];
  const keep = async (owner: string, bytes: number, at: number) => {
    const kept = (await both[at % 2]!.outputs.store("x".repeat(bytes), owner))!;
    await stored(both[at % 2]!, kept.id, owner);
    return kept.id;
  };
  const isThere = async (owner: string, ids: readonly string[]) => {
    const opened = await Promise.all(ids.map((id) => other.outputs.open(id, owner)));
    return opened.map((text) => text !== undefined);
  };
  const adas: string[] = [];
  for (let at = 0; at < 5; at++) adas.push(await keep("ada", 100, at));
  assert.deepEqual(await isThere("ada", adas), [false, false, true, true, true]);
  const bobs: string[] = [];
  for (let at = 0; at < 3; at++) bobs.push(await keep("bob", 100, at));
  assert.deepEqual(await isThere("ada", adas), [false, false, true, true, true]);
  // The third takes from one who has more
  const eve = await keep("eve", 100, 0);
  const [left] = [[...await isThere("ada", adas), ...await isThere("bob", bobs)]];
  assert.equal(left.filter((is) => is).length, 5);
  assert.deepEqual(await isThere("eve", [eve]), [true]);
  const large = [await keep("bob", 900, 0), await keep("bob", 900, 1), await keep("bob", 900, 2)];
  // Half of 4,000 bytes
  assert.deepEqual(await isThere("bob", large), [false, true, true]);
});

redisServer.test("SharedOutputs says that an output of another key cannot be read, and never shows a changed one", async () => {
  await using redis = await startRedis();
  await using one = await openInstance(redis);
  await using other = await openInstance(redis, { key: randomKey() });
  const [first, second] = [
    (await one.outputs.store("first ".repeat(50_000), "ada"))!.id,
    (await one.outputs.store("other ".repeat(50_000), "ada"))!.id,
  ];
  await stored(one, first, "ada");
  await stored(one, second, "ada");
  await assert.rejects(() => other.outputs.open(first, "ada"), { failure: "unreadable" });
  // The text of one in the other
  const key = (await redis.ask("KEYS", `climax:1:output/*/${first}`)).split("\r\n").at(-2)!;
  const script = "redis.call('HSET', ARGV[2], 'text', redis.call('HGET', ARGV[1], 'text'))";
  await redis.ask("EVAL", script, "0", key.replace(first, second), key);
  await using reader = await openInstance(redis);
  await assert.rejects(() => reader.outputs.open(first, "ada"), { failure: "unreadable" });
});

redisServer.test("SharedOutputs without its store, then with it again", async () => {
  const redis = await startRedis();
  await using one = await openInstance(redis);
  await using other = await openInstance(redis);
  await redis.kill();
  await until(() => one.store.condition === "down", "its absence");
  assert.equal(await one.outputs.store("text", "ada"), undefined);
  await assert.rejects(() => other.outputs.open("k000000000000", "ada"), StateError);
  await using _again = await startRedis({ port: redis.port });
  const { id } = (await until(() => one.outputs.store("text", "ada"), "room"))!;
  const text = await until(async () => {
    return await other.outputs.open(id, "ada").catch(() => undefined);
  }, "the output at the other instance");
  assert.equal(text, "text");
});
