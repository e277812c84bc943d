import assert from "node:assert/strict";
import { stateErrorOf } from "../../src/state/_connection.ts";

/** An error as the client of the store throws it for the answer `text`. */
function replyError(text: string): Error & { previousErrors?: Error[] } {
  return Object.assign(new Error(text), { name: "ReplyError" });
}

Deno.test("stateErrorOf() finds out of the errors of a transaction that the store is full", () => {
  const dropped = replyError("EXECABORT Transaction discarded because of previous errors.");
  dropped.previousErrors = [replyError("OOM command not allowed when used memory > 'maxmemory'.")];
  assert.equal(stateErrorOf(dropped).failure, "full");
});

Deno.test("stateErrorOf() takes an error that is among its own previous errors", () => {
  // One answer, such as that a password is wanted, ends every command of a transaction
  const refused = replyError("NOAUTH Authentication required.");
  refused.previousErrors = [refused];
  assert.equal(stateErrorOf(refused).failure, "failed");
});
