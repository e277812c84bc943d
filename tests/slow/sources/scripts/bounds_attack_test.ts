/** Scripts that would never end, or take all there is: each ends by its bound while others are served. */

import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import type { Worker } from "node:worker_threads";
import { systemClock } from "../../../../src/async/clock.ts";
import { scriptLimits } from "../../../../src/sources/scripts/limits.ts";
import { answerTo, sessionOf } from "../../../_session.ts";
import { unixTest } from "../../../_requirements.ts";
import { attend, runInVm, stopThread } from "../../../../src/sources/scripts/vm.ts";
import { within } from "../../../_wait.ts";
import { closeVms, failureOf } from "../../../sources/scripts/_vm.ts";

Deno.test.afterAll(closeVms);

/** Short, so that the test is; the bound that is served is 10 s. */
const limits = { computingMs: 200 };

const isLate = /^It computes for more than 0\.2 seconds$/;
const isFull =
  /out of memory|too large to allocate|32 MiB of its memory are full|string too long|^It ended its interpreter/;
const isDeep = /stack overflow|calls itself too often|^It computes/;
const isBounded = new RegExp(`${isLate.source}|${isFull.source}|${isDeep.source}`);

const attacks: readonly (readonly [what: string, code: string, ends: RegExp])[] = [
  [
    "an endless loop that catches",
    "for (;;) try { for (;;); } catch {} finally { continue }",
    isLate,
  ],
  ["a promise flood", "async function f() { for (;;) await 0 } await f()", isLate],
  [
    "a promise flood without an end",
    // Each promise waits for the next one, and takes memory
    "const f = () => Promise.resolve().then(f); await f()",
    isFull,
  ],
  [
    "an allocation loop that catches",
    "const all = []; for (;;) try { for (;;) all.push([all.length]) } catch {}",
    isBounded,
  ],
  ["one large buffer", "new Uint8Array(1e9)", isFull],
  ["huge strings", "let text = 'x'; for (;;) text += text", isFull],
  ["a large list", "const list = []; list.length = 2 ** 32 - 1; list.fill(0)", isBounded],
  ["deep recursion", "const f = () => f(); f()", isDeep],
  ["deep recursion that catches", "const f = () => { try { f() } catch { f() } }; f()", isBounded],
  [
    "deep JSON",
    "let list = []; for (let n = 0; n < 1e5; n++) list = [list]; JSON.stringify(list)",
    isBounded,
  ],
  ["deep JSON that is read", "JSON.parse('['.repeat(1e6))", isBounded],
  ["a getter that never returns", "await call('x', { get a() { for (;;); } })", isLate],
  ["a toJSON that never returns", "return { toJSON() { for (;;); } }", isLate],
  ["an expression that goes back", "/(a*)*b/.test('a'.repeat(50))", isLate],
  ["a list that is reversed for ever", "[].reverse.call({ length: 2 ** 53 - 1 })", isLate],
  [
    "a chain of proxies",
    "let p = {}; for (let n = 0; n < 1e5; n++) p = new Proxy(p, {}); p.x",
    isBounded,
  ],
  [
    "a flood of large calls",
    "for (;;) void call('x', 'x'.repeat(1e6))",
    isBounded,
  ],
];

for (const [what, code, ends] of attacks) {
  Deno.test(`a script ends by its bound: ${what}`, async () => {
    // What has another bound has the time that is served, on a machine with much else to do
    const mayBeLate = ends.test("It computes for more than 0.2 seconds");
    const failure = await failureOf(code, mayBeLate ? { limits } : {});
    assert.match(failure, ends);
  });
}

/** A script on a thread that says what `posted` makes it say. */
function attendThread(
  posted: (thread: EventEmitter, message: { readonly steps?: Int32Array }) => void,
  { computingMs = 1, ...more }: Partial<Parameters<typeof attend>[1]> & { computingMs?: number } =
    {},
) {
  const thread = new EventEmitter();
  Object.assign(thread, { postMessage: (message: object) => posted(thread, message) });
  return attend(thread as unknown as Worker, {
    code: "",
    seed: 1,
    now: 0,
    limits: { ...scriptLimits, computingMs },
    answer: () => Promise.reject(new Error("It asks for nothing")),
    onLog: () => {},
    ...more,
  });
}

