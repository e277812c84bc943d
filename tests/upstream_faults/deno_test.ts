/**
 * Faults of Deno and of iovalkey that `src/exec`, `src/net`, `src/worker` and `src/state` work around, each as small as it is. A test
 * that turns red says that the fault is mended: then the code that it names can go.
 */

import assert from "node:assert/strict";
import { Worker } from "node:worker_threads";
import { Redis } from "iovalkey";
import { answerOf, losses, rawServer } from "../_raw_server.ts";

Deno.test("a thread that computes goes on after terminate(): src/worker/run_task.ts checks the time", async () => {
  const [count, stop] = [0, 1];
  const shared = new Int32Array(new SharedArrayBuffer(8));
  const code = `import { workerData } from "node:worker_threads";
    while (Atomics.load(workerData, ${stop}) === 0) Atomics.add(workerData, ${count}, 1);`;
  const url = new URL(`data:text/javascript,${encodeURIComponent(code)}`);
  const thread = new Worker(url, { workerData: shared });
  const counted = async () => {
    const before = Atomics.load(shared, count);
    for (let turn = 0; turn < 2000 && Atomics.load(shared, count) === before; turn++) {
      await new Promise((done) => setTimeout(done, 1));
    }
    return Atomics.load(shared, count) !== before;
  };
  assert.equal(await counted(), true);
  await thread.terminate();
  assert.equal(await counted(), true);
  Atomics.store(shared, stop, 1);
});

Deno.test("iovalkey listens for one error of a stream: src/state/_connection.ts", async () => {
  using server = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = server.addr as Deno.NetAddr;
  const options = { lazyConnect: true, enableReadyCheck: false, retryStrategy: () => null };
  const redis = new Redis({ host: "127.0.0.1", port, ...options });
  redis.on("error", () => {});
  const [connection] = await Promise.all([server.accept(), redis.connect()]);
  const ended = new Promise((done) => redis.once("end", done));
  const { stream } = redis;
  stream.emit("error", new Error("first"));
  assert.throws(() => stream.emit("error", new Error("second")), { message: "second" });
  connection.close();
  await ended;
});

for (const loss of ["fin", "rst", "half a head"] as const) {
  Deno.test(`fetch repeats a POST whose used connection is lost by ${loss}: src/net/send_once.ts has no pool`, async () => {
    await using far = await rawServer(({ path }, socket) => {
      path === "/ok" ? socket.write(answerOf("{}")) : losses[loss](socket);
    });
    const post = { method: "POST", body: "{}" };
    await (await fetch(`${far.url}/ok`, post)).text();
    await assert.rejects(fetch(`${far.url}/act`, post));
    assert.equal(far.requests.filter(({ path }) => path === "/act").length, 2);
  });
}

Deno.test("fetch says in words only whether it was connected: src/net/send_once.ts reads them", async () => {
  const far = await rawServer((_, socket) => void socket.end());
  const causeOf = async () => (await fetch(far.url).catch((error) => error)).cause;
  const lost = await causeOf();
  await far[Symbol.asyncDispose]();
  const refused = await causeOf();
  assert.deepEqual([lost.code, refused.code], [undefined, undefined]);
  assert.match(lost.message, /client error \(SendRequest\)/);
  assert.match(refused.message, /client error \(Connect\)/);
});
