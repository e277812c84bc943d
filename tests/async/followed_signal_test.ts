import assert from "node:assert/strict";
import { FollowedSignal } from "../../src/async/deadline.ts";

Deno.test("FollowedSignal aborts what follows it, for the reason of the first signal", () => {
  const [long, one, other] = [0, 1, 2].map(() => new AbortController()) as Controllers;
  const followed = new FollowedSignal(long.signal);
  const [first, second] = [one, other].map(({ signal }) => followed.linkSignal(signal).signal);
  one.abort("gone");
  assert.deepEqual([first!.aborted, first!.reason], [true, "gone"]);
  assert.equal(second!.aborted, false);
  long.abort("over");
  other.abort("late");
  assert.equal(first!.reason, "gone");
  assert.deepEqual([second!.aborted, second!.reason], [true, "over"]);
});

type Controllers = [AbortController, AbortController, AbortController];

Deno.test("FollowedSignal.linkSignal() is aborted from the start by a signal that is", () => {
  const over = AbortSignal.abort("over");
  const alive = new AbortController().signal;
  assert.equal(new FollowedSignal(over).linkSignal(alive).signal.reason, "over");
  assert.equal(new FollowedSignal(alive).linkSignal(over).signal.reason, "over");
});

Deno.test("FollowedSignal aborts those alone that still follow, in whatever order others end", () => {
  const long = new AbortController();
  const followed = new FollowedSignal(long.signal);
  const all = Array.from({ length: 7 }, () => followed.linkSignal(new AbortController().signal));
  const ended = [3, 6, 0, 5].map((at) => all[at]!);
  for (const each of [...ended, ...ended]) each.unfollow();
  long.abort();
  for (const each of all) assert.equal(each.signal.aborted, !ended.includes(each));
});
