/** What is kept of long outputs: whole, bounded, each owner's own, gone in time. */

import assert from "node:assert/strict";
import { FakeClock } from "../_clock.ts";
import { defaultOutputBounds } from "../../src/jobs/stored_output.ts";
import { Outputs } from "../../src/jobs/outputs.ts";

const bounds = { bytes: 100, totalBytes: 250, count: 3, ageMs: 60_000 };

async function stored(use: (store: Outputs) => void | Promise<void>, some = bounds) {
  const store = new Outputs(some);
  try {
    await use(store);
  } finally {
    await store.close();
  }
}

Deno.test("Outputs gives a text back, to its owner alone", async () => {
  await stored(async (store) => {
    const { id, isCut } = (await store.store("héllo\n", "ada"))!;
    assert.match(id, /^k[0-9a-z]{12}$/);
    assert.equal(isCut, false);
    assert.equal(store.read(id, "ada"), "héllo\n");
    for (const other of [undefined, "", "bob"]) assert.equal(store.read(id, other), undefined);
    const own = (await store.store("mine"))!;
    assert.equal(store.read(own.id), "mine");
    assert.equal(store.read(own.id, "ada"), undefined);
    assert.notEqual(own.id, id);
  });
});

Deno.test("Outputs keeps a bounded part of each, between characters", async () => {
  await stored(async (store) => {
    const { id, isCut, bytes } = (await store.store("é".repeat(51)))!;
    assert.deepEqual([isCut, bytes], [true, 100]);
    assert.equal(store.read(id), "é".repeat(50));
    const odd = (await store.store(`x${"é".repeat(51)}`))!;
    assert.equal(store.read(odd.id), `x${"é".repeat(49)}`);
  });
});

Deno.test("Outputs lets the oldest go for number and for size", async () => {
  await stored(async (store) => {
    const ids = await Promise.all(
      ["a", "b", "c", "d"].map(async (text) => (await store.store(text))!.id),
    );
    assert.deepEqual(ids.map((id) => store.read(id)), [undefined, "b", "c", "d"]);
    const large = await Promise.all(
      ["x", "y", "z"].map(async (letter) => (await store.store(letter.repeat(100)))!.id),
    );
    assert.deepEqual(large.map((id) => store.read(id)?.[0]), [undefined, "y", "z"]);
  });
});

Deno.test("Outputs forgets each output when it is old, asked or not", async () => {
  const clock = new FakeClock();
  const store = new Outputs(bounds, clock);
  const first = (await store.store("first"))!.id;
  await clock.advance(bounds.ageMs / 2);
  const second = (await store.store("second"))!.id;
  await clock.advance(bounds.ageMs / 2 - 1);
  assert.deepEqual([store.read(first), store.read(second)], ["first", "second"]);
  await clock.advance(1);
  assert.deepEqual([store.read(first), store.read(second)], [undefined, "second"]);
  await clock.advance(bounds.ageMs);
  assert.deepEqual(clock.timers, []);
  await store.close();
});

Deno.test("Outputs spools a stream, and says what of it there was no room for", async () => {
  await stored(async (store) => {
    const spool = store.openOutput()!;
    for (let part = 0; part < 3; part++) spool.write(new TextEncoder().encode("x".repeat(50)));
    assert.equal(spool.read(), `${"x".repeat(100)}\n[… 50 bytes omitted …]`);
    spool.discard();
    // The places of streams are places of outputs
    const three = [store.openOutput(), store.openOutput(), store.openOutput()];
    assert.equal(three.includes(undefined), false);
    assert.equal(store.openOutput(), undefined);
    assert.equal(await store.store("no room"), undefined);
    for (const each of three) each!.discard();
    assert.notEqual(await store.store("room"), undefined);
  });
});

Deno.test("Outputs is closed once, and keeps nothing afterwards", async () => {
  const store = new Outputs();
  const { id } = (await store.store("x"))!;
  const spool = store.openOutput()!;
  await store.close();
  await store.close();
  spool.write(new Uint8Array(3));
  assert.equal(spool.bytes, 0);
  spool.discard();
  assert.equal(await store.store("y"), undefined);
  assert.equal(store.read(id), undefined);
  assert.ok(
    defaultOutputBounds.count * defaultOutputBounds.bytes >= defaultOutputBounds.totalBytes,
  );
});

Deno.test("Outputs discards an output that it has copied, and no other", async () => {
  await stored(async (store) => {
    let discarded = 0;
    const whole = { lines: 0, bytes: 0, read: () => "copied", discard: () => discarded++ };
    const { id } = (await store.store(whole))!;
    assert.deepEqual([store.read(id), discarded], ["copied", 1]);
    store.close();
    assert.equal(await store.store(whole), undefined);
    assert.equal(discarded, 1);
  });
});

Deno.test("Outputs takes no room from whoever has less", async () => {
  await stored(async (store) => {
    const mine = (await store.store("mine", "ada"))!.id;
    const others = await Promise.all(
      Array.from({ length: 9 }, async () => (await store.store("flood", "bob"))!.id),
    );
    assert.equal(store.read(mine, "ada"), "mine");
    assert.deepEqual(others.map((id) => store.read(id, "bob")).slice(-3), [
      undefined,
      "flood",
      "flood",
    ]);
    // By size too, and for what is on its way
    const spools = [store.openOutput("bob")!, store.openOutput("bob")!];
    for (const spool of spools) spool.write(new Uint8Array(100));
    assert.equal(store.openOutput("bob"), undefined);
    assert.equal(store.read(mine, "ada"), "mine");
    // Whoever has less gets what others have
    for (const spool of spools) spool.discard();
    await store.store("one", "bob");
    await store.store("two", "bob");
    assert.notEqual(await store.store("new", "carl"), undefined);
    assert.equal(store.read(mine, "ada"), "mine");
  });
});
