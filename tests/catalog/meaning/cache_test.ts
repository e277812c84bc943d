import assert from "node:assert/strict";
import { join } from "node:path";
import { scratch } from "../../e2e/_scratch.ts";
import { keyOf, readCache, writeCache } from "../../../src/catalog/meaning/meaning.ts";

Deno.test("readCache() gives what writeCache() wrote", async () => {
  await using dir = await scratch();
  const path = join(dir.path, "new folder", "vectors.bin");
  const vectors = new Map([
    [await keyOf("m", "a"), Int8Array.of(1, -127, 3)],
    [await keyOf("m", "b"), Int8Array.of(0, 5, 127)],
  ]);
  await writeCache(path, vectors);
  assert.deepEqual(await readCache(path), vectors);
  await writeCache(path, new Map());
  assert.deepEqual(await readCache(path), new Map());
  const names = [...Deno.readDirSync(join(dir.path, "new folder"))].map(({ name }) => name);
  assert.deepEqual(names, ["vectors.bin"]);
});

Deno.test("keyOf() differs by model and by text", async () => {
  const keys = await Promise.all(
    [["m", "a"], ["m", "b"], ["n", "a"], ["ma", ""]].map(([m, t]) => keyOf(m!, t!)),
  );
  assert.equal(new Set(keys).size, 4);
});

Deno.test("readCache() takes a file that is wrong in any byte of its frame for empty", async () => {
  await using dir = await scratch();
  const path = join(dir.path, "vectors.bin");
  assert.deepEqual(await readCache(path), new Map());
  assert.deepEqual(await readCache(dir.path), new Map());
  await writeCache(path, new Map([[await keyOf("m", "a"), Int8Array.of(1, 2)]]));
  const whole = await Deno.readFile(path);
  for (let place = 0; place < 16; place++) {
    const broken = whole.slice();
    broken[place]! ^= 0xff;
    await Deno.writeFile(path, broken);
    assert.deepEqual(await readCache(path), new Map(), `byte ${place}`);
  }
  for (let length = 0; length < whole.length; length++) {
    await Deno.writeFile(path, whole.subarray(0, length));
    assert.deepEqual(await readCache(path), new Map(), `${length} bytes`);
  }
});
