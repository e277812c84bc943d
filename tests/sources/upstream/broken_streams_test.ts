/** Servers over HTTP that are lost in the middle of an answer. */

import assert from "node:assert/strict";
import { httpTransport } from "../../../src/sources/upstream/_http.ts";
import { UpstreamError } from "../../../src/sources/upstream/error.ts";
import { unknownOutcome } from "./_calls.ts";
import { farServer } from "./_far.ts";

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
    await using far = farServer(({ method }) => {
      if (method !== "tools/call") return undefined;
      if (!isBroken) return { content: [{ type: "text", text: "whole" }] };
      const headers = { "content-type": "text/event-stream" };
      return new Response(brokenStream(begin, isError), { headers });
    });
    const definition = { name: "echo", inputSchema: { type: "object" } } as const;
    // Nothing else ends the call before the test has failed
    const call = () =>
      far.upstream.call({ definition, args: {}, timeoutMs: 20 * 60_000, caller: {} });
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
  });
}

Deno.test("httpTransport() gives a request one answer, whose stream ends after it", async () => {
  await using far = farServer(({ id }) => {
    const answer = `data: ${JSON.stringify({ jsonrpc: "2.0", id, result: {} })}\n\n`;
    return new Response(answer, { headers: { "content-type": "text/event-stream" } });
  });
  const transport = httpTransport({ kind: "http", url: far.url, headers: {} });
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
