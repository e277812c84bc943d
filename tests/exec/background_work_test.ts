import assert from "node:assert/strict";
import { flushBackground, trackBackground } from "../../src/exec/background_work.ts";

Deno.test("flushBackground() waits for work until it has ended, and asks it no more then", async () => {
  const { promise: work, resolve } = Promise.withResolvers<void>();
  assert.equal(trackBackground(work), work);
  let hasEnded = false;
  setImmediate(() => {
    hasEnded = true;
    resolve();
  });
  await flushBackground();
  assert.ok(hasEnded);
  work.then = () => assert.fail("asked again");
  await flushBackground();
});
