/**
 * Faults of the MCP SDK that `src/server` works around, each as small as it is. A test that turns red says that the fault
 * is mended: then the code that it names can go.
 */

import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import {
  createMcpHandler,
  type JSONRPCMessage,
  McpServer,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import { serveStdio, StdioServerTransport } from "@modelcontextprotocol/server/stdio";

const newServer = () => {
  return new McpServer({ name: "test", version: "1" }, { capabilities: { tools: {} } });
};

/** The lines that a server of the SDK answers to `lines` over stdio, and whether the connection is open after them. */
async function answersTo(...lines: readonly string[]): Promise<[string[], boolean]> {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const transport = new StdioServerTransport(input, output);
  let isOpen = true;
  const handle = serveStdio(newServer, { transport });
  const { onclose } = transport;
  transport.onclose = () => {
    isOpen = false;
    onclose?.();
  };
  for (const line of lines) input.write(`${line}\n`);
  // All that was written is read and handled in turns of the loop, without timers
  for (let turn = 0; turn < 20; turn++) await new Promise<void>((done) => setImmediate(done));
  const answers = String(output.read() ?? "").split("\n").filter((line) => line !== "");
  const result: [string[], boolean] = [answers, isOpen];
  await handle.close();
  return result;
}

const request = (method: string, params: object) => {
  return JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
};

const clientInfo = { name: "test", version: "1" };
const handshake = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };

Deno.test("the SDK answers a handshake over stdio", async () => {
  const [answers] = await answersTo(request("initialize", handshake));
  assert.match(answers[0] ?? "", /"protocolVersion":"2025-11-25"/);
});

Deno.test("the SDK does not answer invalid JSON (server/stdio.ts)", async () => {
  const [answers, isOpen] = await answersTo("{");
  assert.deepEqual([answers, isOpen], [[], true]);
});

Deno.test("the SDK closes at a message of over 10 MB (server/stdio.ts)", async () => {
  const [answers, isOpen] = await answersTo(request("ping", { text: "x".repeat(11 * 1024 ** 2) }));
  assert.deepEqual([answers, isOpen], [[], false]);
});

Deno.test("the SDK has no 'invalid params' for a wrong handshake (server/receive.ts)", async () => {
  const [answers] = await answersTo(request("initialize", { ...handshake, capabilities: [] }));
  assert.doesNotMatch(answers.join(), /-32602/);
});

Deno.test("the SDK accepts a subscription to tasks of a client without them (server/receive.ts)", async () => {
  const handler = createMcpHandler(newServer);
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": clientInfo,
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const response = await handler.fetch(
    new Request("http://localhost/mcp", {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": "subscriptions/listen",
      },
      body: request("subscriptions/listen", { _meta, notifications: { taskIds: ["a"] } }),
    }),
  );
  assert.equal(response.status, 200);
  await response.body?.cancel();
  await handler.close();
});

Deno.test("the SDK stores all of a stream that is not read (server/http/sessions.ts)", async () => {
  const transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: () => "one",
  });
  const server = newServer();
  await server.connect(transport);
  const headers = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
  };
  const url = "http://localhost/mcp";
  const body = request("initialize", handshake);
  const first = await transport.handleRequest(new Request(url, { method: "POST", headers, body }));
  await first.text();
  const stream = await transport.handleRequest(
    new Request(url, { headers: { ...headers, "mcp-session-id": "one" } }),
  );
  const params = { level: "info", data: "x".repeat(100_000) } as const;
  const message: JSONRPCMessage = { jsonrpc: "2.0", method: "notifications/message", params };
  for (let sent = 0; sent < 50; sent++) await transport.send(message);
  const reader = stream.body!.getReader();
  let bytes = 0;
  while (bytes < 5_000_000) {
    const { value, done } = await reader.read();
    assert.equal(done, false);
    bytes += value!.length;
  }
  await reader.cancel();
  await server.close();
});
