/** Work that strangers can make long: others are answered meanwhile, and it ends. */

import assert from "node:assert/strict";
import { cpuUsage, threadCpuUsage } from "node:process";
import { longestHeap, maxInlineLength, runTask } from "../../src/worker/run_task.ts";

/** Turns of the event loop that `work` leaves to others. */
async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  const timer = setInterval(() => turns++, 5);
  await work();
  clearInterval(timer);
  return turns;
}

function msOf({ user, system }: { user: number; system: number }): number {
  return (user + system) / 1000;
}

const mib = 1024 * 1024;
const csv = {
  format: "csv",
  masksUrlCredentials: false,
  select: { columns: [{ name: "a" }] },
} as const;
const lines = { format: "jsonl", masksUrlCredentials: false, select: { items: "$[0]" } } as const;

const long = [
  [
    "rows of many lengths",
    () => runTask("shape", { ...csv, text: `a,b\n${"a\n".repeat(mib / 8)}` }, {}),
  ],
  ["many cells", () => runTask("shape", { ...csv, text: "a,b,c,d\n".repeat(mib / 4) }, {})],
  ["lines of JSON", () => runTask("shape", { ...lines, text: "1\n".repeat(2 * mib) }, {})],
  ["a path in a path", () => {
    const text = `[${"[1],".repeat(30_000)}1]`;
    const path = "$..[?count($..[?count($..*)>0])>0]";
    return runTask("path", { text, path, from: 1, most: 10, characters: 1000 }, {});
  }],
  ["an expression", () => {
    const text = `${"a".repeat(99_999)}\n`.repeat(2);
    const input = {
      text,
      pattern: "(?:a?){300}[^a]",
      ignoreCase: false,
      from: 1,
      most: 10,
      context: 2,
    };
    return runTask("lines", input, {});
  }],
] as const;

for (const [what, work] of long) {
  Deno.test(`runTask() does not block other work: ${what}`, async () => {
    const [before, own] = [cpuUsage(), threadCpuUsage()];
    const turns = await turnsDuring(work);
    const share = msOf(threadCpuUsage(own)) / msOf(cpuUsage(before));
    // On the thread of all others there would be one turn, behind it, and all of the computing
    assert.ok(turns > 3 && share < 0.5, `${turns} turns, ${share.toFixed(2)} of the computing`);
  });
}

Deno.test("runTask() has the same output in a worker as on this thread", async () => {
  for (const count of [1, maxInlineLength]) {
    const shape = await runTask("shape", { ...csv, text: `a,b\n${"1,2\n".repeat(count)}` }, {});
    assert.ok("selected" in shape);
    assert.equal(shape.selected, `a\n${"1\n".repeat(count)}`.trimEnd());
  }
});

Deno.test("runTask() uses a worker for short input that takes long", async () => {
  const text = `[${"[1],".repeat(1000)}1]`;
  const path = "$..[?count($..[?count($..*)>0])>0]";
  const input = { text, path, from: 1, most: 10, characters: 1000 };
  assert.ok(text.length < maxInlineLength);
  let values: unknown;
  const turns = await turnsDuring(async () => values = await runTask("path", input, {}));
  assert.match(JSON.stringify(values), /takes more than (?:2,000,000 steps|5 seconds)/);
  assert.ok(turns > 10, `${turns} turns`);
});

Deno.test("runTask() uses a worker for an expression that takes long to compile", async () => {
  const pattern = "(a{0,1000})".repeat(90);
  const input = { text: "a", pattern, ignoreCase: false, from: 1, most: 1, context: 0 };
  let found: unknown;
  const turns = await turnsDuring(async () => found = await runTask("lines", input, {}));
  assert.deepEqual((found as { at: number[] }).at, [1]);
  assert.ok(turns > 10, `${turns} turns`);
});

/** To compile it takes seconds, which nothing in it could count. */
const endless = {
  type: "object",
  properties: {
    result: { allOf: Array.from({ length: 1500 }, (_, at) => ({ items: { maximum: at + 1 } })) },
  },
};

Deno.test("runTask() ends a worker whose call was cancelled", async () => {
  const gone = new AbortController();
  const input = { ...lines, text: "1\n".repeat(mib), schema: endless };
  const shape = runTask("shape", input, { signal: gone.signal });
  setTimeout(() => gone.abort(), 50);
  assert.deepEqual(await shape, { timeoutReason: "the call was cancelled" });
});

