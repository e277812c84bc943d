/** What a client may still have, by the counts of all instances. */

import assert from "node:assert/strict";
import { openValkeyStore } from "../../src/state/shared_state.ts";
import { type ClientCounts, SharedUsage } from "../../src/state/shared_usage.ts";
import { readStateAddress } from "../../src/state/address.ts";
import { Keyring } from "../../src/state/keyring.ts";
import { FakeClock } from "../_clock.ts";
import { freePort } from "../_free_port.ts";
import { scratch } from "../e2e/_scratch.ts";
import { until } from "../_wait.ts";
import { keyFile } from "./_key_file.ts";
import { redisServer, startRedis } from "./_redis_server.ts";

/** One store and what two instances say through it. */
async function usages(own: readonly Readonly<Record<string, ClientCounts>>[]) {
  await using folder = await scratch();
  const redis = await startRedis();
  const keyring = new Keyring(keyFile(folder.path));
  const address = readStateAddress(`valkey://127.0.0.1:${redis.port}`);
  const clock = new FakeClock();
  const asked = own.map(() => 0);
  const stores = await Promise.all(own.map(() => openValkeyStore(address, keyring)));
  const all = stores.map((store, index) => {
    // How old counts are must not depend on how long a test takes
    store.now = () => clock.now();
    const counts = () => {
      asked[index]!++;
      return new Map(Object.entries(own[index]!));
    };
    // The last one goes on alone while the store is away
    const whenDown = index === own.length - 1 ? "local" : "refuse";
    return new SharedUsage({ store, keyring, whenDown }, counts, clock);
  });
  // Each has begun an exchange
  assert.deepEqual(asked, own.map(() => 1));
  // The first exchange may have begun before the others had written
  for (const usage of [...all, ...all, ...all]) await usage.exchange();
  return {
    ...{ all, stores, asked, clock, redis, record: `usage:${keyring.first.name}` },
    async [Symbol.asyncDispose]() {
      for (const each of [...all, ...stores]) each.close();
      await redis.kill();
    },
  };
}

redisServer.test("hasRoom() counts what others have, and leaves them their part of the rest", async () => {
  const counts = [{ ada: { running: 2, recent: 10 } }, { ada: { running: 1, recent: 4 } }];
  await using shared = await usages(counts);
  const { all: [one, other], asked, clock, stores } = shared;
  const rows: readonly (readonly [string, keyof ClientCounts, limit: number, most: number])[] = [
    ["ada", "running", 5, 4],
    ["ada", "running", 1, 0],
    ["bob", "running", 5, 5],
    // 16 are free of 20: 10 that are known to others, and half of the rest
    ["ada", "recent", 20, 13],
    ["ada", "recent", 19, 13],
    ["ada", "recent", 21, 14],
    ["ada", "recent", 10, 10],
    ["bob", "recent", 5, 3],
  ];
  for (const [client, count, limit, most] of rows) {
    const found = [most - 1, most].map((own) => one!.hasRoom(client, count, { own, limit }));
    assert.deepEqual(found, [true, false], `${client} ${count} of ${limit}`);
    await one!.exchange();
  }
  // Half of the part is the moment to ask for more
  for (const [own, limit, more] of [[11, 20, 0], [12, 20, 1], [11, 22, 0], [12, 22, 1]] as const) {
    const before = asked[0]!;
    one!.hasRoom("ada", "recent", { own, limit });
    assert.equal(asked[0]! - before, more);
    await one!.exchange();
  }
  await shared.redis.kill();
  await until(() => stores.every(({ condition }) => condition === "down"), "the loss");
  await clock.advance(5000);
  assert.equal(one!.hasRoom("ada", "running", { own: 3, limit: 5 }), true);
  await clock.advance(1);
  for (const [usage, most] of [[one!, 3], [other!, 5]] as const) {
    const found = [most - 1, most].map((own) => usage.hasRoom("ada", "running", { own, limit: 5 }));
    assert.deepEqual(found, [true, false]);
  }
});

Deno.test("hasRoom() gives the whole limit where no other instance was ever seen", async () => {
  await using folder = await scratch();
  const keyring = new Keyring(keyFile(folder.path));
  const address = readStateAddress(`valkey://127.0.0.1:${freePort()}`);
  const [store, clock] = [await openValkeyStore(address, keyring), new FakeClock()];
  let asked = 0;
  const own = () => {
    asked++;
    return new Map();
  };
  const usage = new SharedUsage({ store, keyring, whenDown: "refuse" }, own, clock);
  const found = [4, 5].map((own) => usage.hasRoom("ada", "running", { own, limit: 5 }));
  assert.deepEqual([found, clock.timers, clock.isHeld], [[true, false], [500], false]);
  usage.close();
  assert.deepEqual([clock.timers, asked], [[], 0]);
  store.close();
});

redisServer.test("refresh() waits until all others have written, and five seconds for one that has ended", async () => {
  await using shared = await usages([{}, {}, {}]);
  const { all: [one, other, last], clock } = shared;
  // They write when they are told to
  for (const usage of [one, other, last]) usage!.close();
  let isDone = false;
  const looks = async (refreshing: Promise<void>) => {
    for (let looks = 0;; looks++) {
      await Promise.race([clock.timer(100), refreshing]);
      if (isDone) {
        // Ends the wait for a timer
        clock.after(100, () => {})();
        return looks;
      }
      assert.equal(clock.isHeld, false);
      if (looks === 1) await other!.exchange();
      if (looks === 3 && isAlive) await last!.exchange();
      await clock.advance(100);
    }
  };
  let isAlive = true;
  const refresh = () => {
    isDone = false;
    return one!.refresh().then(() => void (isDone = true));
  };
  assert.equal(await looks(refresh()), 4);
  isAlive = false;
  assert.equal(await looks(refresh()), 50);
});

redisServer.test("exchange() leaves out counts that are old, and removes those of instances that are long gone", async () => {
  await using shared = await usages([{}]);
  const { all: [usage], stores: [store], record } = shared;
  const clients = { ada: [1, 0] };
  const ages = { now: 0, old: 20_000, gone: 90_000 };
  const written = Object.entries(ages).map(([name, age]) => {
    return [name, JSON.stringify({ at: store!.now() - age, clients })];
  });
  await store!.putFields(record, Object.fromEntries(written), 60_000);
  await usage!.exchange();
  const found = [0, 1].map((own) => usage!.hasRoom("ada", "running", { own, limit: 2 }));
  assert.deepEqual(found, [true, false]);
  const left = [...(await store!.getFields(record)).keys()].filter((key) => key in ages);
  assert.deepEqual(left.toSorted(), ["now", "old"]);
});
