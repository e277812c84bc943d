/** What a client may take: connections, headers, time, bodies, requests, unread answers. */

import assert from "node:assert/strict";
import type { Clock } from "../../../src/async/clock.ts";
import { FakeClock } from "../../_clock.ts";
import { classicSurface, type Surface } from "../../../src/server/surface.ts";
import {
  ClientLimits,
  defaultHttpLimits,
  type HttpLimits,
} from "../../../src/server/http/limits.ts";
import { sessionOf, shellTool } from "../../_session.ts";
import { post, RawConnection, send, startHttp } from "./_server.ts";
import { scaled } from "../../_wait.ts";
import { unix } from "../../_requirements.ts";

const config = { name: "demo", tools: [{ name: "shell", ...shellTool }] };
const get = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n";

async function classic(): Promise<Surface> {
  return classicSurface(await sessionOf(config));
}

async function isServed(url: string): Promise<void> {
  const response = await post(url, "tools/list");
  assert.equal((await response.json()).result.tools.length, 1);
}

// A connection that expires before its first bytes are read is closed without a word
const headersMs = scaled(1000);

Deno.test("headers that come slowly are not waited for", async () => {
  await using server = await startHttp(await classic(), { limits: { headersMs } });
  using slow = await RawConnection.open(server.port);
  slow.write(get);
  assert.match(await slow.closed, /^HTTP\/1.1 408 /);
  await isServed(server.url);
});

Deno.test("a connection that sends nothing is closed", async () => {
  await using server = await startHttp(await classic(), { limits: { headersMs: scaled(300) } });
  using silent = await RawConnection.open(server.port);
  await silent.closed;
});

Deno.test("headers that are too large are refused", async () => {
  await using server = await startHttp(await classic());
  using large = await RawConnection.open(server.port);
  large.write(`${get}X: ${"x".repeat(20_000)}\r\n\r\n`);
  assert.match(await large.closed, /^HTTP\/1.1 431 /);
  await isServed(server.url);
});

const headers = "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";

Deno.test("a body of 1 GB is refused before it is sent", async () => {
  await using server = await startHttp(await classic());
  using connection = await RawConnection.open(server.port);
  connection.write(`${headers}Content-Length: 1000000000\r\n\r\n{`);
  const text = await connection.closed;
  assert.match(text, /^HTTP\/1.1 413 [^]*connection: close\r\n[^]*is larger than 33554432 bytes/i);
  await isServed(server.url);
});

Deno.test("a body that does not say how long it is is read up to the bound", async () => {
  await using server = await startHttp(await classic(), { limits: { bodyBytes: 10_000 } });
  using connection = await RawConnection.open(server.port);
  connection.write(`${headers}Transfer-Encoding: chunked\r\n\r\n`);
  const chunk = `1000\r\n${" ".repeat(0x1000)}\r\n`;
  for (let number = 0; number < 4; number++) connection.write(chunk);
  assert.match(await connection.closed, /^HTTP\/1.1 413 /);
  await isServed(server.url);
});

Deno.test("a body that is not sent is not waited for", async () => {
  const limits = { requestMs: 1.5 * headersMs, headersMs };
  await using server = await startHttp(await classic(), { limits });
  using connection = await RawConnection.open(server.port);
  connection.write(`${headers}Content-Length: 100\r\n\r\n{`);
  assert.match(await connection.closed, /^HTTP\/1.1 408 /);
  await server.idle();
});

Deno.test("a message made to blow up is refused before it is parsed", async () => {
  await using server = await startHttp(await classic());
  const response = await fetch(server.url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: `[${"{},".repeat(200_000)}{}]`,
  });
  assert.match(await response.text(), /more than 100000 values/);
  assert.equal(response.status, 400);
});

unix.test("requests of one client beyond their number are told to come again", async () => {
  const running = Promise.withResolvers<void>();
  await using server = await startHttp(await classic(), {
    limits: { requestsPerClient: 1 },
    track: () => running.resolve(),
  });
  const stop = new AbortController();
  const params = { name: "shell", arguments: { script: "exec sleep 600" } };
  const held = send(server.url, { method: "tools/call", params }, {}, { signal: stop.signal })
    .then((response) => response.text()).catch(() => {});
  await running.promise;
  const refused = await post(server.url, "tools/list");
  assert.match((await refused.json()).error.message, /Too many requests at once: try again later/);
  assert.deepEqual([refused.status, refused.headers.get("retry-after")], [429, "1"]);
  stop.abort();
  await held;
  await server.idle();
  await isServed(server.url);
});

