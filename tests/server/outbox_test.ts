import assert from "node:assert/strict";
import { Outbox } from "../../src/server/stdio.ts";

/** An outbox whose other side reads a line when told to. */
function slow(maxBytes: number) {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const reader = readable.getReader();
  const lines: string[] = [];
  const read = async () => {
    if (lines.length === 0) {
      const { value } = await reader.read();
      lines.push(...new TextDecoder().decode(value).trimEnd().split("\n"));
    }
    return JSON.parse(lines.shift()!);
  };
  return { outbox: new Outbox(writable.getWriter(), maxBytes), read };
}

const never = new AbortController().signal;
const text = (length: number) => "x".repeat(length - 3);

Deno.test("Outbox sends one message that is larger than its bound alone", async () => {
  const { outbox, read } = slow(10);
  const sent = outbox.send(text(500));
  assert.notEqual(sent, "full");
  assert.equal((await read()).length, 497);
  await sent;
});

Deno.test("Outbox is crowded from half its bound on, and roomy again when that is read", async () => {
  const { outbox, read } = slow(100);
  void outbox.send(text(50));
  assert.equal(outbox.isCrowded, false);
  await outbox.roomy(never);
  void outbox.send(text(10));
  assert.equal(outbox.isCrowded, true);
  let roomy = false;
  const waiting = outbox.roomy(never).then(() => roomy = true);
  await outbox.belowLimit();
  assert.equal(roomy, false);
  await read();
  await waiting;
});

Deno.test("Outbox stops waiting when that is cancelled, or the outbox is closed", async () => {
  const { outbox } = slow(10);
  void outbox.send(text(50));
  const stop = new AbortController();
  const cancelled = outbox.roomy(stop.signal);
  const waiting = Promise.all([outbox.roomy(never), outbox.belowLimit()]);
  stop.abort();
  await cancelled;
  outbox.close();
  await waiting;
});
