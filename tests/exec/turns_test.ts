/** Which calls wait for each other: those that go by names in the working tree, and those that may put a link there. */

import assert from "node:assert/strict";
import { turnOf } from "../../src/exec/turns.ts";

const helper = ["-e", "…", "--"];

const rows: readonly (readonly [argv: readonly [string, ...string[]], waitsForSwitch: boolean])[] =
  [
    [["perl", ...helper, "move", "=", "a", "b"], true],
    [["perl", ...helper, "unpack", "=", "a", "b"], true],
    [["perl", ...helper, "remove", "=", "a"], true],
    [["perl", ...helper, "pack", "=", "a"], true],
    [["perl", ...helper, "write", "=", "a"], false],
    [["git", "grep", "-e", "x"], true],
    [["git", "grep", "--cached", "-e", "x"], false],
    [["git", "status"], false],
    // Git would stop the second
    [["git", "merge", "x"], true],
    [["git", "add", "a"], true],
    [["git", "fetch"], false],
    [["git", "clone", "x"], false],
    [["git", "bisect", "run", "make"], false],
    [["rg", "x"], false],
  ];

for (const [argv, waits] of rows) {
  Deno.test(`turnOf() ${waits ? "waits" : "does not wait"} for git_switch: ${argv.join(" ")}`, async () => {
    const first = await turnOf({ argv: ["git", "switch", "b"] })!();
    const second = turnOf({ argv })?.();
    const order: string[] = [];
    const done = Promise.resolve(second).then((turn) => {
      order.push("second");
      turn?.end();
    });
    for (let turn = 0; turn < 10; turn++) await Promise.resolve();
    order.push("first");
    first.end();
    await done;
    assert.deepEqual(order, waits ? ["first", "second"] : ["second", "first"]);
  });
}

Deno.test("turnOf() gives turns in the order of arrival, and none to a call that is cancelled", async () => {
  const first = await turnOf({ argv: ["git", "switch", "b"] })!();
  const cancel = new AbortController();
  const move = turnOf({ argv: ["perl", ...helper, "move"] })!(cancel.signal);
  const last = turnOf({ argv: ["git", "clone", "x"] })!();
  cancel.abort();
  assert.equal((await move).hasWaited, true);
  (await move).end();
  assert.equal((await last).hasWaited, true);
  (await last).end();
  first.end();
  assert.equal((await turnOf({ argv: ["git", "merge", "b"] })!()).hasWaited, false);
});

Deno.test("turnOf() gives none to a call that only reads, unless it searches", () => {
  assert.equal(turnOf({ argv: ["git", "stash", "list"] }, true), undefined);
  assert.ok(turnOf({ argv: ["git", "grep", "-e", "x"] }, true));
});
