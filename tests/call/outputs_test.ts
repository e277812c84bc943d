/** What is kept of long outputs: whole, bounded, private, gone in time. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { defaultOutputBounds, OutputStore } from "../../src/call/outputs.ts";
import { withTempDir } from "../_fixtures.ts";

const windows = Deno.build.os === "windows";
const bounds = { bytes: 100, totalBytes: 250, count: 3, ageMs: 60_000 };

function stored(use: (store: OutputStore, directory: string) => void, some = bounds) {
  return withTempDir((dir) => {
    const directory = join(dir, "own");
    const store = OutputStore.open(directory, some)!;
    try {
      use(store, directory);
    } finally {
      store.close();
    }
    return Promise.resolve();
  });
}

Deno.test("OutputStore gives a text back, to its owner alone", async () => {
  await stored((store) => {
    const { id, isCut } = store.keep("héllo\n", "ada")!;
    assert.match(id, /^k[0-9a-z]{12}$/);
    assert.equal(isCut, false);
    assert.equal(store.read(id, "ada"), "héllo\n");
    for (const other of [undefined, "", "bob"]) assert.equal(store.read(id, other), undefined);
    const own = store.keep("mine")!;
    assert.equal(store.read(own.id), "mine");
    assert.equal(store.read(own.id, "ada"), undefined);
    assert.notEqual(own.id, id);
  });
});

Deno.test("OutputStore keeps a bounded part of each, between characters", async () => {
  await stored((store) => {
    const { id, isCut, bytes } = store.keep("é".repeat(51))!;
    assert.deepEqual([isCut, bytes], [true, 100]);
    assert.equal(store.read(id), "é".repeat(50));
    const odd = store.keep(`x${"é".repeat(51)}`)!;
    assert.equal(store.read(odd.id), `x${"é".repeat(49)}`);
  });
});

Deno.test("OutputStore lets the oldest go for number and for size", async () => {
  await stored((store) => {
    const ids = ["a", "b", "c", "d"].map((text) => store.keep(text)!.id);
    assert.deepEqual(ids.map((id) => store.read(id)), [undefined, "b", "c", "d"]);
    const large = ["x", "y", "z"].map((letter) => store.keep(letter.repeat(100))!.id);
    assert.deepEqual(large.map((id) => store.read(id)?.[0]), [undefined, "y", "z"]);
  });
});

Deno.test("OutputStore forgets what is old, asked or not", async () => {
  await stored((store) => {
    const { id } = store.keep("soon gone")!;
    assert.equal(store.read(id), undefined);
  }, { ...bounds, ageMs: 0 });
});

Deno.test("OutputStore spools a stream, and says what of it there was no room for", async () => {
  await stored((store) => {
    const spool = store.spool()!;
    for (let part = 0; part < 3; part++) spool.write(new TextEncoder().encode("x".repeat(50)));
    assert.equal(spool.read(), `${"x".repeat(100)}\n[… 50 bytes omitted …]`);
    spool.discard();
    // The places of streams are places of outputs
    const three = [store.spool(), store.spool(), store.spool()];
    assert.equal(three.includes(undefined), false);
    assert.equal(store.spool(), undefined);
    assert.equal(store.keep("no room"), undefined);
    for (const each of three) each!.discard();
    assert.notEqual(store.keep("room"), undefined);
  });
});

Deno.test({ name: "OutputStore leaves nothing that has a name", ignore: windows }, async () => {
  await stored((store, directory) => {
    store.keep("secret");
    assert.throws(() => Deno.statSync(directory), Deno.errors.NotFound);
  });
});

Deno.test(
  { name: "OutputStore takes no directory that others can look into", ignore: windows },
  async () => {
    await withTempDir(async (dir) => {
      const open = join(dir, "open");
      await Deno.mkdir(open);
      await Deno.chmod(open, 0o755);
      assert.equal(OutputStore.open(open, bounds), undefined);
      const own = join(dir, "own");
      await Deno.mkdir(own, { mode: 0o700 });
      await Deno.symlink(own, join(dir, "link"));
      assert.equal(OutputStore.open(join(dir, "link"), bounds), undefined);
      await Deno.writeTextFile(join(dir, "file"), "");
      assert.equal(OutputStore.open(join(dir, "file"), bounds), undefined);
      assert.deepEqual([...Deno.readDirSync(own)], []);
    });
  },
);

Deno.test("OutputStore is closed once, and keeps nothing afterwards", async () => {
  await withTempDir((dir) => {
    const store = OutputStore.open(join(dir, "own"))!;
    const { id } = store.keep("x")!;
    const spool = store.spool()!;
    store.close();
    store.close();
    spool.write(new Uint8Array(3));
    spool.discard();
    assert.equal(store.keep("y"), undefined);
    assert.equal(store.read(id), undefined);
    return Promise.resolve();
  });
  assert.ok(
    defaultOutputBounds.count * defaultOutputBounds.bytes >= defaultOutputBounds.totalBytes,
  );
});

Deno.test("OutputStore lets go of what it has a copy of, and of nothing that it could not copy", async () => {
  await stored((store) => {
    let discarded = 0;
    const uncut = { lines: 0, bytes: 0, read: () => "copied", discard: () => discarded++ };
    const { id } = store.keep(uncut)!;
    assert.deepEqual([store.read(id), discarded], ["copied", 1]);
    store.close();
    assert.equal(store.keep(uncut), undefined);
    assert.equal(discarded, 1);
  });
});
