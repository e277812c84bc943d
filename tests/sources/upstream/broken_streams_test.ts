/** Servers over HTTP that are lost in the middle of an answer. */

import assert from "node:assert/strict";
import { specOf } from "../../_upstream.ts";
import { httpTransport } from "../../../src/sources/upstream/_http.ts";
import { UpstreamError } from "../../../src/sources/upstream/error.ts";
import { UpstreamServer } from "../../../src/sources/upstream/server.ts";
import { unknownOutcome } from "./_calls.ts";

/** Streams of an answer to `id` that end without it. */
const endings: readonly (readonly [what: string, begin: string, isError: boolean])[] = [
  ["breaks off", "", true],
  ["ends", "", false],
  ["breaks off, and is not resumed", "id: 1\nretry: 1\ndata:\n\n", true],
  ["ends, and is not resumed", "id: 1\nretry: 1\ndata:\n\n", false],
];

for (const [what, begin, isError] of endings) {
  Deno.test(`UpstreamServer ends a call at once whose stream ${what}`, async () => {
    let isBroken = true;
    const where = { hostname: "127.0.0.1", port: 0, onListen: () => {} };
    await using far = Deno.serve(where, async (request) => {
      if (request.method !== "POST") return new Response(null, { status: 405 });
      const { id, method } = await request.json();
      if (id === undefined) return new Response(null, { status: 202 });
      if (method === "server/discover") return new Response(null, { status: 404 });
      const serverInfo = { name: "far", version: "1" };
      const result = method === "initialize"
        ? { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo }
        : { content: [{ type: "text", text: "whole" }] };
      if (method === "initialize" || !isBroken) {
        return Response.json({ jsonrpc: "2.0", id, result });
      }
      const headers = { "content-type": "text/event-stream" };
      return new Response(brokenStream(begin, isError), { headers });
    });
    const url = `http://127.0.0.1:${far.addr.port}/`;
    const spec = specOf({ name: "far", transport: "http", url });
    const server = new UpstreamServer(spec, { environment: () => undefined });
    const definition = { name: "echo", inputSchema: { type: "object" } } as const;
    // Nothing else ends the call before the test has failed
    const call = () => server.call({ definition, args: {}, timeoutMs: 20 * 60_000, caller: {} });
    await assert.rejects(call(), (error: UpstreamError) => {
      assert.equal(
        error.message,
        "Server 'far' ended while the call was running: " +
          `the connection broke off before the answer${unknownOutcome}`,
      );
      return error.kind === "ended";
    });
    isBroken = false;
    const { content: [block] } = await call();
    assert.deepEqual(block, { type: "text", text: "whole" });
    await server.close();
  });
}

Deno.test("httpTransport() gives a request one answer, whose stream ends after it", async () => {
  const where = { hostname: "127.0.0.1", port: 0, onListen: () => {} };
  await using far = Deno.serve(where, async (request) => {
    if (request.method !== "POST") return new Response(null, { status: 405 });
    const { id } = await request.json();
    const answer = `data: ${JSON.stringify({ jsonrpc: "2.0", id, result: {} })}\n\n`;
    return new Response(answer, { headers: { "content-type": "text/event-stream" } });
  });
  const url = `http://127.0.0.1:${far.addr.port}/`;
  const transport = httpTransport({ kind: "http", url, headers: {} });
  const messages: unknown[] = [];
  transport.onmessage = (message) => void messages.push(message);
  await transport.start();
  const ended = Promise.withResolvers<void>();
  const options = { onRequestStreamEnd: ended.resolve };
  await transport.send({ jsonrpc: "2.0", id: 1, method: "ping" }, options);
  await ended.promise;
  assert.deepEqual(messages, [{ jsonrpc: "2.0", id: 1, result: {} }]);
  await transport.close();
});

function brokenStream(begin: string, isError: boolean): ReadableStream<Uint8Array> {
  return new ReadableStream({
    async start(controller) {
      controller.enqueue(new TextEncoder().encode(`: begin\n\n${begin}`));
      await Promise.resolve();
      if (isError) controller.error(new Error("gone"));
      else controller.close();
    },
  });
}
