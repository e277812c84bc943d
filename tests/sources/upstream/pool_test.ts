/** How long a start waits for servers, by a clock that the tests move. */

import assert from "node:assert/strict";
import { ServerConnections } from "../../../src/sources/upstream/_pool_members.ts";
import { UpstreamPool } from "../../../src/sources/upstream/pool.ts";
import { expandTransport } from "../../../src/sources/upstream/spec.ts";
import { UpstreamConnection } from "../../../src/sources/upstream/connection.ts";
import { pathsInUse } from "../../../src/process/protected_paths.ts";
import { UpstreamServer } from "../../../src/sources/upstream/server.ts";
import { FakeClock, settle } from "../../_clock.ts";
import { type ServerSketch, specOf } from "../../_upstream.ts";
import { join } from "node:path";
import { textIn, until } from "../../_wait.ts";
import { scratch } from "../../e2e/_scratch.ts";
import { unix } from "../../_requirements.ts";

const environment = (name: string) => Deno.env.get(name);
const patienceMs = 65_000;

/** A program that reads and says nothing. */
function silent(name: string): ServerSketch {
  return { name, transport: "stdio", command: "/bin/sh", args: ["-c", "cat >/dev/null", name] };
}

function transportOf(sketch: ServerSketch) {
  const expanded = expandTransport(specOf(sketch).transport, environment);
  assert.ok(expanded.ok);
  return expanded.value;
}

unix.test("UpstreamPool waits no longer than it may for a silent server", async () => {
  const clock = new FakeClock();
  const members = [{ spec: specOf(silent("a")), lock: undefined }];
  const opening = UpstreamPool.open(members, { environment, patienceMs, clock });
  await clock.timer(patienceMs);
  await clock.advance(patienceMs);
  const pool = await opening;
  assert.equal(pool.states[0]!.listing, undefined);
  await pool.close();
});

unix.test("a server that has failed is tried again, after twice as long each time", async () => {
  const missing: ServerSketch = { name: "none", transport: "stdio", command: "/none/climax-none" };
  const clock = new FakeClock();
  const members = [{ spec: specOf(missing), lock: undefined }];
  const pool = await UpstreamPool.open(members, { environment, patienceMs, clock });
  pool.goLive(() => {});
  pool.goLive(() => {});
  assert.deepEqual(clock.timers, [5_000]);
  for (const waitMs of [5_000, 10_000, 20_000]) {
    // A start has a timer of 10 s as well
    await until(() => !pool.absence("none").includes("still starting"), "the end of its start");
    await clock.timer(waitMs);
    await clock.advance(waitMs);
  }
  await pool.close();
});

Deno.test("UpstreamPool computes states and addresses at a change, and not for each call", async () => {
  const spec = (name: string) => ({ spec: specOf(silent(name)), lock: undefined });
  const pool = await UpstreamPool.open([], { environment, clock: new FakeClock() });
  (await pool.change([spec("one"), spec("two")])).commit();
  const { states, addresses } = pool;
  assert.equal(pool.states, states);
  assert.equal(pool.addresses, addresses);
  assert.equal(addresses.serve("one", "x:y"), "one+x:y");
  (await pool.change([spec("one")])).commit();
  assert.equal(pool.states.length, 1);
  assert.equal(pool.addresses.serve("one", "x:y"), "x:y");
  await pool.close();
});

unix.test("UpstreamPool knows what each held server may write before one starts", async () => {
  await using dir = await scratch();
  const { name, transport, ...rest } = specOf(silent("held"));
  assert.ok(transport.kind === "stdio");
  const sandbox = { write: [dir.path] };
  const spec = { ...rest, name, transport: { ...transport, sandbox } };
  const wrong = { ...spec, transport: { ...transport, sandbox: { write: ["/none"] } } };
  const pool = await UpstreamPool.open([], { environment, clock: new FakeClock() });
  await pool.change([{ spec: wrong, lock: undefined }, { spec, lock: undefined }]);
  assert.ok([...pathsInUse()].includes(dir.path));
  await pool.close();
});

Deno.test("ServerConnections has a connection for each of 100 clients, and closes the one idle longest", async () => {
  const spec = specOf({ name: "far", transport: "http", url: "http://127.0.0.1:1/mcp" });
  const connections = new ServerConnections(spec, { environment, clock: new FakeClock() });
  assert.equal(connections.of(undefined), connections.own);
  const servers = Array.from({ length: 100 }, (_, at) => connections.of(`${at}`));
  assert.equal(new Set([connections.own, ...servers]).size, 101);
  assert.equal(connections.of("0"), servers[0]);
  connections.of("one more");
  assert.equal(connections.of("0"), servers[0]);
  assert.equal(connections.of("2"), servers[2]);
  assert.notEqual(connections.of("1"), servers[1]);
  const closing = Promise.withResolvers<void>();
  servers[4]!.close = () => closing.promise;
  connections.of("another");
  let isClosed = false;
  const closed = connections.close().then(() => isClosed = true);
  await settle();
  assert.equal(isClosed, false);
  closing.resolve();
  await closed;
  const busy = { get: () => false };
  for (const at of Array(100).keys()) {
    Object.defineProperty(connections.of(`busy ${at}`), "isIdle", busy);
  }
  assert.throws(() => connections.of("more"), /far' is called by 100 clients already, try again/);
  assert.equal(connections.hasOtherLogin, true);
  const shared = { ...spec, auth: { shared: true } };
  for (const each of [shared, specOf(silent("local"))]) {
    const one = new ServerConnections(each, { environment, clock: new FakeClock() });
    assert.equal(one.of("0"), one.own);
    await one.close();
  }
});

Deno.test("UpstreamConnection.open() says how long it has waited, and what a first start may do", async () => {
  const far = { name: "far", transport: "http", url: "http://127.0.0.1:1/mcp" } as const;
  const { timeout } = AbortSignal;
  AbortSignal.timeout = () => AbortSignal.abort(new DOMException("late", "TimeoutError"));
  try {
    for (
      const [timeoutMs, message] of [
        [30_000, "no answer within 30 s"],
        [300_000, "no answer within 300 s; if its first start installs it, try again"],
      ] as const
    ) {
      const options = { timeoutMs, onEnd() {}, onListChanged() {}, onElicit: () => assert.fail() };
      const opening = UpstreamConnection.open(specOf(far), transportOf(far), options);
      await assert.rejects(opening, { message });
    }
  } finally {
    AbortSignal.timeout = timeout;
  }
});

unix.test("UpstreamServer that is closed while it connects starts no program again", async () => {
  await using dir = await scratch();
  const file = join(dir.path, "starts");
  const args = ["-c", 'echo started >> "$0"; cat >/dev/null', file];
  const sketch: ServerSketch = { name: "s", transport: "stdio", command: "/bin/sh", args };
  const options = { environment, prior: { kind: "legacy" }, clock: new FakeClock() } as const;
  const server = new UpstreamServer(specOf(sketch), options);
  const listing = server.list().catch(() => "failed");
  await until(() => textIn(file), "the start");
  await server.close();
  assert.equal(await listing, "failed");
  assert.equal(textIn(file), "started");
});
