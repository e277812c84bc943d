/** Bounds of a client that hold at all instances, through a real store. */

import assert from "node:assert/strict";
import {
  ClientLimits,
  defaultHttpLimits,
  type HttpLimits,
} from "../../../src/server/http/limits.ts";
import { readStateAddress } from "../../../src/state/address.ts";
import { Keyring } from "../../../src/state/keyring.ts";
import { exchangeMs, SharedUsage, staleMs } from "../../../src/state/shared_usage.ts";
import type { WhenDown } from "../../../src/state/store.ts";
import type { Clock } from "../../../src/async/clock.ts";
import { FakeClock } from "../../_clock.ts";
import { until, within } from "../../_wait.ts";
import { scratch } from "../../e2e/_scratch.ts";
import { keyFile, randomKey } from "../../state/_key_file.ts";
import { redisServer, startRedis } from "../../state/_redis_server.ts";
import { openValkeyStore } from "../../../src/state/shared_state.ts";

interface Fleet extends AsyncDisposable {
  readonly ledgers: readonly ClientLimits[];
  readonly stopStore: () => Promise<void>;
}

interface FleetSettings {
  readonly whenDown?: WhenDown;
  readonly clock?: Clock;
  /** Of one instance after the other. */
  readonly keys?: readonly (readonly string[])[];
}

async function fleet(
  count: number,
  changed: Partial<HttpLimits>,
  { whenDown = "refuse", clock, keys = [[randomKey()]] }: FleetSettings = {},
): Promise<Fleet> {
  await using folder = await scratch();
  const redis = await startRedis();
  const keyrings = keys.map((each) => new Keyring(keyFile(folder.path, each)));
  const keyringOf = (index: number) => keyrings[index % keyrings.length]!;
  const address = readStateAddress(`valkey://127.0.0.1:${redis.port}`);
  const stores = await Promise.all(
    Array.from({ length: count }, (_, index) => openValkeyStore(address, keyringOf(index))),
  );
  const limits = { ...defaultHttpLimits, ...changed };
  const ledgers = stores.map((store, index) => {
    return new ClientLimits(limits, {
      clock,
      state: { store, keyring: keyringOf(index), whenDown },
    });
  });
  return {
    ...{ ledgers, stopStore: () => redis.kill() },
    async [Symbol.asyncDispose]() {
      for (const each of [...ledgers, ...stores]) each.close();
      await redis.kill();
    },
  };
}

Deno.test("a client has no more requests in a minute than its rate, and other clients theirs", async () => {
  const clock = new FakeClock();
  const ledger = new ClientLimits({ ...defaultHttpLimits, requestsPerMinute: 3 }, { clock });
  const three = [1, 2, 3].map(() => ledger.count("ada"));
  assert.deepEqual([...three, ledger.count("ada")], [true, true, true, false]);
  assert.equal(ledger.count("bob"), true);
  await clock.advance(30_000);
  assert.equal(ledger.count("ada"), false);
  await clock.advance(29_999);
  assert.equal(ledger.count("ada"), false);
  await clock.advance(1);
  assert.equal(ledger.count("ada"), true);
});

redisServer.test("exchanges at the same time are one, and none keeps the process alive", async () => {
  await using folder = await scratch();
  await using redis = await startRedis();
  const keyring = new Keyring(keyFile(folder.path, [randomKey()]));
  const address = readStateAddress(`valkey://127.0.0.1:${redis.port}`);
  const store = await openValkeyStore(address, keyring);
  const clock = new FakeClock();
  const usage = new SharedUsage({ store, keyring, whenDown: "refuse" }, () => new Map(), clock);
  const first = usage.exchange();
  assert.equal(usage.exchange(), first);
  await first;
  assert.deepEqual([clock.timers, clock.isHeld], [[exchangeMs], false]);
  usage.close();
  store.close();
  assert.deepEqual(clock.timers, []);
});

redisServer.test("a refresh ends soon after another instance has written its counts", async () => {
  await using folder = await scratch();
  await using redis = await startRedis();
  const keyring = new Keyring(keyFile(folder.path));
  const address = readStateAddress(`valkey://127.0.0.1:${redis.port}`);
  const clock = new FakeClock();
  const stores = await Promise.all([1, 2].map(() => openValkeyStore(address, keyring)));
  const [one, other] = stores.map((store) => {
    return new SharedUsage({ store, keyring, whenDown: "refuse" }, () => new Map(), clock);
  }) as [SharedUsage, SharedUsage];
  await other.exchange();
  const fresh = one.refresh();
  await until(() => clock.timers.length === 3, "a wait for the other one");
  assert.equal(clock.isHeld, false);
  await other.exchange();
  await clock.advance(100);
  await within(fresh, "a look before the next exchange");
  for (const each of [one, other, ...stores]) each.close();
});

