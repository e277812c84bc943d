/** Streams that clients do not read or have lost, the number of sessions, and what only a session can answer. */

import assert from "node:assert/strict";
import { boundStream, HttpSessions, startsSession } from "../../../src/server/http/sessions.ts";
import type { Surface } from "../../../src/server/surface.ts";
import { FakeClock } from "../../_clock.ts";
import { until } from "../../_wait.ts";

/** A stream of chunks of 10 bytes, and what became of it. */
function chunks(count: number) {
  const source = { cancelled: false, sent: 0 };
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      for (; source.sent < count; source.sent++) controller.enqueue(new Uint8Array(10));
      if (count < 50) controller.close();
    },
    cancel: () => void (source.cancelled = true),
  });
  return { stream, source };
}

async function lengthOf(stream: ReadableStream<Uint8Array>): Promise<number> {
  let length = 0;
  for await (const chunk of stream) length += chunk.length;
  return length;
}

Deno.test("boundedStream() passes on what is within its bound", async () => {
  assert.equal(await lengthOf(boundStream(chunks(10).stream, 100)), 100);
});

Deno.test("boundedStream() ends a stream that is not read", async () => {
  const { stream, source } = chunks(50);
  const bounded = boundStream(stream, 100);
  await until(() => source.cancelled, "the end of the stream");
  await assert.rejects(lengthOf(bounded), /reads too slowly/);
});

Deno.test("boundedStream() passes on that no client reads any more", async () => {
  const { stream, source } = chunks(50);
  await boundStream(stream, 10_000).cancel();
  assert.equal(source.cancelled, true);
});

Deno.test("startsSession() is true for what has no meaning without one", () => {
  const rows: readonly [body: unknown, isOfSession: boolean][] = [
    [{ method: "resources/subscribe" }, true],
    [{ method: "tools/list" }, false],
    [{ id: 1, result: {} }, true],
    [{ id: 1, error: {} }, true],
    [{ method: "tools/list", result: {} }, false],
    [{ id: 1 }, false],
    [undefined, false],
  ];
  for (const [body, isOfSession] of rows) assert.equal(startsSession(body), isOfSession);
});

Deno.test("HttpSessions has 1,000 sessions, and ends one for another", async () => {
  const client = { scopes: [] };
  const surface = { features: {} } as Surface;
  const mcp = { connect: () => Promise.resolve(), close: () => Promise.resolve() };
  const sessions = new HttpSessions({ createServer: () => mcp as never, clock: new FakeClock() });
  const asked = { surface, client, profile: undefined, owner: "", id: undefined };
  const params = {
    ...{ protocolVersion: "2025-11-25", capabilities: {} },
    clientInfo: { name: "test", version: "1" },
  };
  const body = { jsonrpc: "2.0", id: 1, method: "initialize", params };
  const begin = async () => {
    const request = new Request("http://localhost/mcp", { method: "POST", body: "" });
    return (await sessions.of(request, asked, body))!.id;
  };
  const ids: string[] = [];
  for (let count = 0; count < 1000; count++) ids.push(await begin());
  const left = () => ids.filter((id) => sessions.find({ ...asked, id }) !== undefined).length;
  assert.equal(left(), 1000);
  await begin();
  assert.equal(left(), 999);
  await sessions.close();
});
