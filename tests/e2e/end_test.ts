/** A server ends whether the client or the system closes it: accepted calls are answered or ended, and no process is left. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { isAlive, pidIn } from "../_wait.ts";
import { envelope } from "../server/http/_server.ts";
import { type RawServer, startRaw, startReady } from "./_raw.ts";
import { scratch } from "./_scratch.ts";
import { fixture } from "./_server.ts";
import { unix } from "../_requirements.ts";

const windows = Deno.build.os === "windows";

/** Longer than any test waits: what would take it has not been waited for. */
const hourMs = 3_600_000;

async function send(server: RawServer, id: string, tool_name: string, args: object): Promise<void> {
  const params = { name: "climax_call", arguments: { tool_name, args } };
  await server.send({ id, method: "tools/call", params });
}

Deno.test("stdin ends: at once without calls, and no call is left, none starts late", async () => {
  await using dir = await scratch();
  const start = (...args: string[]) => startRaw([fixture("probe.yaml"), ...args]);
  await using busy = start("--concurrency", "2");
  await using idle = start();
  await using subscribed = start();
  await busy.initialize();
  await idle.initialize();
  await subscribe(subscribed);
  const files = Array.from({ length: 6 }, (_, number) => join(dir.path, `pid${number}`));
  for (const [number, file] of files.entries()) {
    await send(busy, `call ${number}`, "probe_hold", { file, ms: hourMs });
  }
  const pids = await Promise.all(files.slice(0, 2).map(pidIn));

  // The first gives its calls some time; the others end before it, though they are closed after it
  const order: string[] = [];
  const end = async (name: string, server: RawServer) => {
    await server.closeInput();
    assert.deepEqual((await server.ended()).code, 0);
    order.push(name);
  };
  await Promise.all([end("busy", busy), end("idle", idle), end("subscribed", subscribed)]);
  assert.equal(order.at(-1), "busy");
  assert.deepEqual(pids.map(isAlive), [false, false]);
  for (const file of files.slice(2)) await assert.rejects(Deno.stat(file), Deno.errors.NotFound);
  const { id, result } = JSON.parse(subscribed.lines.at(-1)!);
  assert.deepEqual([id, result.resultType], ["listening", "complete"]);
});

async function subscribe(server: RawServer): Promise<void> {
  const params = { notifications: { toolsListChanged: true }, _meta: envelope };
  await server.send({ id: "listening", method: "subscriptions/listen", params });
  await server.message(({ method }) => method === "notifications/subscriptions/acknowledged");
}

unix.test("a client that closes leaves no process behind, not even one that ignores SIGTERM", async () => {
  await using dir = await scratch();
  const file = join(dir.path, "pid");
  await using server = await startReady([fixture("probe.yaml"), "--kill-timeout", "3600"]);
  await send(server, "held", "probe_stubborn", { file });
  const pid = await pidIn(file);
  // As clients of the SDK do it, without the SIGKILL that they send at last: the server has ended
  // by itself, and has not given the program the time that it usually gives
  await server.closeInput();
  server.kill("SIGTERM");
  assert.equal((await server.ended()).code, 0);
  assert.equal(isAlive(pid), false);
});

for (const how of windows ? ["stdin"] : ["stdin", "SIGTERM"]) {
  Deno.test(`a client that does not read stderr is served, and ends the server: ${how}`, async () => {
    const args = [fixture("probe.yaml"), "--log-level", "debug"];
    await using server = await startReady(args, { readLog: false });
    // Each is logged; a pipe holds 64 KiB
    for (let number = 0; number < 30; number++) {
      const { text } = await server.call("climax_call", { tool_name: `${number}`.repeat(3000) });
      assert.match(text, /^Unknown tool/);
    }
    if (how === "stdin") await server.closeInput();
    else server.kill("SIGTERM");
    assert.equal((await server.ended()).code, 0);
  });
}
