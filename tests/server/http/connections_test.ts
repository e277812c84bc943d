/** Connections: how many, whose have to go, what a client asks for of its own, and who reads nothing. */

import assert from "node:assert/strict";
import { classicSurface, type Surface } from "../../../src/server/surface.ts";
import { defaultHttpLimits } from "../../../src/server/http/limits.ts";
import { sendResponse } from "../../../src/server/http/exchange.ts";
import { listen } from "../../../src/server/http/listener.ts";
import { FakeClock } from "../../_clock.ts";
import { sessionOf, shellTool } from "../../_session.ts";
import { post, RawConnection, startHttp } from "./_server.ts";

const config = { name: "demo", tools: [{ name: "shell", ...shellTool }] };
const headers = "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n" +
  "Accept: application/json, text/event-stream\r\n";
const list = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });
const length = `Content-Length: ${list.length}\r\n`;

async function classic(): Promise<Surface> {
  return classicSurface(await sessionOf(config));
}

Deno.test("a connection serves one request after the other, with a body in chunks too", async () => {
  await using server = await startHttp(await classic());
  using connection = await RawConnection.open(server.port);
  connection.write(`${headers}${length}\r\n${list}`);
  await connection.received(/"name":"shell"[^]*\r\n0\r\n\r\n$/);
  const half = list.length >> 1;
  const chunks = [list.slice(0, half), list.slice(half), ""]
    .map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`).join("");
  connection.write(`${headers}Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n${chunks}`);
  const answers = await connection.closed;
  assert.equal(answers.match(/^HTTP\/1.1 200 /gm)?.length, 2, answers);
});

Deno.test("where there are too many connections, the one that waits longest goes", async () => {
  await using server = await startHttp(await classic(), { limits: { connections: 3 } });
  using first = await RawConnection.open(server.port);
  using second = await RawConnection.open(server.port);
  second.write("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
  await second.received(/alive/);
  using third = await RawConnection.open(server.port);
  using fourth = await RawConnection.open(server.port);
  assert.equal(await first.closed, "");
  for (const served of [fourth, third, second]) {
    served.write(`${headers}Connection: close\r\n${length}\r\n${list}`);
    assert.match(await served.closed, /"name":"shell"/);
  }
});

Deno.test("where every connection has a request, a further one is closed", async () => {
  const arrived = Promise.withResolvers<{ end(text: string): void }>();
  const address = { host: "127.0.0.1", port: 0 };
  const limits = { ...defaultHttpLimits, connections: 1 };
  const listener = await listen({ address, limits }, (_req, res) => {
    arrived.resolve(res);
    return Promise.resolve();
  });
  const again = listen({ address: listener.address, limits }, () => Promise.resolve());
  const message = `Port 127.0.0.1:${listener.address.port} cannot be listened on: ` +
    "another program listens there";
  await assert.rejects(again, { problems: [{ message, hint: "End it, or name another port" }] });
  using used = await RawConnection.open(listener.address.port);
  used.write("GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  const response = await arrived.promise;
  using further = await RawConnection.open(listener.address.port);
  assert.equal(await further.closed, "");
  response.end("answer");
  assert.match(await used.closed, /answer$/);
  // The only idle one goes
  using idle = await RawConnection.open(listener.address.port);
  using next = await RawConnection.open(listener.address.port);
  const which = [idle.closed.then(() => "idle"), next.closed.then(() => "next")];
  assert.equal(await Promise.race(which), "idle");
  next[Symbol.dispose]();
  await listener.close();
});

Deno.test("a connection with more requests on their way than it may have is closed", async () => {
  await using server = await startHttp(await classic(), { limits: { pipelined: 4 } });
  using few = await RawConnection.open(server.port);
  const request = `${headers}${length}\r\n${list}`;
  few.write(request.repeat(3));
  await few.received(/(?:"name":"shell"[^]*){3}/);
  using many = await RawConnection.open(server.port);
  many.write(request.repeat(50));
  await many.closed;
  await server.idle();
});

Deno.test("a connection whose client reads nothing is closed, for every kind of reply", async () => {
  const limits = { ...defaultHttpLimits, stalledMs: 200 };
  const closed = Promise.withResolvers<void>();
  const address = { host: "127.0.0.1", port: 0 };
  const listener = await listen({ address, limits }, (_req, res) => {
    res.on("close", closed.resolve).end("x".repeat(32 * 1024 * 1024));
    return Promise.resolve();
  });
  const unread = await Deno.connect({ hostname: "127.0.0.1", port: listener.address.port });
  await unread.write(new TextEncoder().encode("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"));
  await closed.promise;
  unread.close();
  await listener.close();
});

Deno.test("an answer that has not begun when the server ends is the last one of its connection", async () => {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const begun = Promise.withResolvers<void>();
  const address = { host: "127.0.0.1", port: 0 };
  const clock = new FakeClock();
  const limits = defaultHttpLimits;
  const listener = await listen({ address, limits, clock }, async (_req, res) => {
    const events = new Response(readable, { headers: { "content-type": "text/event-stream" } });
    const sending = sendResponse(res, events, () => {});
    begun.resolve();
    await sending;
  });
  // Looks for clients that do not read, and does not live for that
  assert.deepEqual([clock.timers, clock.isHeld], [[limits.stalledMs / 4], false]);
  using connection = await RawConnection.open(listener.address.port);
  connection.write(`${headers}${length}\r\n${list}`);
  await begun.promise;
  // Its client reads all there is, so it stays
  await clock.advance(2 * limits.stalledMs);
  const drained = listener.drain();
  await clock.advance(0);
  const writer = writable.getWriter();
  await writer.write(new TextEncoder().encode("data: {}\n\n"));
  await writer.close();
  assert.match(await connection.closed, /^connection: close\r$/im);
  await drained;
  await listener.close();
});

Deno.test("any number of idle connections keeps no client out", async () => {
  await using server = await startHttp(await classic(), { limits: { connections: 50 } });
  const silent = await Promise.all(
    Array.from({ length: 200 }, () => RawConnection.open(server.port)),
  );
  const response = await post(server.url, "tools/list");
  assert.equal((await response.json()).result.tools.length, 1);
  for (const connection of silent) connection[Symbol.dispose]();
});

Deno.test("a server that ends takes connections that were made, and requests until none comes for a while", async () => {
  const address = { host: "127.0.0.1", port: 0 };
  const clock = new FakeClock();
  const listener = await listen({ address, limits: defaultHttpLimits, clock }, async (req, res) => {
    await Array.fromAsync(req);
    res.end("answered");
  });
  const open = () => RawConnection.open(listener.address.port);
  let isDone = false;
  const drained = listener.drain().then(() => isDone = true);
  // Those that were waiting for Deno to take them
  const connections = [await open(), await open(), await open()];
  await clock.advance(0);
  await assert.rejects(open());
  for (const connection of connections.slice(1)) {
    await clock.advance(200);
    assert.equal(isDone, false);
    connection.write(`${headers}${length}\r\n${list}`);
    assert.match(await connection.closed, /^connection: close\r$[^]*answered/im);
  }
  // The third one is open, and brings nothing
  await clock.advance(200);
  await clock.timer(250);
  await clock.advance(250);
  await drained;
  connections[0]![Symbol.dispose]();
  await listener.close();
});
