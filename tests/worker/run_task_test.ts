/** Work that strangers can make long: others are answered meanwhile, and it ends. */

import assert from "node:assert/strict";
import { cpuUsage } from "node:process";
import { maxInlineLength, runTask } from "../../src/worker/run_task.ts";

/** Turns of the event loop that `work` leaves to others. */
async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  const timer = setInterval(() => turns++, 5);
  await work();
  clearInterval(timer);
  return turns;
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
    () => runTask("shape", { ...csv, text: `a,b\n${"a\n".repeat(mib)}` }, {}),
  ],
  ["many cells", () => runTask("shape", { ...csv, text: "a,b,c,d\n".repeat(mib / 4) }, {})],
  ["lines of JSON", () => runTask("shape", { ...lines, text: "1\n".repeat(2 * mib) }, {})],
  ["a path in a path", () => {
    const text = `[${"[1],".repeat(30_000)}1]`;
    const path = "$..[?count($..[?count($..*)>0])>0]";
    return runTask("path", { text, path, from: 1, most: 10, characters: 1000 }, {});
  }],
  ["an expression", () => {
    const text = `${"a".repeat(99_999)}\n`.repeat(30);
    const input = {
      text,
      pattern: "(a?){50}a{50}b",
      ignoreCase: false,
      from: 1,
      most: 10,
      context: 2,
    };
    return runTask("lines", input, {});
  }],
] as const;

for (const [what, work] of long) {
  Deno.test(`runTask() lets others have their turns: ${what}`, async () => {
    const began = performance.now();
    const turns = await turnsDuring(work);
    const each = (performance.now() - began) / turns;
    // On the thread of all others there would be one, behind it
    assert.ok(turns > 3 && each < 100, `${turns} turns, one in ${Math.round(each)} ms`);
  });
}

Deno.test("runTask() comes to the same in a thread as it does here", async () => {
  for (const count of [1, maxInlineLength]) {
    const shape = await runTask("shape", { ...csv, text: `a,b\n${"1,2\n".repeat(count)}` }, {});
    assert.ok("selected" in shape);
    assert.equal(shape.selected, `a\n${"1\n".repeat(count)}`.trimEnd());
  }
});

Deno.test("runTask() goes elsewhere with what is short and takes long", async () => {
  const text = `[${"[1],".repeat(1000)}1]`;
  const path = "$..[?count($..[?count($..*)>0])>0]";
  const input = { text, path, from: 1, most: 10, characters: 1000 };
  assert.ok(text.length < maxInlineLength);
  let values: unknown;
  const turns = await turnsDuring(async () => values = await runTask("path", input, {}));
  assert.match(JSON.stringify(values), /takes more than (?:2,000,000 steps|5 seconds)/);
  assert.ok(turns > 10, `${turns} turns`);
});

Deno.test("runTask() compiles an expression elsewhere that takes long to compile", async () => {
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

Deno.test("runTask() ends a thread whose caller has gone", async () => {
  const gone = new AbortController();
  const input = { ...lines, text: "1\n".repeat(mib), schema: endless };
  const shape = runTask("shape", input, { signal: gone.signal });
  setTimeout(() => gone.abort(), 50);
  assert.deepEqual(await shape, { timeoutReason: "the call was cancelled" });
});

Deno.test("runTask() ends a thread that nothing else would end", async () => {
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
  const { user, system } = cpuUsage();
  return (user + system) / 1000;
}

/** Resolves when the process computes next to nothing. */
async function idle(): Promise<void> {
  for (;;) {
    const before = computedMs();
    await new Promise((resolve) => setTimeout(resolve, 250));
    if (computedMs() - before < 75) return;
  }
}

Deno.test("runTask() has no thread go on when nobody waits for it", async () => {
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

Deno.test("runTask() gives a place back when its thread computes no more", async () => {
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

Deno.test("runTask() ends a thread that has too many values, and nothing else", async () => {
  const input = {
    ...lines,
    format: "json",
    select: { items: "$" },
    masksUrlCredentials: true,
  } as const;
  const text = `[${"{},".repeat(1_390_000)}1]`;
  assert.ok(text.length < 4 * mib);
  const ends = await Promise.all([1, 2].map(() => runTask("shape", { ...input, text }, {})));
  for (const end of ends) {
    // On a busy machine the time is up before the heap is full
    assert.match(JSON.stringify(end), /it takes more than (?:256 MiB of memory|10 seconds)/);
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
  Deno.test(`runTask() gives up what it could not be stopped in: ${what}`, async () => {
    assert.match(JSON.stringify(await runTask("shape", input, {})), expected);
  });
}

Deno.test("runTask() gives a client that has shown who it is no more than its share", async () => {
  const endings: string[] = [];
  const text = "1\n".repeat(mib / 4);
  const ask = async (owner: string) => {
    await runTask("shape", { ...lines, text }, { owner });
    endings.push(owner);
  };
  await Promise.all([...Array.from({ length: 6 }, () => ask("greedy")), ask("modest")]);
  assert.ok(endings.indexOf("modest") < 4, endings.join(" "));
});
