/** Servers that are there already: over Streamable HTTP, and over a WebSocket. */

import assert from "node:assert/strict";
import { freePort } from "../../_free_port.ts";
import { callOf, failureOf, textOf, unknownOutcome } from "./_calls.ts";
import { farServer, farSocketServer } from "./_far.ts";
import { until } from "../../_wait.ts";
import { npmServer, specOf } from "../../_upstream.ts";
import { WebSocketTransport } from "../../../src/sources/upstream/_websocket.ts";
import { UpstreamServer } from "../../../src/sources/upstream/server.ts";
import { headerSecrets } from "../../../src/sources/upstream/spec.ts";

const environment = (name: string) => Deno.env.get(name);

const closed =
  `Server 'far' ended while the call was running: the connection was closed${unknownOutcome}`;

/** A server from npm on a port of its own. */
async function everythingOverHttp(mode: "streamableHttp" | "sse" = "streamableHttp") {
  const port = freePort();
  const program = await npmServer("everything") + (Deno.build.os === "windows" ? ".cmd" : "");
  const child = new Deno.Command(program, {
    args: [mode],
    env: { PORT: String(port) },
    stdout: "null",
    stderr: "piped",
  }).spawn();
  const reader = child.stderr.getReader();
  let said = "";
  while (!/(?:listening|running) on port/.test(said)) {
    const { value, done } = await reader.read();
    if (done) throw new Error(`The server ended: ${said}`);
    said += new TextDecoder().decode(value);
  }
  return {
    url: `http://127.0.0.1:${port}/${mode === "sse" ? "sse" : "mcp"}`,
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await child.status;
      await reader.cancel();
    },
  };
}

Deno.test("UpstreamServer speaks Streamable HTTP with a server that others wrote", async () => {
  await using everything = await everythingOverHttp();
  const spec = specOf({ name: "far", transport: "http", url: everything.url });
  const server = new UpstreamServer(spec, { environment });
  assert.equal((await server.list()).definitions.some(({ name }) => name === "echo"), true);
  const { content } = await server.call(callOf("echo", { message: "hi" }));
  assert.deepEqual(content, [{ type: "text", text: "Echo: hi" }]);
  const events: number[] = [];
  await server.call(callOf("trigger-long-running-operation", { duration: 1, steps: 4 }, {
    onProgress: ({ progress }) => void events.push(progress),
  }));
  assert.equal(events.length > 1, true);
  const ask = () => Promise.resolve({ action: "decline" } as const);
  const asked = await server.call(callOf("trigger-elicitation-request", {}, { ask }));
  assert.match(JSON.stringify(asked.content), /declined/);
  await server.close();
});

Deno.test("UpstreamServer speaks with a server from before Streamable HTTP", async () => {
  await using everything = await everythingOverHttp("sse");
  const spec = specOf({ name: "far", transport: "http", url: everything.url });
  const server = new UpstreamServer(spec, { environment });
  const { content } = await server.call(callOf("echo", { message: "hi" }));
  assert.deepEqual(content, [{ type: "text", text: "Echo: hi" }]);
  await server.close();
});

Deno.test("UpstreamServer looks for an old transport where a server refuses the new one", async () => {
  for (const [status, looks] of [[400, 1], [404, 1], [405, 1], [403, 0], [500, 0]] as const) {
    let found = 0;
    const onGet = () => (found++, new Response(null, { status: 404 }));
    await using far = farServer(() => new Response(null, { status }), { onGet });
    assert.match((await failureOf(far.upstream.list())).message, /cannot be connected/);
    assert.equal(found, looks, `${status}`);
  }
});

Deno.test("UpstreamServer speaks over a WebSocket, and connects again when it closes", async () => {
  await using far = await farSocketServer(({ id, params: { name } }, socket) => {
    if (name === "die") return socket.close();
    const result = { content: [{ type: "text", text: "hi" }] };
    socket.send(JSON.stringify({ jsonrpc: "2.0", id, result }));
  });
  assert.equal(await textOf(far.upstream, callOf("echo")), "hi");
  await assert.rejects(far.upstream.call(callOf("die")), { message: closed });
  assert.equal(await textOf(far.upstream, callOf("echo")), "hi");
  await far.upstream.close();
  await until(() => far.closes.length === 2, "the close of both connections");
  assert.equal(far.closes.includes(1006), false, "none is broken off");
});

