/** Servers that are there already: over Streamable HTTP, and over a WebSocket. */

import assert from "node:assert/strict";
import { freePort } from "../../_free_port.ts";
import { fixturePath } from "../../_fixtures.ts";
import { callOf, failureOf, unknownOutcome } from "./_calls.ts";
import { until } from "../../_wait.ts";
import { npmServer, specOf } from "../../_upstream.ts";
import { WebSocketTransport } from "../../../src/sources/upstream/_websocket.ts";
import { UpstreamServer } from "../../../src/sources/upstream/server.ts";
import { headerSecrets } from "../../../src/sources/upstream/spec.ts";

const environment = (name: string) => Deno.env.get(name);

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

/** The odd server behind a WebSocket: a line for each frame. */
function oddOverWebSocket() {
  const children = new Set<Deno.ChildProcess>();
  /** Whether connections were closed, and not broken off. */
  const closes: boolean[] = [];
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, (request) => {
    const { socket, response } = Deno.upgradeWebSocket(request, { protocol: "mcp" });
    const script = fixturePath("upstream", "odd_server.ts");
    const child = new Deno.Command(Deno.execPath(), {
      args: ["run", "--quiet", "--no-check", "--allow-all", script, "plain"],
      stdin: "piped",
      stdout: "piped",
    }).spawn();
    children.add(child);
    const writer = child.stdin.getWriter();
    socket.onmessage = ({ data }) => void writer.write(new TextEncoder().encode(`${data}\n`));
    socket.onclose = ({ wasClean }) => {
      closes.push(wasClean);
      void writer.close().catch(() => {});
    };
    void (async () => {
      let rest = "";
      for await (const chunk of child.stdout.pipeThrough(new TextDecoderStream())) {
        const lines = (rest + chunk).split("\n");
        rest = lines.pop()!;
        for (const line of lines) if (socket.readyState === WebSocket.OPEN) socket.send(line);
      }
      if (socket.readyState === WebSocket.OPEN) socket.close();
    })();
    return response;
  });
  return {
    url: `ws://127.0.0.1:${server.addr.port}/mcp`,
    closes,
    async [Symbol.asyncDispose]() {
      await Promise.all([...children].map((child) => child.status));
      await server.shutdown();
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

Deno.test("UpstreamServer asks for no notices of changes where a server has none", async () => {
  const methods: string[] = [];
  const where = { hostname: "127.0.0.1", port: 0, onListen: () => {} };
  await using far = Deno.serve(where, async (request) => {
    const { id, method } = await request.json();
    methods.push(method);
    const list = { tools: [], resultType: "complete", ttlMs: 0, cacheScope: "private" };
    const found = { ...list, supportedVersions: ["2026-07-28"], capabilities: { tools: {} } };
    const result = method === "server/discover" ? found : list;
    return Response.json({ jsonrpc: "2.0", id, result });
  });
  const url = `http://127.0.0.1:${far.addr.port}/`;
  const spec = specOf({ name: "far", transport: "http", url });
  const server = new UpstreamServer(spec, { environment });
  assert.deepEqual((await server.list()).definitions, []);
  await server.close();
  assert.deepEqual(methods, ["server/discover", "tools/list"]);
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
    const where = { hostname: "127.0.0.1", port: 0, onListen: () => {} };
    await using far = Deno.serve(where, ({ method }) => {
      if (method === "GET") found++;
      return new Response(null, { status: method === "GET" ? 404 : status });
    });
    const url = `http://127.0.0.1:${far.addr.port}/`;
    const spec = specOf({ name: "far", transport: "http", url });
    const server = new UpstreamServer(spec, { environment });
    assert.match((await failureOf(server.list())).message, /cannot be connected/);
    assert.equal(found, looks, `${status}`);
    await server.close();
  }
});

Deno.test("UpstreamServer speaks over a WebSocket, and connects again when it closes", async () => {
  await using odd = oddOverWebSocket();
  const spec = specOf({ name: "far", transport: "websocket", url: odd.url });
  const server = new UpstreamServer(spec, { environment });
  const said = async () => (await server.call(callOf("echo", { text: "hi" }))).content;
  assert.deepEqual(await said(), [{ type: "text", text: "hi" }]);
  await assert.rejects(() => server.call(callOf("die")), {
    message:
      `Server 'far' ended while the call was running: the connection was closed${unknownOutcome}`,
  });
  assert.deepEqual(await said(), [{ type: "text", text: "hi" }]);
  await server.close();
  await until(() => odd.closes.length === 2, "the close of both connections");
  assert.deepEqual(odd.closes, [true, true]);
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

Deno.test("UpstreamServer closes a connection over HTTP whose answer has no end", async () => {
  const chunk = new TextEncoder().encode("x".repeat(1024 * 1024));
  const far = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    async (request) => {
      if (request.method !== "POST") return new Response(null, { status: 405 });
      const { id, method, params } = await request.json();
      const headers = { "content-type": "application/json" };
      const answer = (result: object) => Response.json({ jsonrpc: "2.0", id, result }, { headers });
      if (method === "initialize") {
        const { protocolVersion } = params;
        const serverInfo = { name: "far", version: "1" };
        return answer({ protocolVersion, capabilities: { tools: {} }, serverInfo });
      }
      if (id === undefined) return new Response(null, { status: 202 });
      if (method !== "tools/call") {
        return Response.json({ jsonrpc: "2.0", id, error: { code: -32601, message: "no" } });
      }
      let sent = 0;
      const body = new ReadableStream({
        pull(controller) {
          controller.enqueue(chunk);
          if (++sent === 100) controller.close();
        },
      });
      return new Response(body, { headers });
    },
  );
  const url = `http://127.0.0.1:${far.addr.port}/mcp`;
  const server = new UpstreamServer(specOf({ name: "far", transport: "http", url }), {
    environment,
  });
  await assert.rejects(() => server.call(callOf("huge")), /Server 'far' (?:ended|gave no answer)/);
  await server.close();
  await far.shutdown();
});

/** A server that speaks WebSocket by hand: `answer` has what it sends when a tool is called. */
function rawWebSocket(answer: (send: (bytes: Uint8Array) => Promise<void>) => Promise<void>) {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const frame = (text: string) => {
    const bytes = new TextEncoder().encode(text);
    return new Uint8Array([0x81, 126, bytes.length >> 8, bytes.length & 0xff, ...bytes]);
  };
  const serve = async (connection: Deno.Conn): Promise<void> => {
    const send = async (bytes: Uint8Array) => {
      for (let at = 0; at < bytes.length;) at += await connection.write(bytes.subarray(at));
    };
    const replies: Record<string, object> = {
      initialize: {
        protocolVersion: "2025-06-18",
        capabilities: { tools: {} },
        serverInfo: { name: "raw", version: "1" },
      },
    };
    for await (const data of clientTexts(connection)) {
      if (data.key !== undefined) {
        const head = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n" +
          "Connection: Upgrade\r\nSec-WebSocket-Accept: ";
        await send(new TextEncoder().encode(`${head}${await acceptOf(data.key)}\r\n\r\n`));
        continue;
      }
      const { id, method } = JSON.parse(data.text);
      if (id === undefined) continue;
      if (method === "tools/call") return await answer(send);
      const result = replies[method];
      const error = { code: -32601, message: "Method not found" };
      await send(
        frame(JSON.stringify({ jsonrpc: "2.0", id, ...(result ? { result } : { error }) })),
      );
    }
  };
  const serving = (async () => {
    for await (const connection of listener) {
      // The client may have closed it, and reading to the end has
      await serve(connection).catch(() => {});
      try {
        connection.close();
      } catch (error) {
        if (!(error instanceof Deno.errors.BadResource)) throw error;
      }
    }
  })();
  return {
    url: `ws://127.0.0.1:${listener.addr.port}/`,
    async [Symbol.asyncDispose]() {
      listener.close();
      await serving;
    },
  };
}

async function acceptOf(key: string): Promise<string> {
  const text = `${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`;
  const hash = await crypto.subtle.digest("SHA-1", new TextEncoder().encode(text));
  return new Uint8Array(hash).toBase64();
}

/** The key of the handshake, and then the texts of short masked frames. */
async function* clientTexts(connection: Deno.Conn) {
  let bytes = new Uint8Array();
  let isUp = false;
  for await (const chunk of connection.readable) {
    bytes = new Uint8Array([...bytes, ...chunk]);
    const head = isUp ? undefined : new TextDecoder().decode(bytes);
    if (head !== undefined && !head.includes("\r\n\r\n")) continue;
    if (head !== undefined) {
      isUp = true;
      bytes = new Uint8Array();
      yield { key: /^sec-websocket-key: (.+)\r$/im.exec(head)![1]!, text: "" };
    }
    for (;;) {
      const isLong = (bytes[1]! & 0x7f) === 126;
      const length = isLong ? bytes[2]! << 8 | bytes[3]! : bytes[1]! & 0x7f;
      const start = isLong ? 8 : 6;
      if (!(bytes.length >= start + length)) break;
      const mask = bytes.subarray(start - 4, start);
      const text = bytes.slice(start, start + length).map((byte, at) => byte ^ mask[at % 4]!);
      const isText = (bytes[0]! & 0x0f) === 1;
      bytes = bytes.slice(start + length);
      if (isText) yield { key: undefined, text: new TextDecoder().decode(text) };
    }
  }
}

for (
  const [what, first, next] of [
    ["a message in parts without end", 0x01, 0x00],
    ["messages that are no text", 0x82, 0x82],
  ] as const
) {
  Deno.test(`UpstreamServer ends a WebSocket of ${what}`, async () => {
    const mib = 1024 * 1024;
    let sent = 0;
    const part = new Uint8Array(10 + mib).fill(0x20);
    part.set([first, 127, 0, 0, 0, 0, 0, 0x10, 0, 0]);
    await using raw = rawWebSocket(async (send) => {
      // More than a message may have, but not so much that a client without a bound falls over
      for (; sent < 400; sent++) {
        await send(part);
        part[0] = next;
      }
    });
    const spec = specOf({ name: "far", transport: "websocket", url: raw.url });
    const server = new UpstreamServer(spec, { environment });
    await assert.rejects(() => server.call(callOf("go")), {
      message:
        `Server 'far' ended while the call was running: the connection was closed${unknownOutcome}`,
    });
    assert.equal(sent < 100, true, `${sent} MiB were taken`);
    await server.close();
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
