/** Streams whose clients do not read, and what only a session can answer. */

import assert from "node:assert/strict";
import { boundStream, startsSession } from "../../../src/server/http/sessions.ts";
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