Deno.test("WebSocketTransport sends nothing before it is open, and does not open after it was closed", async () => {
  const transport = new WebSocketTransport("ws://127.0.0.1:1/", {});
  const closed = { message: "the connection is closed" };
  await assert.rejects(transport.send({ jsonrpc: "2.0", method: "x" }), closed);
  await assert.rejects(transport.start(), /ECONNREFUSED|refused/);
  await assert.rejects(transport.send({ jsonrpc: "2.0", method: "x" }), closed);
  const other = new WebSocketTransport("ws://127.0.0.1:1/", {});
  await other.close();
  await assert.rejects(other.start(), { message: "the connection was closed" });
});

for (
  const [what, isBinary, isLast] of [
    ["a message in parts without end", false, false],
    ["messages that are no text", true, true],
  ] as const
) {
  Deno.test(`UpstreamServer ends a WebSocket of ${what}`, async () => {
    let sent = 0;
    const part = new Uint8Array(1024 * 1024).fill(0x20);
    await using far = await farSocketServer((_, socket) => {
      const next = (error?: Error) => {
        // More than a message may have, but not so much that a client without a bound falls over
        if (error || sent++ === 400) return;
        socket.send(part, { binary: isBinary, fin: isLast }, next);
      };
      next();
    });
    await assert.rejects(far.upstream.call(callOf("go")), { message: closed });
    assert.equal(sent < 100, true, `${sent} MiB were taken`);
  });
}

const credentials: readonly (readonly [header: string, written: string, isSecret: boolean])[] = [
  ["Authorization", "Bearer $TOKEN", true],
  ["X-Anything", "$TOKEN", true],
  ["x-api-key", "literal", true],
  ["X-Region", "eu", false],
];

for (const [header, written, isSecret] of credentials) {
  Deno.test(`headerSecrets() ${isSecret ? "has" : "leaves out"} ${header}: ${written}`, () => {
    const value = written.replace("$TOKEN", "a-secret-token");
    const of = (value: string) =>
      ({ kind: "http", url: "https://x/", headers: { [header]: value } }) as const;
    assert.deepEqual(headerSecrets(of(written), of(value)), isSecret ? [value] : []);
  });
}

Deno.test("UpstreamServer masks its credentials where a server repeats them, and no plain header", async () => {
  const said = "a-secret-token for acme, 4f9a7c21b0d35e68";
  await using far = farServer(({ method }) => {
    if (method === "tools/list") {
      return { tools: [{ name: said, inputSchema: { type: "object" } }] };
    }
    return method === "tools/call" ? { content: [{ type: "text", text: said }] } : undefined;
  });
  const headers = { Authorization: "Bearer $TOKEN", "X-Project": "$PROJECT", "X-Trace": "$TRACE" };
  const transport = { kind: "http", url: far.url, headers } as const;
  const spec = { ...specOf({ name: "far", transport: "http", url: far.url }), transport };
  const values = new Map([["TOKEN", "a-secret-token"], ["PROJECT", "acme"], [
    "TRACE",
    said.slice(-16),
  ]]);
  const server = new UpstreamServer(spec, { environment: (name) => values.get(name) });
  const shown = "*** for acme, ***";
  assert.deepEqual((await server.list()).definitions.map(({ name }) => name), [shown]);
  assert.equal(await textOf(server, callOf("x")), shown);
  await server.close();
});

for (const [kind, url] of [["http", "http://far.example/"], ["websocket", "ws://far/"]] as const) {
  Deno.test(`UpstreamServer sends no credential in clear to another machine over ${kind}`, async () => {
    const transport = { kind, url, headers: { Authorization: "Bearer $TOKEN" } };
    const spec = { ...specOf({ name: "far", transport: "http", url }), transport };
    const server = new UpstreamServer(spec, { environment: () => "a-secret-token" });
    const failure = await failureOf(server.call(callOf("act")));
    assert.equal(failure.kind, "unreachable");
    assert.match(failure.message, /a credential is not sent in clear to another machine, far/);
    assert.doesNotMatch(failure.message, /a-secret-token/);
    await server.close();
  });
}
