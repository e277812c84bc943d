import assert from "node:assert/strict";
import { TextWriter } from "../../src/text/lines.ts";

/** A stream that keeps what is written to it, each write after `mayWrite`. */
function kept(mayWrite: () => Promise<void> | void = () => {}) {
  const writes: string[] = [];
  const stream = new WritableStream<Uint8Array>({
    async write(bytes) {
      await mayWrite();
      writes.push(new TextDecoder().decode(bytes));
    },
    close: () => void writes.push("closed"),
  });
  return { writer: new TextWriter(stream.getWriter()), writes };
}

Deno.test("TextWriter writes what is added during a write together after it", async () => {
  const gate = Promise.withResolvers<void>();
  const { writer, writes } = kept(() => gate.promise);
  const first = writer.write("a");
  await Promise.resolve();
  const rest = [..."bcd"].map((text) => writer.write(text));
  gate.resolve();
  await first;
  assert.deepEqual(writes, ["a"]);
  await Promise.all(rest);
  assert.deepEqual(writes, ["a", "bcd"]);
});

Deno.test("TextWriter joins no texts beyond a length, and keeps their order", async () => {
  const { writer, writes } = kept();
  const long = "x".repeat(256 * 1024);
  await Promise.all([writer.write("a"), writer.write(long), writer.write("b")]);
  assert.deepEqual(writes, [`a${long}`, "b"]);
});

Deno.test("TextWriter closes after what was added, and fails with its stream", async () => {
  const { writer, writes } = kept();
  void writer.write("a");
  await writer.close();
  assert.deepEqual(writes, ["a", "closed"]);
  const broken = kept(() => Promise.reject(new Error("broken"))).writer;
  await assert.rejects(broken.write("a"), /broken/);
  await assert.rejects(broken.write("b"), /broken/);
});
