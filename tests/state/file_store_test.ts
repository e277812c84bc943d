/** Records in a file of a person: shared by processes, and not believed once others could have changed it. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { systemClock } from "../../src/async/clock.ts";
import { FileStore } from "../../src/state/file_store.ts";
import { scratch } from "../e2e/_scratch.ts";
import { unixTest } from "../_requirements.ts";

async function withStore(use: (store: FileStore, folder: string) => Promise<void>): Promise<void> {
  await using dir = await scratch();
  const folder = join(dir.path, "private");
  const store = await FileStore.open(folder, "records");
  try {
    await use(store, folder);
  } finally {
    store.close();
  }
}

Deno.test("FileStore shares fields with another one, and one of two takes a field", () =>
  withStore(async (store, folder) => {
    const other = await FileStore.open(folder, "records");
    await Promise.all([store.putFields("a", { x: "1" }), other.putFields("a", { y: "2" })]);
    await other.putFields("b", { z: "3" });
    assert.deepEqual(Object.fromEntries(await store.getFields("a")), { x: "1", y: "2" });
    assert.deepEqual([...await store.getFields("a", ["y", "none"])], [["y", "2"]]);
    const taken = await Promise.all([store, other].map((each) => each.deleteFields("a", ["x"])));
    assert.deepEqual(taken.toSorted(), [0, 1]);
    assert.deepEqual([...await store.getFields("b")], [["z", "3"]]);
    other.close();
    await assert.rejects(other.getFields("a"), Deno.errors.BadResource);
  }));

unixTest("FileStore makes no file where a link leads", () =>
  withStore(async (_, folder) => {
    await Deno.symlink(join(folder, "target"), join(folder, "link"));
    await assert.rejects(FileStore.open(folder, "link"), /It is a link/);
    await assert.rejects(Deno.lstat(join(folder, "target")), Deno.errors.NotFound);
  }));

unixTest(
  "FileStore makes its file and folder for their owner alone, and git ignores them",
  () =>
    withStore(async (_, folder) => {
      assert.equal((await Deno.stat(folder)).mode! & 0o777, 0o700);
      assert.equal((await Deno.stat(join(folder, "records"))).mode! & 0o777, 0o600);
      assert.equal(await Deno.readTextFile(join(folder, ".gitignore")), "*\n");
    }),
);

const changes: readonly [what: string, change: (file: string) => Promise<void>, said: RegExp][] = [
  ["others may read", (file) => Deno.chmod(file, 0o644), /Other users may read it/],
  [
    "lies where others may write",
    (file) => Deno.chmod(join(file, ".."), 0o777),
    /Other users may write to its folder/,
  ],
  ["is a link", async (file) => {
    await Deno.rename(file, `${file}.real`);
    await Deno.symlink(`${file}.real`, file);
  }, /It is a link/],
  ["is a folder", async (file) => {
    await Deno.remove(file);
    await Deno.mkdir(file);
  }, /It is not a file/],
  ["has more than it may", (file) => Deno.truncate(file, 9 * 1024 * 1024), /has 9437184 bytes/],
];

for (const [what, change, said] of changes) {
  unixTest(
    `FileStore uses no file that ${what}, open or not`,
    () =>
      withStore(async (store, folder) => {
        await store.putFields("a", { x: "1" });
        await change(join(folder, "records"));
        await assert.rejects(store.getFields("a"), said);
        await assert.rejects(FileStore.open(folder, "records"), said);
      }),
  );
}

unixTest(
  "FileStore believes no file that took the place of its own",
  () =>
    withStore(async (store, folder) => {
      const file = join(folder, "records");
      await Deno.writeTextFile(`${file}.new`, '{"a":{"x":"forged"}}', { mode: 0o600 });
      await Deno.rename(`${file}.new`, file);
      await assert.rejects(store.getFields("a"), /was replaced/);
      await Deno.remove(file);
      await assert.rejects(store.getFields("a"), Deno.errors.NotFound);
    }),
);

Deno.test("FileStore writes nothing over what it has not written", () =>
  withStore(async (store, folder) => {
    for (const text of ["{", "[1]", '{"a":1}', "null", '{"a":{"x":7}}']) {
      await Deno.writeTextFile(join(folder, "records"), text);
      await assert.rejects(store.putFields("a", { x: "1" }), /not as climax wrote it: move it/);
      assert.equal(await Deno.readTextFile(join(folder, "records")), text);
    }
  }));

Deno.test("FileStore takes as much as it reads, and keeps what it has when more is put", () =>
  withStore(async (store) => {
    const full = "x".repeat(8 * 1024 * 1024 - '{"a":{"x":""}}'.length);
    await store.putFields("a", { x: full });
    await assert.rejects(store.putFields("a", { x: `${full}x` }), /has no room/);
    assert.equal((await store.getFields("a")).get("x"), full);
  }));

Deno.test("FileStore waits for a lock of any kind, three seconds at most", () =>
  withStore(async (store, folder) => {
    using other = await Deno.open(join(folder, "records"));
    const { after } = systemClock;
    let waits = 0;
    systemClock.after = (ms, act, options) => {
      if (ms === 10 && ++waits === 302) other.unlockSync();
      return after(0, act, options);
    };
    try {
      other.lockSync();
      await assert.rejects(store.putFields("a", { x: "1" }), ({ failure, message }) => {
        return failure === "late" && /records stays locked$/.test(message);
      });
      assert.equal(waits, 301);
      await store.putFields("a", { x: "2" });
      assert.equal(waits, 302);
    } finally {
      systemClock.after = after;
    }
    assert.deepEqual([...await store.getFields("a")], [["x", "2"]]);
    // And it holds none when it has what it wants, or refuses it
    assert.equal(other.tryLockSync(true), true);
  }));
