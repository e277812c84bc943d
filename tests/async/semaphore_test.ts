import assert from "node:assert/strict";
import fc from "../_properties.ts";
import { FairSemaphore, type Release } from "../../src/async/semaphore.ts";

function held(place: unknown): Release {
  assert.equal(typeof place, "function");
  return place as Release;
}

Deno.test("FairSemaphore grants its permits, then lets callers wait in order", async () => {
  const queue = new FairSemaphore(2);
  const first = held(await queue.acquire());
  const second = held(await queue.acquire());
  const order: string[] = [];
  const third = queue.acquire().then((place) => (order.push("third"), held(place)));
  const fourth = queue.acquire().then((place) => (order.push("fourth"), held(place)));
  await Promise.resolve();
  assert.deepEqual(order, []);
  second();
  (await third)();
  first();
  (await fourth)();
  assert.deepEqual(order, ["third", "fourth"]);
});

Deno.test("FairSemaphore removes a cancelled caller, and no other", async () => {
  const queue = new FairSemaphore(1);
  const first = held(await queue.acquire());
  const leaver = new AbortController();
  const second = queue.acquire({ signal: leaver.signal });
  const third = queue.acquire();
  leaver.abort();
  assert.equal(await second, "cancelled");
  first();
  held(await third)();
  held(await queue.acquire())();
});

Deno.test("FairSemaphore grants no permit to a cancelled caller", async () => {
  const queue = new FairSemaphore(1);
  assert.equal(await queue.acquire({ signal: AbortSignal.abort() }), "cancelled");
  held(await queue.acquire())();
});

Deno.test("FairSemaphore counts a permit that is released twice once", async () => {
  const queue = new FairSemaphore(1);
  const first = held(await queue.acquire());
  first();
  first();
  const second = held(await queue.acquire());
  let third: Release | undefined;
  const waiting = queue.acquire().then((place) => third = held(place));
  await Promise.resolve();
  assert.equal(third, undefined);
  second();
  await waiting;
});

Deno.test("FairSemaphore refuses more than ten thousand waiting callers, and recovers", async () => {
  const queue = new FairSemaphore(1);
  const first = held(await queue.acquire());
  const waiting = Array.from({ length: 10_000 }, () => queue.acquire());
  assert.equal(await queue.acquire(), "full");
  first();
  for (const place of waiting) held(await place)();
  held(await queue.acquire())();
});

Deno.test("FairSemaphore never grants more permits than it has, and serves all callers", async () => {
  const caller = fc.record({ ticks: fc.nat(5), givesUp: fc.option(fc.nat(8)) });
  const run = fc.asyncProperty(
    fc.integer({ min: 1, max: 4 }),
    fc.array(caller),
    async (places, callers) => {
      const queue = new FairSemaphore(places);
      let inside = 0;
      await Promise.all(callers.map(async ({ ticks, givesUp }) => {
        const controller = new AbortController();
        if (givesUp !== null) void wait(givesUp).then(() => controller.abort());
        const place = await queue.acquire({ signal: controller.signal });
        if (typeof place === "string") return;
        assert.ok(++inside <= places);
        await wait(ticks);
        inside--;
        place();
      }));
      // Every place is free again
      for (let count = 0; count < places; count++) held(await queue.acquire());
    },
  );
  await fc.assert(run);
});

async function wait(ticks: number): Promise<void> {
  for (let tick = 0; tick < ticks; tick++) await Promise.resolve();
}

Deno.test("FairSemaphore gives one of several clients its share, and no more", async () => {
  const queue = new FairSemaphore(5);
  const greedy = Array.from({ length: 6 }, () => queue.acquire({ owner: "greedy" }));
  assert.equal(queue.shareOf("greedy"), 3);
  assert.equal(queue.countHeld("greedy"), 3);
  const modest = [1, 2].map(() => queue.acquire({ owner: "modest" }));
  assert.equal(queue.countHeld("modest"), 2);
  held(await modest[0])();
  // There is a place, and it is not for whoever has its share
  assert.equal(queue.countHeld("greedy"), 3);
  held(await greedy[0])();
  assert.equal(queue.countHeld("greedy"), 3);
  for (const place of greedy.slice(1)) held(await place)();
  held(await modest[1])();
  // Who is not told apart may have all of them
  for (let count = 0; count < 5; count++) held(await queue.acquire());
});

Deno.test("FairSemaphore alternates between owners with one permit", async () => {
  const queue = new FairSemaphore(1);
  const order: string[] = [];
  const ask = async (owner: string) => {
    const place = held(await queue.acquire({ owner }));
    order.push(owner);
    await Promise.resolve();
    place();
  };
  const first = held(await queue.acquire({ owner: "greedy" }));
  const all = [...Array.from({ length: 5 }, () => ask("greedy")), ask("modest"), ask("third")];
  first();
  await Promise.all(all);
  assert.deepEqual(order.slice(0, 3), ["modest", "third", "greedy"]);
});
