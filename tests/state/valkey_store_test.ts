import assert from "node:assert/strict";
import { join } from "node:path";
import { type Clock, systemClock } from "../../src/async/clock.ts";
import { readStateAddress } from "../../src/state/address.ts";
import { maxValueBytes, type SharedStore, StateError } from "../../src/state/store.ts";
import { resetLog, setLogFile } from "../../src/log.ts";
import { Keyring } from "../../src/state/keyring.ts";
import { scratch } from "../e2e/_scratch.ts";
import { FakeClock } from "../_clock.ts";
import { until } from "../_wait.ts";
import { type RedisServer, redisServer, startRedis } from "./_redis_server.ts";
import { keyFile } from "./_key_file.ts";
import { openValkeyStore } from "../../src/state/shared_state.ts";

interface Shared extends Disposable {
  readonly one: SharedStore;
  readonly other: SharedStore;
}

/** Two instances with the same key. */
async function twoInstances(redis: RedisServer, clocks: readonly Clock[] = []): Promise<Shared> {
  await using folder = await scratch();
  const path = keyFile(folder.path);
  const address = readStateAddress(`valkey://127.0.0.1:${redis.port}`);
  const open = (index: number) => openValkeyStore(address, new Keyring(path), clocks[index]);
  const [one, other] = await Promise.all([open(0), open(1)]);
  return { one, other, [Symbol.dispose]: () => [one, other].forEach((each) => each.close()) };
}

const failed = (failure: string) => (error: unknown) =>
  error instanceof StateError && error.failure === failure;

Deno.test({
  name: "a shared store keeps records and fields of all instances",
  ...redisServer,
  async fn() {
    await using redis = await startRedis();
    using shared = await twoInstances(redis);
    const { one, other } = shared;
    // It is asked for room only where it was full
    assert.equal((await redis.ask("EXISTS", "climax:1:probe")).trim(), ":0");
    await one.put("a", "text – ü", 60_000);
    assert.equal(await other.get("a"), "text – ü");
    assert.equal(await other.get("b"), undefined);
    await one.putFields("f", { x: "", y: "2" }, 60_000);
    await other.putFields("f", { y: "3" }, 60_000);
    assert.deepEqual([...await one.getFields("f")].toSorted(), [["x", ""], ["y", "3"]]);
    assert.deepEqual([...await one.getFields("f", ["y", "z"])], [["y", "3"]]);
    assert.deepEqual([...await one.getFields("f", ["y"])], [["y", "3"]]);
    // What cannot be read hides nothing, unless it is asked for
    await redis.ask("HSET", "climax:1:f", "rubbish", "x");
    assert.deepEqual([...await one.getFields("f")].toSorted(), [["x", ""], ["y", "3"]]);
    await assert.rejects(one.getFields("f", ["rubbish"]), failed("unreadable"));
    await one.deleteFields("f", ["rubbish"]);
    assert.equal(await one.deleteFields("f", ["x"]), 1);
    await one.deleteFields("f", ["x", "y"]);
    assert.deepEqual([...await one.getFields("f")], []);
    await one.delete("a");
    assert.equal(await other.get("a"), undefined);
    // No field, and less than a millisecond
    await one.putFields("n", {}, 60_000);
    assert.deepEqual([...await one.getFields("f", [])], []);
    assert.deepEqual([await one.deleteFields("f", []), await one.get("n")], [0, undefined]);
    await one.put("n", "", 0);
    await one.putFields("f", { x: "1", y: "2" }, 60_000);
    assert.equal(await other.deleteFields("f", ["x", "z"]), 1);
    const left = Number((await redis.ask("PTTL", "climax:1:f")).slice(1));
    assert.ok(left > 0 && left <= 60_000, `${left}`);
    const script = "return {KEYS[1], KEYS[2], ARGV[1]}";
    const keys = ["climax:1:a", "climax:1:b"];
    assert.deepEqual(await one.run(script, ["a", "b"], ["c"]), [...keys, "c"]);
    await one.put("a", "x".repeat(maxValueBytes), 1000);
    await assert.rejects(one.put("a", "x".repeat(maxValueBytes + 1), 1000), failed("large"));
  },
});