unix.test("a client that stops reading its answer is let go", async () => {
  await using server = await startHttp(await classic(), { limits: { stalledMs: 300 } });
  const connection = await Deno.connect({ hostname: "127.0.0.1", port: server.port });
  // The result is larger than what sockets hold
  const body = JSON.stringify({
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name: "shell", arguments: { script: "seq 1 40000; seq 1 40000 >&2" } },
  });
  const requests = Array.from({ length: 40 }, () => {
    return `${headers}Accept: application/json, text/event-stream\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  });
  void connection.write(new TextEncoder().encode(requests.join(""))).catch(() => {});
  const { rss } = Deno.memoryUsage();
  const reset = async () => {
    await connection.read(new Uint8Array(1));
  };
  await reset();
  await server.idle();
  assert.equal(Deno.memoryUsage().rss - rss < 500_000_000, true);
  connection.close();
  await isServed(server.url);
});

const smuggled: readonly [what: string, request: string][] = [
  ["two lengths", `${headers}Content-Length: 2\r\nContent-Length: 40\r\n\r\n{}`],
  [
    "a length and chunks",
    `${headers}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /evil HTTP/1.1\r\nHost: localhost\r\n\r\n`,
  ],
  ["an odd coding", `${headers}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n`],
  ["a length that is none", `${headers}Content-Length: +2\r\n\r\n{}`],
  ["a header with a space before its colon", `${headers}Content-Length : 2\r\n\r\n{}`],
];

for (const [what, request] of smuggled) {
  Deno.test(`a request that two servers would read differently is refused: ${what}`, async () => {
    await using server = await startHttp(await classic());
    using connection = await RawConnection.open(server.port);
    connection.write(request);
    const answer = await connection.closed;
    assert.match(answer, /^HTTP\/1.1 (?:400|501) /);
    assert.equal(answer.match(/HTTP\/1\.1/g)!.length, 1, answer);
  });
}

const limitsOf = (limits: Partial<HttpLimits>, clock?: Clock) =>
  new ClientLimits({ ...defaultHttpLimits, ...limits }, clock);

Deno.test("ClientLimits has room for so many requests, in all and of one client", () => {
  const limits = limitsOf({ requests: 3, requestsPerClient: 2 });
  const enter = (client: string) => {
    const entered = limits.enter(client);
    return typeof entered === "number" ? entered : { leave: entered };
  };
  const [one, two] = [enter("ada"), enter("ada")] as { leave: () => void }[];
  assert.equal(enter("ada"), 429);
  const three = enter("bob") as { leave: () => void };
  assert.equal(enter("eve"), 503);
  for (const { leave } of [three, two!]) leave();
  const others = [enter("ada"), enter("bob")] as { leave: () => void }[];
  assert.equal(enter("eve"), 503);
  for (const { leave } of [one!, ...others]) leave();
  assert.equal(typeof limits.enter("ada"), "function");
  assert.equal(limits.count("ada"), true);
});

Deno.test("a client has no more requests in a minute than its rate, and other clients theirs", async () => {
  const clock = new FakeClock();
  const limits = limitsOf({ requestsPerMinute: 3 }, clock);
  const three = [1, 2, 3].map(() => limits.count("ada"));
  assert.deepEqual([...three, limits.count("ada")], [true, true, true, false]);
  assert.equal(limits.count("bob"), true);
  await clock.advance(59_999);
  assert.equal(limits.count("ada"), false);
  await clock.advance(1);
  assert.equal(limits.count("ada"), true);
  // Any minute counts, not one that begins with a request
  await clock.advance(59_000);
  const next = [1, 2, 3].map(() => limits.count("ada"));
  assert.deepEqual(next, [true, true, false]);
  await clock.advance(1000);
  assert.deepEqual([limits.count("ada"), limits.count("ada")], [true, false]);
});

Deno.test("ClientLimits takes no request of a client with too much unread, and as many bytes as are left", () => {
  const limits = limitsOf({ unsentPerClient: 10, acceptedBytes: 10 });
  const isFull = (client: string) => limits.enter(client) === 429;
  limits.unsent("ada", 10);
  assert.equal(isFull("ada"), false);
  limits.unsent("ada", 1);
  assert.deepEqual([isFull("ada"), isFull("bob")], [true, false]);
  limits.unsent("ada", -1);
  assert.equal(isFull("ada"), false);
  const rows = [["ada", 5], ["ada", 1, 429], ["bob", 2], ["bob", 4, 503], ["eve", 3, 429]] as const;
  for (const [client, bytes, status] of rows) assert.equal(limits.accept(client, bytes), status);
  limits.release("ada", 5);
  for (const [bytes, status] of [[5, 429], [4, undefined]] as const) {
    assert.equal(limits.accept("ada", bytes), status);
  }
});