Deno.test("a thread that goes silent ends its script, and gives its place back", async () => {
  const outcome = await attendThread(() => {});
  assert.deepEqual(outcome, { failure: "It computes for more than 0.001 seconds" });
  let ends = 0;
  const thread = Object.assign(new EventEmitter(), {
    postMessage: () => {},
    terminate: () => Promise.resolve(ends++),
  });
  await stopThread(thread as unknown as Worker, 1);
  assert.equal(ends, 1);
  // One that still computes when all VMs are closed
  const stopped = stopThread(thread as unknown as Worker, 100_000);
  await closeVms();
  assert.equal(ends, 2);
  thread.emit("exit");
  await stopped;
  await closeVms();
  assert.equal(ends, 3);
});

for (const [event, failure] of [["error", "It took too much"], ["exit", "It takes more memory"]]) {
  Deno.test(`a thread whose end is its ${event} ends its script`, async () => {
    const outcome = await attendThread((thread) => thread.emit(event!, new Error("full")));
    assert.match("failure" in outcome ? outcome.failure : "", RegExp(`^${failure}`));
  });
}

Deno.test("a thread is watched while it computes, and not while its script waits", async () => {
  const { after } = systemClock;
  const watches = new Set<() => void>();
  systemClock.after = (ms, act, options) => {
    if (ms !== 4000) return after(ms, act, options);
    watches.add(act);
    return () => watches.delete(act);
  };
  const seen: number[] = [];
  // Each is late for as long as it computes
  const look = () => {
    for (const watch of [...watches]) {
      watches.delete(watch);
      watch();
    }
    seen.push(watches.size);
  };
  let shared: Int32Array | undefined;
  let posts = 0;
  try {
    const outcome = await attendThread((thread, { steps }) => {
      shared ??= steps;
      seen.push(watches.size);
      Atomics.add(shared!, 0, 1);
      if (++posts === 2) [look, look].forEach((each) => each());
      const said = posts < 3
        ? { kind: "call", id: posts, text: "{}" }
        : { kind: "done", text: "1" };
      thread.emit("message", said);
    }, { computingMs: 1000, answer: () => Promise.resolve({ isError: false, text: "", now: 0 }) });
    assert.deepEqual(outcome, { returned: "1" });
  } finally {
    systemClock.after = after;
  }
  assert.deepEqual(seen, [1, 1, 0, 0, 1]);
  assert.equal(watches.size, 0);
});

Deno.test("a cancelled script that still computes has its place until it does not", async () => {
  const gone = new AbortController();
  const ended = Promise.withResolvers<void>();
  let isEnded = false;
  const code = `log("begun"); [].lastIndexOf.call({ length: 2 ** 53 - 1 }, 1)`;
  const outcome = await runInVm({
    code,
    seed: 1,
    now: 0,
    limits: { ...scriptLimits, computingMs: 1000 },
    signal: gone.signal,
    answer: () => Promise.reject(new Error("nothing asks")),
    onLog: () => gone.abort(),
    onEnd: () => {
      isEnded = true;
      ended.resolve();
    },
  });
  assert.deepEqual([outcome, isEnded], [{ failure: "The call was cancelled" }, false]);
  await within(ended.promise, "the end of the computing");
});

unixTest("others are served while scripts compute", async () => {
  const tools = [{ name: "say", command: "echo", effect: "read" }];
  await using session = await sessionOf({ tools }, { scripts: true });
  const stop = new AbortController();
  const scripts = ["a", "b", "c", "d"].map((owner) =>
    answerTo(session, { tool: "script_run", args: { code: "for (;;);" } }, {
      owner,
      signal: stop.signal,
    })
  );
  let answers = 0;
  let turns = 0;
  const timer = setInterval(() => turns++, 5);
  for (; answers < 20; answers++) {
    assert.equal((await answerTo(session, { tool: "say" }, { owner: "other" })).isError, false);
  }
  clearInterval(timer);
  stop.abort();
  for (const { text } of await Promise.all(scripts)) {
    assert.match(
      text,
      /^Script failed: (?:The call was cancelled|It computes for more than 10 seconds)/,
    );
  }
  // On the thread of all others there would be no turn before the scripts end
  assert.ok(turns > 3, `${turns} turns`);
});
