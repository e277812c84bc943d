/** How serving ends: whoever closes, accepted calls are answered or ended, and nothing is left. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { type RawServer, startRaw } from "./_raw.ts";
import { isAlive, scratch, until } from "./_scratch.ts";
import { fixture } from "./_server.ts";

const windows = Deno.build.os === "windows";

/** Sends a call that holds for `ms` milliseconds; returns the id of its process once it runs. */
async function hold(server: RawServer, file: string, ms: number): Promise<number> {
  const args = { tool_name: "probe_hold", args: { file, ms } };
  const params = { name: "climax_call", arguments: args };
  const message = { jsonrpc: "2.0", id: "held", method: "tools/call", params };
  await server.sendText(JSON.stringify(message));
  const read = () => {
    try {
      return Number(Deno.readTextFileSync(file)) || undefined;
    } catch {
      return undefined;
    }
  };
  return await until(read, "the process id of the held call");
}

function answers(server: RawServer): unknown[] {
  return server.lines.map((line) => JSON.parse(line).id);
}

Deno.test("stdin ends with nothing running: exit code 0 at once", async () => {
  await using server = startRaw([fixture("probe.yaml")]);
  await server.initialize();
  const started = performance.now();
  await server.closeInput();
  assert.deepEqual(await server.ended(), { code: 0, stderr: "" });
  assert.ok(performance.now() - started < 1500);
});

Deno.test("stdin ends before the handshake: exit code 0", async () => {
  await using server = startRaw([fixture("probe.yaml")]);
  await server.closeInput();
  assert.deepEqual(await server.ended(), { code: 0, stderr: "" });
  assert.deepEqual(server.lines, []);
});

Deno.test("stdin ends while a call runs that ends in time: it is answered", async () => {
  await using dir = await scratch();
  await using server = startRaw([fixture("probe.yaml")]);
  await server.initialize();
  const pid = await hold(server, join(dir.path, "pid"), 300);
  await server.closeInput();
  assert.equal((await server.ended()).code, 0);
  const { id, result } = JSON.parse(server.lines.at(-1)!);
  assert.equal(id, "held");
  assert.equal(result.content[0].text, "held");
  assert.equal(isAlive(pid), false);
});

Deno.test("stdin ends while a call runs that does not: its process is ended", async () => {
  await using dir = await scratch();
  await using server = startRaw([fixture("probe.yaml")]);
  await server.initialize();
  const pid = await hold(server, join(dir.path, "pid"), 60_000);
  const started = performance.now();
  await server.closeInput();
  assert.equal((await server.ended()).code, 0);
  const took = performance.now() - started;
  assert.ok(took > 1900 && took < 8000, `${took} ms`);
  assert.equal(isAlive(pid), false);
});

Deno.test("a call that was sent with the last bytes is answered", async () => {
  await using server = startRaw([fixture("probe.yaml")]);
  await server.initialize();
  const params = { name: "climax_call", arguments: { tool_name: "probe_warn" } };
  await server.sendBytes(
    new TextEncoder().encode(
      JSON.stringify({ jsonrpc: "2.0", id: "last", method: "tools/call", params }),
    ),
  );
  await server.closeInput();
  assert.equal((await server.ended()).code, 0);
  const { id, result } = JSON.parse(server.lines.at(-1)!);
  assert.equal(id, "last");
  assert.equal(result.isError, false);
});

for (const signal of windows ? [] : ["SIGTERM", "SIGINT"] as const) {
  Deno.test(`${signal} ends the calls and their processes: exit code 0`, async () => {
    await using dir = await scratch();
    await using server = startRaw([fixture("probe.yaml")]);
    await server.initialize();
    const pid = await hold(server, join(dir.path, "pid"), 60_000);
    server.kill(signal);
    assert.equal((await server.ended()).code, 0);
    assert.equal(isAlive(pid), false);
  });
}

Deno.test("a cancelled call is ended with its process, and gets no answer", async () => {
  await using dir = await scratch();
  await using server = startRaw([fixture("probe.yaml")]);
  await server.initialize();
  const pid = await hold(server, join(dir.path, "pid"), 60_000);
  const params = { requestId: "held", reason: "changed my mind" };
  await server.sendText(
    JSON.stringify({ jsonrpc: "2.0", method: "notifications/cancelled", params }),
  );
  await until(() => isAlive(pid) ? undefined : true, "the end of the process");
  await server.request("ping");
  assert.ok(!answers(server).includes("held"));
});