Deno.test({
  name: "take() is granted once of all instances, and not after the store lost its records",
  ...redisServer,
  async fn() {
    await using dir = await scratch();
    await using redis = await startRedis({ options: ["--dir", dir.path] });
    using shared = await twoInstances(redis);
    const { one, other } = shared;
    const generation = one.generation!;
    assert.equal(generation, other.generation);
    const attempts = [one, other, one, other].map((each) => each.take("t", 60_000, generation));
    assert.deepEqual((await Promise.all(attempts)).toSorted(), ["taken", "used", "used", "used"]);
    const log = join(dir.path, "log");
    setLogFile(log);
    await redis.ask("FLUSHALL");
    assert.equal(await other.take("t", 60_000, generation), "lost");
    await until(() => one.generation !== generation, "another generation");
    const second = one.generation!;
    resetLog();
    const again = "The shared store has begun again: open questions must be asked again";
    assert.equal((await Deno.readTextFile(log)).includes(again), true);
    await redis.ask("SAVE");
    assert.equal(await one.take("t3", 60_000, second), "taken");
    // It comes back with an older state, which does not have that
    await redis.kill();
    await using next = await startRedis({ port: redis.port, options: ["--dir", dir.path] });
    await until(() => other.condition === "up", "the store");
    assert.equal((await next.ask("EXISTS", "climax:1:generation")).trim(), ":1");
    assert.equal(await other.take("t3", 60_000, second), "lost");
    await until(() => one.generation !== second, "another generation");
    assert.equal(await one.take("t2", 60_000, one.generation!), "taken");
  },
});

Deno.test({
  name: "a sealed value is not readable in the store, and not under another name",
  ...redisServer,
  async fn() {
    await using redis = await startRedis();
    using shared = await twoInstances(redis);
    const { one } = shared;
    await one.put("a", "the secret", 60_000);
    assert.equal((await redis.ask("GET", "climax:1:a")).includes("secret"), false);
    // Name of the key, salt, nonce, and tag
    const bytes = 8 + 16 + 12 + "the secret".length + 16;
    assert.equal((await redis.ask("STRLEN", "climax:1:a")).trim(), `:${bytes}`);
    const cut = "redis.call('SET', KEYS[1], string.sub(redis.call('GET', KEYS[2]), 1, 20))";
    await redis.ask("EVAL", cut, "2", "climax:1:c", "climax:1:a");
    await assert.rejects(one.get("c"), failed("unreadable"));
    await redis.ask("COPY", "climax:1:a", "climax:1:b");
    await assert.rejects(one.get("b"), failed("unreadable"));
    await redis.ask("APPEND", "climax:1:a", "x");
    await assert.rejects(one.get("a"), failed("unreadable"));
    await redis.ask("SET", "climax:1:a", "short");
    await assert.rejects(one.get("a"), failed("unreadable"));
    using stranger = await twoInstances(redis);
    await one.put("a", "the secret", 60_000);
    await assert.rejects(stranger.one.get("a"), failed("unreadable"));
  },
});

Deno.test({
  name: "a store that is away or full fails each operation, and is used again afterwards",
  ...redisServer,
  async fn() {
    const redis = await startRedis();
    // A look takes no time, however busy the machine is, until the store itself is to be slow
    let isTimed = false;
    const now = () => isTimed ? systemClock.now() : 0;
    using shared = await twoInstances(redis, [{ ...systemClock, now }]);
    const { one } = shared;
    await using dir = await scratch();
    const file = join(dir.path, "log");
    setLogFile(file);
    await redis.kill();
    await until(() => one.condition === "down", "down");
    await assert.rejects(one.get("a"), failed("down"));
    await assert.rejects(one.take("a", 1000, one.generation!), failed("down"));
    await using again = await startRedis({ port: redis.port });
    await until(() => one.condition === "up", "up again");
    assert.equal((await again.ask("EXISTS", "climax:1:probe")).trim(), ":0");
    resetLog();
    const said = await Deno.readTextFile(file);
    assert.match(said, /warning: The shared store is down/);
    assert.doesNotMatch(said, /is up/);
    await one.put("a", "b", 60_000);

    await again.ask("CONFIG", "SET", "maxmemory", "1");
    await assert.rejects(one.put("a", "b", 60_000), failed("full"));
    await assert.rejects(one.take("u", 1000, one.generation!), failed("full"));
    await assert.rejects(one.putFields("f", { a: "b" }, 1000), failed("full"));
    assert.equal(await one.get("a"), "b");
    assert.equal(one.condition, "full");
    await again.ask("CONFIG", "SET", "maxmemory", "0");
    await until(() => one.condition === "up", "room again");

    isTimed = true;
    // It answers what it is asked a second later, again and again, until a look has met that
    await until(async () => {
      await again.ask("CLIENT", "PAUSE", "1000", "ALL");
      return one.condition === "slow";
    }, "slow");
    assert.equal(await one.get("a"), "b");
    isTimed = false;
    await until(() => one.condition === "up", "quick again");
    assert.equal((await again.ask("EXISTS", "climax:1:probe")).trim(), ":0");

    await again.ask("ACL", "SETUSER", "default", "-time");
    await until(() => one.condition === "down", "refused");
    await again.ask("ACL", "SETUSER", "default", "+time");
    await until(() => one.condition === "up", "let in again");
  },
});

