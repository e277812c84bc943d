/** Streams whose clients do not read. */

import assert from "node:assert/strict";
import { boundedStream } from "../../../src/server/http/bounded_stream.ts";

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
  assert.equal(await lengthOf(boundedStream(chunks(10).stream, 100)), 100);
});

Deno.test("boundedStream() ends a stream that is not read", async () => {
  const { stream, source } = chunks(50);
  const bounded = boundedStream(stream, 100);
  // The bytes are there at once, so that it is over before the first read
  await new Promise((resolve) => setTimeout(resolve, 0));
  await assert.rejects(lengthOf(bounded), /reads too slowly/);
  assert.equal(source.cancelled, true);
});

Deno.test("boundedStream() passes on that nobody reads any more", async () => {
  const { stream, source } = chunks(50);
  await boundedStream(stream, 10_000).cancel();
  assert.equal(source.cancelled, true);
});
