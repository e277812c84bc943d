/** Stored outputs in a store of several instances: parts of them, bounds, owners, and a store that is away. */

import assert from "node:assert/strict";
import { type OutputText, outputText } from "../../../src/jobs/stored_output.ts";
import { PiecedText } from "../../../src/jobs/shared/pieces.ts";
import { type SharedStore, StateError } from "../../../src/state/store.ts";
import { readOutput } from "../../../src/sources/builtin/output_tools.ts";
import { textOf } from "../../../src/tool/result.ts";
import { until } from "../../_wait.ts";
import { randomKey } from "../../state/_key_file.ts";
import { redisServer, startRedis } from "../../state/_redis_server.ts";
import { type Instance, openInstance } from "./_shared.ts";

/** More than a page in each piece, lines over pieces, and characters of up to four bytes. */
const texts = {
  lines: Array.from({ length: 200_000 }, (_, at) => `${at + 1} é`).join("\n") + "\n",
  "one line": "wörd 🦕 ".repeat(200_000),
  "long lines": ["🦕".repeat(300_000), "x", "y ".repeat(500_000), "", "z"].join("\n"),
  "line feeds": "\n".repeat(2_000_000),
};

/** Counts the pieces that are read. */
function countPieces(store: SharedStore, count: (pieces: number) => void): SharedStore {
  return new Proxy(store, {
    get(target, name) {
      const value = Reflect.get(target, name, target);
      if (typeof value !== "function") return value;
      return (...args: unknown[]) => {
        const keys = args[1] as readonly string[];
        if (name === "getFields") count(keys.filter((key) => key !== "record").length);
        return value.apply(target, args);
      };
    },
  });
}

/** Resolves when `id` is in the store, and no longer in the memory of its instance. */
async function stored(instance: Instance, id: string, owner?: string): Promise<OutputText> {
  return await until(async () => {
    const text = await instance.outputs.open(id, owner);
    return text instanceof PiecedText ? text : undefined;
  }, "the output in the store");
}

redisServer.test("SharedOutputs gives each page as memory does, without the rest of the text", async () => {
  await using redis = await startRedis();
  await using one = await openInstance(redis);
  let pieces = 0;
  const observe = (store: SharedStore) => countPieces(store, (more) => pieces += more);
  await using other = await openInstance(redis, { observe });
  for (const [what, text] of Object.entries(texts)) {
    const { id } = (await one.outputs.store(text, "ada"))!;
    await stored(one, id, "ada");
    const { bytes, lines } = outputText(text);
    const positions: Record<string, number>[] = [1, 2, 3, 0.3, 0.5, 0.9, 1 - 1e-6].flatMap(
      (at) => {
        const part = (all: number) => at >= 1 ? at : Math.floor(at * all);
        return [
          { from_line: part(lines), lines: 3 },
          { from_line: part(lines), lines: 5000 },
          { from_byte: part(bytes) },
          { tail: Math.max(1, part(Math.min(lines, 5000))) },
        ];
      },
    );
    for (const position of [...positions, { from_line: lines }, { from_byte: bytes - 1 }]) {
      const values = new Map(Object.entries<string | number>({ id, lines: 200, ...position }));
      const read = async (open: (id: string) => Promise<OutputText | undefined>) => {
        return textOf(await readOutput({ open, maxTokens: 1000 }, values));
      };
      pieces = 0;
      const page = await read((id) => other.outputs.open(id, "ada"));
      const expected = await read(() => Promise.resolve(outputText(text)));
      assert.equal(page === expected, true, `${what}: ${JSON.stringify(position)}`);
      assert.equal(pieces <= 4, true, `${what}: ${JSON.stringify(position)}: ${pieces} pieces`);
    }
    assert.equal(await (await other.outputs.open(id, "ada"))!.whole(), text, what);
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
  // A piece of one in the other, and two pieces of one in another order
  const key = (await redis.ask("KEYS", `climax:1:output/*/${first}`)).split("\r\n").at(-2)!;
  const from = key.replace(first, second);
  const swap = async (field: string, key: string, as: string, at: string) => {
    const script = "redis.call('HSET', ARGV[3], ARGV[4], redis.call('HGET', ARGV[1], ARGV[2]))";
    await redis.ask("EVAL", script, "0", key, field, at, as);
    const text = await one.outputs.open(first, "ada");
    await assert.rejects(async () => await text!.whole(), { failure: "unreadable" });
  };
  await swap("0", from, "0", key);
  await swap("1", key, "0", key);
  await redis.ask("HDEL", key, "1");
  const { id } = (await one.outputs.store("first ".repeat(50_000), "ada"))!;
  const cut = await stored(one, id, "ada");
  await redis.ask("HDEL", key.replace(first, id), "2");
  await assert.rejects(async () => await cut.whole(), StateError);
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
  assert.equal(await text.whole(), "text");
});
