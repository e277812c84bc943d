/** Servers that answer the probe of 2026-07-28 when `initialize` was sent already. */

import assert from "node:assert/strict";
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { FakeClock } from "../../_clock.ts";
import { LateProbeTransport } from "../../../src/sources/upstream/_late_probe.ts";

/** A pipe, and what was sent over it. */
class Pipe implements Transport {
  onclose?: () => void;
  onmessage?: (message: JSONRPCMessage) => void;
  starts = 0;
  closes = 0;
  readonly sent: unknown[] = [];

  start(): Promise<void> {
    this.starts++;
    return Promise.resolve();
  }

  send(message: JSONRPCMessage): Promise<void> {
    this.sent.push(message);
    return Promise.resolve();
  }

  close(): Promise<void> {
    this.closes++;
    this.onclose?.();
    return Promise.resolve();
  }
}

const probeId = "server-discover-probe-1";
const jsonrpc = "2.0";

/** A transport whose client has sent the probe, and then `initialize`. */
async function afterFallback() {
  const pipe = new Pipe();
  const clock = new FakeClock();
  const transport = new LateProbeTransport(pipe, false, clock);
  const got: unknown[] = [];
  transport.onmessage = (message) => void got.push(message);
  await transport.start();
  await transport.send({ jsonrpc, id: probeId, method: "server/discover" });
  await transport.send({ jsonrpc, id: 0, method: "initialize" });
  return { pipe, transport, got, clock };
}

Deno.test("LateProbeTransport passes an answer in time on", async () => {
  const pipe = new Pipe();
  const transport = new LateProbeTransport(pipe);
  const got: unknown[] = [];
  transport.onmessage = (message) => void got.push(message);
  await transport.send({ jsonrpc, id: probeId, method: "server/discover" });
  const answer = { jsonrpc, id: probeId, result: {} } as const;
  pipe.onmessage!(answer);
  assert.deepEqual(got, [answer]);
});

Deno.test("LateProbeTransport gives the answer of an old server to initialize back under its id", async () => {
  const { pipe, got } = await afterFallback();
  assert.deepEqual((pipe.sent[1] as { id: unknown }).id, "initialize-0");
  pipe.onmessage!({ jsonrpc, id: probeId, error: { code: -32601, message: "unknown" } });
  pipe.onmessage!({ jsonrpc, id: "initialize-0", result: {} });
  assert.deepEqual(got, [{ jsonrpc, id: 0, result: {} }]);
});

Deno.test("LateProbeTransport stays with a server that speaks both protocols and took initialize", async () => {
  const { pipe, got } = await afterFallback();
  pipe.onmessage!({ jsonrpc, id: probeId, result: { supportedVersions: ["2026-07-28"] } });
  pipe.onmessage!({ jsonrpc, id: "initialize-0", result: {} });
  assert.deepEqual(got, [{ jsonrpc, id: 0, result: {} }]);
});

const refused = { code: -32600, message: "no" };

Deno.test("LateProbeTransport waits for a late answer that the refusal of initialize overtakes", async () => {
  const { pipe, transport, got } = await afterFallback();
  pipe.onmessage!({ jsonrpc, id: "initialize-0", error: refused });
  const discover = { supportedVersions: ["2026-07-28"] };
  pipe.onmessage!({ jsonrpc, id: probeId, result: discover });
  assert.deepEqual(await transport.late, { kind: "modern", discover });
  assert.deepEqual(got, []);
});

Deno.test("LateProbeTransport passes the refusal of initialize on where no late answer follows", async () => {
  const silent = await afterFallback();
  silent.pipe.onmessage!({ jsonrpc, id: "initialize-0", error: refused });
  assert.deepEqual(silent.got, []);
  await silent.clock.advance(2000);
  assert.deepEqual(silent.got, [{ jsonrpc, id: 0, error: refused }]);
  const old = await afterFallback();
  old.pipe.onmessage!({ jsonrpc, id: "initialize-0", error: refused });
  old.pipe.onmessage!({ jsonrpc, id: probeId, error: refused });
  await old.clock.advance(2000);
  assert.deepEqual(old.got, [{ jsonrpc, id: 0, error: refused }]);
});

Deno.test("LateProbeTransport hands the pipe over with a late answer", async () => {
  const { pipe, transport, got } = await afterFallback();
  const discover = { supportedVersions: ["2026-07-28"] };
  pipe.onmessage!({ jsonrpc, id: probeId, result: discover });
  pipe.onmessage!({ jsonrpc, id: "initialize-0", error: { code: -32600, message: "no" } });
  assert.deepEqual(await transport.late, { kind: "modern", discover });
  const next = transport.handOver();
  const later: unknown[] = [];
  next.onmessage = (message) => void later.push(message);
  let isClosed = false;
  transport.onclose = () => isClosed = true;
  await transport.close();
  assert.deepEqual([isClosed, pipe.closes], [true, 0]);
  await assert.rejects(() => transport.send({ jsonrpc, method: "notifications/initialized" }));

  await next.start();
  assert.equal(pipe.starts, 1);
  await next.send({ jsonrpc, id: 0, method: "tools/list" });
  // Another answer to the first client has the number of the second one's request
  pipe.onmessage!({ jsonrpc, id: "initialize-0", error: { code: -32600, message: "no" } });
  pipe.onmessage!({ jsonrpc, id: 0, result: { tools: [] } });
  assert.deepEqual(later, [{ jsonrpc, id: 0, result: { tools: [] } }]);
  assert.deepEqual(got, []);
  await next.close();
  assert.equal(pipe.closes, 1);
});
