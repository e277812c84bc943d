import assert from "node:assert/strict";
import { anySignal } from "../../src/async/any_signal.ts";

Deno.test("anySignal() aborts with the reason of the first signal that does", () => {
  const [one, other] = [new AbortController(), new AbortController()];
  const { signal } = anySignal(one.signal, other.signal);
  assert.equal(signal.aborted, false);
  other.abort("gone");
  one.abort("late");
  assert.equal(signal.aborted, true);
  assert.equal(signal.reason, "gone");
});

Deno.test("anySignal() is aborted from the start by a signal that is", () => {
  const { signal } = anySignal(new AbortController().signal, AbortSignal.abort("over"));
  assert.equal(signal.reason, "over");
});

Deno.test("anySignal() follows no signal after its end", () => {
  const one = new AbortController();
  const { signal, unfollow } = anySignal(one.signal);
  unfollow();
  one.abort();
  assert.equal(signal.aborted, false);
});