Deno.test("runTask() ends a worker that nothing else would end", async () => {
  const text = "1\n".repeat(mib);
  const shape = await runTask(
    "shape",
    { ...lines, select: { items: "$" }, text, schema: endless },
    {},
  );
  assert.match(JSON.stringify(shape), /takes more than 10 seconds|the schema takes too long/);
});

/** Milliseconds that all threads of the process have computed. */
function computedMs(): number {
  return msOf(cpuUsage());
}

/** Resolves when the process computes next to nothing. */
async function idle(): Promise<void> {
  for (;;) {
    const before = computedMs();
    await new Promise((resolve) => setTimeout(resolve, 250));
    if (computedMs() - before < 75) return;
  }
}

Deno.test("runTask() leaves no worker running when its output is not wanted", async () => {
  const path = "$..[?count($..[?count($..*)>0])>0]";
  const nested = { text: `[${"[1],".repeat(30_000)}1]`, path, from: 1, most: 10, characters: 1000 };
  const rows = { ...csv, text: `a,b\n${"a\n".repeat(2 * mib)}` };
  const answers = await Promise.all(Array.from({ length: 50 }, async (_, at) => {
    const gone = new AbortController();
    const { signal } = gone;
    const answer = at % 2 === 0
      ? runTask("path", nested, { signal })
      : runTask("shape", rows, { signal });
    setTimeout(() => gone.abort(), 100);
    return JSON.stringify(await answer);
  }));
  assert.deepEqual([...new Set(answers)], ['{"timeoutReason":"the call was cancelled"}']);
  const before = computedMs();
  await idle();
  // Each of them alone would go on for seconds
  const each = (computedMs() - before) / 4;
  assert.ok(each < 3000, `${Math.round(each)} ms for each thread that may run`);
});

Deno.test("runTask() releases a permit when its worker has stopped", async () => {
  // To compile it takes most of a second, in which nothing is looked at
  const pattern = "(a{0,1000})".repeat(90);
  const input = { text: "a", pattern, ignoreCase: false, from: 1, most: 1, context: 0 };
  for (let round = 0; round < 12; round++) {
    const gone = new AbortController();
    setTimeout(() => gone.abort(), 60);
    await runTask("lines", input, { signal: gone.signal });
  }
  // Behind all of those that were given up, for they have their places
  const before = computedMs();
  const found = await runTask("lines", input, {});
  assert.deepEqual("at" in found ? found.at : found, [1]);
  await idle();
  assert.ok(computedMs() - before < 12_000);
});

Deno.test("runTask() ends a worker that exceeds its heap, and nothing else", async () => {
  const input = {
    ...lines,
    format: "json",
    select: { items: "$" },
    masksUrlCredentials: true,
  } as const;
  const text = `[${"{},".repeat(1_390_000)}1]`;
  assert.ok(text.length < 4 * mib);
  const timeoutReason = `it takes more than ${longestHeap} MiB of memory`;
  // One after the other: two at once may run out of time before the heap is full
  for (let round = 0; round < 2; round++) {
    assert.deepEqual(await runTask("shape", { ...input, text }, {}), { timeoutReason });
  }
  const small = await runTask(
    "shape",
    { ...input, text: `[${"{},".repeat(maxInlineLength)}1]` },
    {},
  );
  assert.ok("selected" in small);
});

const bounded = [
  ["a row that has no end", { ...csv, text: "a,".repeat(2 * mib) }, /a row has more than 262,144/],
  ["brackets alone", { ...lines, format: "json", text: "[".repeat(4 * mib) }, /nested too deep/],
  [
    "patterns of a schema",
    {
      ...lines,
      text: "1\n",
      schema: { type: "object", properties: { result: { pattern: "(a{0,1000}){1000}" } } },
    },
    /counts to too much/,
  ],
] as const;

for (const [what, input, expected] of bounded) {
  Deno.test(`runTask() stops within: ${what}`, async () => {
    assert.match(JSON.stringify(await runTask("shape", input, {})), expected);
  });
}

Deno.test("runTask() gives an identified client no more than its share", async () => {
  const endings: string[] = [];
  const text = "1\n".repeat(mib / 4);
  const ask = async (owner: string) => {
    await runTask("shape", { ...lines, text }, { owner });
    endings.push(owner);
  };
  await Promise.all([...Array.from({ length: 6 }, () => ask("greedy")), ask("modest")]);
  assert.ok(endings.indexOf("modest") < 4, endings.join(" "));
});
