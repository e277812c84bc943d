import assert from "node:assert/strict";
import { FakeClock } from "../_clock.ts";
import { abortable, deadline, delay } from "../../src/async/deadline.ts";

const never = new Promise<never>(() => {});

Deno.test("deadline() returns the result of the work, or why the wait ended", async () => {
  assert.equal(await deadline(Promise.resolve(1), 10_000), 1);
  const clock = new FakeClock();
  const waiting = deadline(never, 10_000, undefined, clock);
  await clock.advance(10_000);
  assert.equal(await waiting, "timed out");
  assert.equal(await deadline(never, 10_000, AbortSignal.abort()), "aborted");
  assert.equal(await deadline(Promise.resolve(1), 10_000, AbortSignal.abort()), "aborted");
  await assert.rejects(deadline(Promise.reject(new Error("no")), 10_000), /no/);
});

Deno.test("abortable() and delay() end when the signal aborts", async () => {
  const stop = new AbortController();
  const waiting = [abortable(never, stop.signal), delay(2 ** 31 - 1, stop.signal)];
  stop.abort();
  assert.deepEqual(await Promise.all(waiting), ["aborted", undefined]);
  assert.equal(await abortable(Promise.resolve(1), undefined), 1);
});

Deno.test("deadline() removes its listener and its timer", async () => {
  const clock = new FakeClock();
  const stop = new AbortController();
  let listeners = 0;
  const { addEventListener, removeEventListener } = stop.signal;
  stop.signal.addEventListener = (...args: Parameters<typeof addEventListener>) => {
    listeners++;
    addEventListener.apply(stop.signal, args);
  };
  stop.signal.removeEventListener = (...args: Parameters<typeof removeEventListener>) => {
    listeners--;
    removeEventListener.apply(stop.signal, args);
  };
  await deadline(Promise.resolve(), 10_000, stop.signal, clock);
  assert.deepEqual([listeners, clock.timers], [0, []]);
});
