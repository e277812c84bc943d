/** Bodies of requests: counted as they arrive, a share for each client, and a least rate. */

import assert from "node:assert/strict";
import type { Authenticator } from "../../../src/server/http/client.ts";
import { ClientLimits, defaultHttpLimits } from "../../../src/server/http/limits.ts";
import { classicSurface, type Surface } from "../../../src/server/surface.ts";
import { sessionOf, shellTool } from "../../_session.ts";
import { post, RawConnection, startHttp } from "./_server.ts";

const config = { name: "demo", tools: [{ name: "shell", ...shellTool }] };

async function classic(): Promise<Surface> {
  return classicSurface(await sessionOf(config));
}

/** Believes any name. */
const authenticator: Authenticator = {
  authenticate: (req) => {
    const name = String(req.headers["x-name"]);
    return Promise.resolve({ name, key: name, scopes: [] });
  },
};

function headersOf(name: string): string {
  return `POST /mcp HTTP/1.1\r\nHost: localhost\r\nX-Name: ${name}\r\n` +
    "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n";
}

async function listed(url: string, name: string): Promise<number> {
  const response = await post(url, "tools/list", {}, { "x-name": name });
  await response.text();
  return response.status;
}

Deno.test("a body that is announced and not sent takes no room from anyone", async () => {
  await using server = await startHttp(await classic(), { authenticator });
  const announced = await Promise.all([1, 2, 3, 4].map(async () => {
    const connection = await RawConnection.open(server.port);
    connection.write(`${headersOf("ada")}Content-Length: 33554432\r\n\r\n{`);
    return connection;
  }));
  for (const name of ["bob", "ada"]) assert.equal(await listed(server.url, name), 200);
  for (const connection of announced) connection[Symbol.dispose]();
  await server.idle();
});

Deno.test("a client whose bodies take all of its share is refused, and no other", async () => {
  await using server = await startHttp(await classic(), {
    authenticator,
    limits: { acceptedBytes: 4_000 },
  });
  using large = await RawConnection.open(server.port);
  large.write(`${headersOf("ada")}Content-Length: 3000\r\n\r\n{${" ".repeat(1900)}`);
  let refused: Response;
  // The large one may not have been read yet
  do {
    refused = await post(server.url, "tools/list", {}, { "x-name": "ada" });
    assert.equal(await listed(server.url, "bob"), 200);
    if (refused.status === 200) await refused.text();
  } while (refused.status === 200);
  assert.deepEqual([refused.status, refused.headers.get("retry-after")], [429, "1"]);
  assert.match(
    (await refused.json()).error.message,
    /^Too many bytes of requests of this client are waiting: try again later$/,
  );
  large[Symbol.dispose]();
  while (await listed(server.url, "ada") !== 200);
  // Together more than may wait
  for (let count = 0; count < 20; count++) assert.equal(await listed(server.url, "ada"), 200);
});

Deno.test("ClientLimits leaves room for one more client, however many have their shares", () => {
  const limits = new ClientLimits({ ...defaultHttpLimits, acceptedBytes: 1200 });
  assert.equal(limits.accept("ada", 601), 429);
  assert.equal(limits.accept("ada", 600), undefined);
  assert.equal(limits.accept("ada", 1), 429);
  assert.equal(limits.accept("bob", 300), undefined);
  assert.equal(limits.accept("cleo", 150), undefined);
  assert.equal(limits.accept("dan", 151), 503);
  assert.equal(limits.accept("dan", 75), undefined);
  limits.release("ada", 600);
  assert.equal(limits.accept("dan", 200), undefined);
});

Deno.test("a body that is refused gives back no more than it took", async () => {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" });
  const limits = { bodyBytes: body.length, acceptedBytes: 2 * body.length - 1 };
  await using server = await startHttp(await classic(), { authenticator, limits });
  for (const [text, status] of [[`${body} `, 413], [body, 429], [body, 429]] as const) {
    using connection = await RawConnection.open(server.port);
    const length = `Connection: close\r\nContent-Length: ${text.length}\r\n\r\n`;
    connection.write(`${headersOf("ada")}${length}${text}`);
    assert.match(await connection.closed, new RegExp(`^HTTP/1.1 ${status} `));
  }
});

const slow: readonly [what: string, length: string][] = [
  ["of a length", "Content-Length: 100000"],
  ["in chunks", "Transfer-Encoding: chunked"],
];

for (const [what, length] of slow) {
  Deno.test(`a body that comes too slowly ends with 408: ${what}`, async () => {
    await using server = await startHttp(await classic(), {
      limits: { slowBodyMs: 200, slowBodyBytes: 1000 },
    });
    using connection = await RawConnection.open(server.port);
    connection.write(`${headersOf("ada")}${length}\r\n\r\n`);
    const drip = setInterval(() => connection.write("1\r\n \r\n"), 20);
    const answer = await connection.closed;
    clearInterval(drip);
    assert.match(
      answer,
      /^HTTP\/1.1 408 [^]*comes too slowly: expected at least 1000 bytes each 0.2 s/,
    );
    assert.equal(answer.match(/HTTP\/1.1/g)?.length, 1, answer);
    await server.idle();
  });
}

const reading: readonly [what: string, path: string][] = [
  ["is read", "/mcp"],
  ["is refused", "/nothing"],
];

for (const [what, path] of reading) {
  Deno.test(`a body in chunks of one byte is not read to its end: one that ${what}`, async () => {
    await using server = await startHttp(await classic());
    using connection = await RawConnection.open(server.port);
    const headers = headersOf("ada").replace("/mcp", path);
    connection.write(`${headers}Transfer-Encoding: chunked\r\n\r\n${"1\r\n \r\n".repeat(100_000)}`);
    await connection.closed;
    assert.equal(await listed(server.url, "ada"), 200);
    await server.idle();
  });
}

Deno.test("a body that comes fast at first and then stops ends with 408", async () => {
  await using server = await startHttp(await classic(), {
    limits: { slowBodyMs: 200, slowBodyBytes: 1000 },
  });
  using connection = await RawConnection.open(server.port);
  connection.write(`${headersOf("ada")}Content-Length: 100000\r\n\r\n${" ".repeat(90_000)}`);
  assert.match(await connection.closed, /^HTTP\/1.1 408 /);
});
