/** A call runs once, over both transports of HTTP, also when its connection is lost in whatever way. */

import assert from "node:assert/strict";
import type { Socket } from "node:net";
import type { Login } from "../../../src/sources/upstream/login/login.ts";
import { UpstreamServer } from "../../../src/sources/upstream/server.ts";
import { answerOf, losses, lossNames, type RawRequest, rawServer } from "../../_raw_server.ts";
import { specOf } from "../../_upstream.ts";
import { within } from "../../_wait.ts";
import { callOf, failureOf, textOf, unknownOutcome } from "./_calls.ts";
import { farServer } from "./_far.ts";

type Loss = (socket: Socket, events: Socket | undefined) => void;

const lossesOfEvents: readonly (readonly [what: string, lose: Loss])[] = [
  ["the end of the events", (socket, events) => {
    socket.write(answerOf("", "202 Accepted"));
    events!.end();
  }],
  ["the reset of the events", (socket, events) => {
    socket.write(answerOf("", "202 Accepted"));
    events!.resetAndDestroy();
  }],
  ["half an event", (socket, events) => {
    socket.write(answerOf("", "202 Accepted"));
    events!.end('event: message\ndata: {"jsonrpc":');
  }],
];

const rows: readonly (readonly [what: string, hasEvents: boolean, lose: Loss])[] = [
  ...[false, true].flatMap((hasEvents) =>
    lossNames.filter((loss) => !hasEvents || !loss.includes("answer"))
      .map((loss) => [loss, hasEvents, losses[loss]] as const)
  ),
  ...lossesOfEvents.map(([what, lose]) => [what, true, lose] as const),
];

/** An MCP server whose calls `lose` answers; `calls` are what it has carried out. */
async function server(hasEvents: boolean, lose: () => Loss | undefined, isClosing = false) {
  const calls: unknown[] = [];
  let events: Socket | undefined;
  const far = await rawServer(({ method, path, body }: RawRequest, socket) => {
    if (method === "GET" && hasEvents) {
      events = socket;
      const head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n";
      return socket.write(`${head}event: endpoint\ndata: /message\n\n`);
    }
    if (method !== "POST" || hasEvents && path !== "/message") {
      return socket.write(answerOf("", "405 No"));
    }
    const message = JSON.parse(body);
    const isCall = message.method === "tools/call";
    if (isCall) calls.push(message.params.arguments.n);
    const loss = isCall ? lose() : undefined;
    if (loss !== undefined) return loss(socket, events);
    const { id } = message;
    if (id === undefined) return socket.write(answerOf("", "202 Accepted"));
    const serverInfo = { name: "far", version: "1" };
    const result = message.method === "initialize"
      ? { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo }
      : { content: [{ type: "text", text: `done ${message.params.arguments?.n}` }] };
    const answer = message.method === "server/discover"
      ? { error: { code: -32601, message: "Method not found" } }
      : { result };
    const text = JSON.stringify({ jsonrpc: "2.0", id, ...answer });
    socket.write(answerOf(hasEvents ? "" : text, hasEvents ? "202 Accepted" : "200 OK"));
    if (isClosing) socket.end();
    if (hasEvents) events!.write(`data: ${text}\n\n`);
  });
  const spec = specOf({ name: "far", transport: "http", url: `${far.url}/mcp` });
  const upstream = new UpstreamServer(spec, { environment: () => undefined });
  return {
    upstream,
    calls,
    async [Symbol.asyncDispose]() {
      await upstream.close();
      await far[Symbol.asyncDispose]();
    },
  };
}

for (const [what, hasEvents, lose] of rows) {
  const transport = hasEvents ? "events of 2024" : "Streamable HTTP";
  Deno.test(`a call over ${transport} runs once that is lost by ${what}`, async () => {
    let isLost = false;
    await using far = await server(hasEvents, () => isLost ? lose : undefined);
    const { upstream, calls } = far;
    for (const n of [0, 2, 4]) {
      isLost = false;
      assert.equal(await textOf(upstream, callOf("act", { n })), `done ${n}`);
      isLost = true;
      const failed = failureOf(upstream.call(callOf("act", { n: n + 1 })));
      const { kind, firstLine } = await within(failed, "the failure of the call");
      assert.equal(kind, "ended");
      assert.ok(firstLine.includes(unknownOutcome), firstLine);
      assert.doesNotMatch(firstLine, /tried again/);
    }
    assert.deepEqual(calls, [0, 1, 2, 3, 4, 5]);
  });
}

for (const hasSession of [false, true]) {
  for (const status of [400, 401, 404, 410]) {
    Deno.test(`a call runs once that HTTP ${status} answers, with a session: ${hasSession}`, async () => {
      let runs = 0;
      await using far = farServer(({ id, method }) => {
        if (method !== "initialize" && method !== "tools/call") return undefined;
        const serverInfo = { name: "far", version: "1" };
        const headers = hasSession ? { "mcp-session-id": "one" } : {};
        const answer = method === "initialize"
          ? { result: { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo } }
          : { error: { code: -32000, message: "Paid, without a receipt for this session" } };
        if (method === "tools/call") runs++;
        const init = method === "initialize" ? { headers } : { status };
        // What refuses a login may not speak MCP
        if (method === "tools/call" && status === 401) return new Response("Paid", init);
        return Response.json({ jsonrpc: "2.0", id, ...answer }, init);
      });
      assert.match((await failureOf(far.upstream.call(callOf("pay")))).message, /Paid/);
      assert.equal(runs, 1);
    });
  }
}

Deno.test("a call with a login is repeated after a challenge, and after no other HTTP 401", async () => {
  const runs: unknown[] = [];
  let url = "";
  const given = {
    get address() {
      return url;
    },
    token: () => Promise.resolve("old"),
    renew: () => Promise.resolve("new"),
    maskText: (text: string) => text,
  };
  await using far = farServer(({ method, params }) => {
    if (method !== "tools/call") return undefined;
    runs.push(params.name);
    const init = { status: 401, headers: { "www-authenticate": "Bearer" } };
    if (params.name === "pay") return new Response("Paid", { status: 401 });
    if (runs.length === 2) return new Response(null, init);
    return { content: [{ type: "text", text: "done" }] };
  }, { login: given as unknown as Login });
  url = far.url;
  await failureOf(far.upstream.call(callOf("pay")));
  assert.equal(await textOf(far.upstream, callOf("act")), "done");
  assert.deepEqual(runs, ["pay", "act", "act"]);
});