redisServer.test("the unanswered requests of a client count at all instances", async () => {
  await using all = await fleet(3, { requestsPerClient: 6 });
  const [one, two, three] = all.ledgers as [ClientLimits, ClientLimits, ClientLimits];
  const leave = [1, 2, 3].map(() => one.enter("ada"));
  two.enter("ada");
  assert.equal(leave.every((each) => typeof each === "function"), true);
  // Two are left: the third instance learns that within an exchange
  const entered: unknown[] = [];
  await until(() => {
    const found = three.enter("ada");
    entered.push(found);
    if (typeof found === "function" && entered.length > 2) found();
    return found === 429;
  }, "a refusal");
  assert.equal(typeof three.enter("bob"), "function");
  for (const each of leave) (each as () => void)();
  await until(() => typeof three.enter("ada") === "function", "room again");
});

redisServer.test("requests that ended at one instance take no room at another, however old its counts are", async () => {
  await using all = await fleet(2, { requestsPerClient: 2, unsentPerClient: 10 });
  const [one, two] = all.ledgers as [ClientLimits, ClientLimits];
  // As much unread as it may have
  two.unsent("ada", 10);
  const leave = [1, 2].map(() => one.enter("ada") as () => void);
  await until(() => {
    const found = two.enter("ada");
    if (typeof found === "function") found();
    return found === 429;
  }, "a refusal");
  assert.equal(await two.enterAfterRefresh("ada"), 429);
  for (const each of leave) each();
  const entered = await Promise.all([1, 2, 3].map(() => two.enterAfterRefresh("ada")));
  assert.deepEqual(entered.map((each) => typeof each), ["function", "function", "number"]);
});

redisServer.test("the rate of a client holds at all instances, less than twice of it for a moment", async () => {
  const rate = 60;
  await using all = await fleet(3, { requestsPerMinute: rate });
  // Once each instance knows of the others
  for (const ledger of all.ledgers) {
    await until(() => {
      for (let sent = 0; sent < 21; sent++) if (!ledger.count("probe")) return true;
      return false;
    }, "a part of the rate");
  }
  const admitted = () => {
    let sum = 0;
    for (const ledger of all.ledgers) for (let n = 0; n < rate; n++) sum += +ledger.count("ada");
    return sum;
  };
  let sum = admitted();
  // Exchanges give the rest to those who ask
  await until(() => (sum += admitted()) >= rate, "the whole rate");
  for (const _ of all.ledgers) sum += admitted();
  assert.equal(sum < 2 * rate, true, `${sum}`);
  const alone = all.ledgers[0]!;
  await until(() => !alone.count("ada"), "a refusal");
});

redisServer.test("instances count together while a key is replaced, and not without a key in common", async () => {
  const [old, next, other] = [randomKey(), randomKey(), randomKey()];
  const keys = [[old], [next, old], [other]];
  await using all = await fleet(3, { requestsPerClient: 2 }, { keys });
  const [one, two, stranger] = all.ledgers as [ClientLimits, ClientLimits, ClientLimits];
  for (let n = 0; n < 2; n++) one.enter("ada");
  await until(() => {
    const found = two.enter("ada");
    if (typeof found === "function") found();
    return found === 429;
  }, "a refusal");
  assert.equal(typeof stranger.enter("ada"), "function");
});

for (const [whenDown, most] of [["refuse", 3], ["local", 6]] as const) {
  redisServer.test(`without the store a client has ${most} of 6 requests at each of two (${whenDown})`, async () => {
    const clock = new FakeClock();
    await using all = await fleet(2, { requestsPerMinute: 6 }, { whenDown, clock });
    const [one] = all.ledgers as [ClientLimits];
    // It knows of the other one when a client gets half of its rate
    const half = (name: string) => [1, 2, 3, 4].filter(() => one.count(name)).length === 3;
    let tries = 0;
    await until(async () => {
      await clock.advance(exchangeMs);
      return half(`probe${tries++}`);
    }, "two instances");
    await all.stopStore();
    await clock.advance(staleMs + 1);
    const admitted = Array.from({ length: 8 }, () => one.count("eve")).filter(Boolean).length;
    assert.equal(admitted, most);
  });
}