Deno.test({
  name: "a store that cannot save stays full however often it is looked at, until it can",
  ...redisServer,
  async fn() {
    const dir = await scratch();
    await using redis = await startRedis({ options: ["--dir", dir.path] });
    using shared = await twoInstances(redis);
    const { one } = shared;
    await redis.ask("CONFIG", "SET", "save", "3600 1000");
    await dir[Symbol.asyncDispose]();
    await redis.ask("BGSAVE");
    const info = (section: string, found: RegExp) =>
      redis.ask("INFO", section).then((text) => found.exec(text)?.[1] ?? "");
    await until(
      async () => await info("persistence", /last_bgsave_status:(err)/) !== "",
      "failure",
    );
    await assert.rejects(one.put("a", "b", 60_000), failed("full"));
    await using folder = await scratch();
    const file = join(folder.path, "log");
    setLogFile(file);
    const looks = async () => Number(await info("commandstats", /cmdstat_time:calls=(\d+)/));
    const before = await looks();
    await until(async () => await looks() > before + 2, "looks of both");
    resetLog();
    assert.equal(one.condition, "full");
    // Each change of the condition would be a line
    assert.equal(await Deno.readTextFile(file).catch(() => ""), "");
    await redis.ask("CONFIG", "SET", "stop-writes-on-bgsave-error", "no");
    await until(() => one.condition === "up", "room again");
  },
});

Deno.test({
  name: "a store that refuses the password or the database is an error, one that is away is not",
  ...redisServer,
  async fn() {
    await using redis = await startRedis({ options: ["--requirepass", "right"] });
    await using folder = await scratch();
    const keyring = new Keyring(keyFile(folder.path));
    const refused = {
      name: "ClimaxError",
      message: /^The store refuses climax: .*(?:NOAUTH|WRONGPASS) /,
    };
    const at = (userInfo: string) => readStateAddress(`redis://${userInfo}127.0.0.1:${redis.port}`);
    const held = new FakeClock();
    await assert.rejects(openValkeyStore(at(":wrong@"), keyring, held), refused);
    assert.deepEqual(held.timers, []);
    await assert.rejects(openValkeyStore(at(""), keyring), refused);
    const beyond = readStateAddress(`redis://:right@127.0.0.1:${redis.port}/9999`);
    await assert.rejects(openValkeyStore(beyond, keyring), /DB index is out of range/);
    const clock = new FakeClock();
    const log = join(folder.path, "log");
    setLogFile(log);
    const store = await openValkeyStore(at(":right@"), keyring, clock);
    assert.equal(store.condition, "up");
    assert.doesNotMatch(await Deno.readTextFile(log), /cannot be reached|has begun again/);
    // Looks at it once a second, and does not live for that
    assert.deepEqual([clock.timers, clock.isHeld], [[1000], false]);
    store.close();
    assert.deepEqual(clock.timers, []);
    await redis.kill();
    const away = await openValkeyStore(at(":right@"), keyring);
    assert.equal(away.condition, "down");
    resetLog();
    assert.doesNotMatch(await Deno.readTextFile(log), /The shared store is down/);
    assert.match(
      await Deno.readTextFile(log),
      /store at redis:\/\/127\.0\.0\.1:\d+ cannot be reached: .*ECONNREFUSED/,
    );
    away.close();
  },
});

Deno.test({
  name: "of a record with more fields than are listed, those that are asked for are read",
  ...redisServer,
  async fn() {
    await using redis = await startRedis();
    using shared = await twoInstances(redis);
    const { one, other } = shared;
    await one.putFields("f", { mine: "1" }, 60_000);
    for (let part = 0; part < 100; part++) {
      const fields = Array.from({ length: 100 }, (_, at) => [`${part}-${at}`, "rubbish"]).flat();
      assert.equal((await redis.ask("HSET", "climax:1:f", ...fields)).trim(), ":100");
    }
    const sent = async () => {
      const text = await redis.ask("INFO", "stats");
      return Number(/total_net_output_bytes:(\d+)/.exec(text)![1]);
    };
    const before = await sent();
    await other.getFields("f");
    const bytes = await sent() - before;
    // All of them are over 200,000
    assert.ok(bytes < 100_000, `${bytes}`);
    assert.deepEqual([...await other.getFields("f", ["mine"])], [["mine", "1"]]);
  },
});
