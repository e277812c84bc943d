/** When the end of processes looks again, gives up waiting, or has nothing left to do. */

import assert from "node:assert/strict";
import { endProcesses, type Targets } from "../../src/exec/process_tree.ts";
import { processTools, unix } from "../_requirements.ts";
import { within } from "../_wait.ts";

const graceMs = 3_600_000;

/** The id of no process: systems give smaller ones. */
const endedId = 2 ** 30;

/** A process that says which signals it gets, until it is killed or this process has ended; it leads a group. */
async function startDeaf() {
  const traps = "trap 'echo term' TERM; trap 'echo urg' URG; echo ready";
  const child = new Deno.Command("sh", {
    args: ["-c", `${traps}; while kill -0 $PPID; do sleep 0.05; done`],
    stdin: "null",
    stdout: "piped",
    stderr: "null",
    detached: true,
  }).spawn();
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  /** All that it says until it has said `word`. */
  const untilSaid = async (word: string) => {
    let said = "";
    while (!said.includes(word)) {
      said += (await within(reader.read(), word)).value ?? assert.fail(said);
    }
    return said;
  };
  await untilSaid("ready");
  return { child, untilSaid };
}

/** Returns one of `all` after the other, the last one for ever; `count` says how many were. */
function listing(all: readonly Targets[]) {
  const list = () => Promise.resolve(all[Math.min(calls.count++, all.length - 1)]!);
  const calls = { count: 0, list };
  return calls;
}

const none: Targets = { ids: [], listed: true };

unix.test("endProcesses() is done when all are gone, and looks again only where that shows others", async () => {
  const ids = [endedId];
  for (const [listed, expected] of [[false, 1], [true, 3]] as const) {
    const calls = listing([{ ids, listed }, none]);
    const onLeft = () => assert.fail("None is left");
    assert.equal(await endProcesses(calls.list, { graceMs, onLeft }), "done");
    assert.equal(calls.count, expected);
  }
});

processTools.test("endProcesses() by a program knows when the only process is gone", async () => {
  const { kill } = Deno;
  using _ = { [Symbol.dispose]: () => Object.assign(Deno, { kill }) };
  Object.assign(Deno, {
    kill() {
      throw new Deno.errors.NotCapable("denied");
    },
  });
  // Of several, `kill` does not say whether all are
  for (const [ids, expected] of [[[endedId], 1], [[endedId, endedId + 1], 3]] as const) {
    const calls = listing([{ ids, listed: false }, none]);
    const onLeft = () => assert.fail("None is left");
    assert.equal(await endProcesses(calls.list, { graceMs, onLeft }), "done");
    assert.equal(calls.count, expected);
  }
});

unix.test("endProcesses() kills after the grace period what cannot be listed, once", async () => {
  const { child } = await startDeaf();
  const calls = listing([{ ids: [-child.pid], listed: false }]);
  const options = { graceMs: 0, onLeft: () => assert.fail("None is left") };
  assert.equal(await endProcesses(calls.list, options), "done");
  assert.equal((await within(child.status, "its end")).signal, "SIGKILL");
  assert.equal(calls.count, 2);
});

unix.test("endProcesses() sends SIGTERM once, and waits no longer when it must force the end", async () => {
  const { child, untilSaid } = await startDeaf();
  const { pid } = child;
  const force = new AbortController();
  let [looks, said] = [0, ""];
  const ending = endProcesses(async () => {
    if (++looks === 2) said = await untilSaid("term");
    if (looks === 3) {
      // A shell takes signals that wait in the order of their numbers
      Deno.kill(pid, "SIGURG");
      said += await untilSaid("urg");
      force.abort();
    }
    return looks > 4 ? none : { ids: [pid], listed: true };
  }, { graceMs, forceSignal: force.signal, onLeft: () => assert.fail("None is left") });
  assert.equal(await within(ending, "the result"), "done");
  assert.equal((await within(child.status, "its end")).signal, "SIGKILL");
  assert.equal(said, "term\nurg\n");
});

unix.test("endProcesses() says what is left after it has killed for five seconds", async () => {
  const now = performance.now;
  let [passed, looks] = [0, 0];
  performance.now = () => passed;
  try {
    const left = Promise.withResolvers<void>();
    const list = () => {
      looks++;
      passed += 1000;
      return Promise.resolve({ ids: [endedId], listed: true });
    };
    const result = endProcesses(list, { graceMs: 2000, onLeft: left.resolve });
    assert.equal(await within(result, "the result"), "done");
    await within(left.promise, "word of what is left");
    assert.equal(looks, 2 + 5);
  } finally {
    performance.now = now;
  }
});
