import assert from "node:assert/strict";
import { join } from "node:path";
import { scratch } from "../../e2e/_scratch.ts";
import { keyOf, readCache, writeCache } from "../../../src/catalog/meaning/meaning.ts";

Deno.test("readCache() takes a file that is wrong for empty", async () => {
  await using dir = await scratch();
  const path = join(dir.path, "vectors.json");
  assert.deepEqual(await readCache(path), new Map());
  assert.deepEqual(await readCache(dir.path), new Map());
  await writeCache(path, new Map([[await keyOf("m", "a"), Int8Array.of(1, 2)]]));
  const whole = await Deno.readTextFile(path);
  const cut = Array.from(whole, (_, length) => whole.slice(0, length));
  for (
    const text of [
      ...cut,
      "null",
      '"text"',
      "[1]",
      '{"a":1}',
      '{"a":"!"}',
      '{"a":"AQ==","b":"AQI="}',
    ]
  ) {
    await Deno.writeTextFile(path, text);
    assert.deepEqual(await readCache(path), new Map(), text);
  }
});
