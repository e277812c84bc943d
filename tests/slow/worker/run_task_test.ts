/** Work that strangers can make long: others are answered meanwhile, and it ends. */

import assert from "node:assert/strict";
import { cpuUsage, threadCpuUsage } from "node:process";
import { join } from "node:path";
import { maxHeapLength, maxInlineLength, runTask } from "../../../src/worker/run_task.ts";
import { FakeClock } from "../../_clock.ts";
import { root } from "../../_fixtures.ts";
import { within } from "../../_wait.ts";

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
    () => runTask("shape", { ...csv, text: `a,b\n${"a\n".repeat(mib / 16)}` }, {}),
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
    result: { allOf: Array.from({ length: 700 }, (_, at) => ({ items: { maximum: at + 1 } })) },
  },
};

Deno.test("runTask() ends a worker whose call was cancelled", async () => {
  const gone = new AbortController();
  const input = { ...lines, text: "1\n".repeat(mib), schema: endless };
  const shape = runTask("shape", input, { signal: gone.signal });
  // Time for the worker to begin, of which there is no event; cancelled before, it ends as well
  setTimeout(() => gone.abort(), 50);
  assert.deepEqual(await shape, { timeoutReason: "the call was cancelled" });
});

Deno.test("runTask() ends a worker that nothing else would end", async () => {
  const clock = new FakeClock();
  const shape = runTask("shape", { ...lines, text: "1\n", schema: endless }, { clock });
  await clock.timer(10_000);
  // As often as a busy machine has
  await clock.advance(60_000);
  assert.deepEqual(await shape, { timeoutReason: "it takes more than 10 seconds" });
});

Deno.test("runTask() leaves no worker running when its output is not wanted", async () => {
  const { answers, eachMs } = await givenUp("cancelled");
  assert.deepEqual(answers, ['{"timeoutReason":"the call was cancelled"}']);
  // Each of them alone would go on for seconds
  assert.ok(eachMs < 3000, `${Math.round(eachMs)} ms for each thread that may run`);
});

Deno.test("runTask() releases a permit when its worker has stopped", async () => {
  const { answers, allMs } = await givenUp("compiling");
  assert.deepEqual(answers, ['{"at":[1]}']);
  assert.ok(allMs < 12_000, `${Math.round(allMs)} ms`);
});

/** Gives up tasks in a process of its own, so that what its threads compute can be told from other tests. */
async function givenUp(
  scene: string,
): Promise<{ readonly answers: string[]; readonly eachMs: number; readonly allMs: number }> {
  const program = join(root, "tests", "fixtures", "worker", "tasks_given_up.ts");
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "--quiet",
      "--no-check",
      "--allow-read",
      "--allow-env",
      "--allow-sys",
      program,
      scene,
    ],
    stderr: "inherit",
  });
  const { stdout } = await within(child.output(), scene);
  return JSON.parse(new TextDecoder().decode(stdout));
}

Deno.test("runTask() ends a worker that exceeds its heap, and nothing else", async () => {
  const input = {
    ...lines,
    format: "json",
    select: { items: "$..*" },
    masksUrlCredentials: true,
  } as const;
  const text = `[${"{},".repeat(1_390_000)}1]`;
  assert.ok(text.length < 4 * mib);
  const timeoutReason = `it takes more than ${maxHeapLength} MiB of memory`;
  // The time stands still, or it may be over before the heap is full
  const clock = new FakeClock();
  for (let round = 0; round < 2; round++) {
    assert.deepEqual(await runTask("shape", { ...input, text }, { clock }), { timeoutReason });
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
