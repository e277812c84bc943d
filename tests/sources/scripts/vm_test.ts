/** The VM of a script: what it has, how it ends, and that nothing but JSON crosses its wall. */

import assert from "node:assert/strict";
import type { ScriptLimits } from "../../../src/sources/scripts/limits.ts";
import { FakeClock } from "../../_clock.ts";
import { within as timely } from "../../_wait.ts";
import { closeVms, failureOf, returnedBy, runVm } from "./_vm.ts";

Deno.test.afterAll(closeVms);

Deno.test("a script returns a value as JSON", async () => {
  assert.deepEqual(await returnedBy("return {a: [1, null, 'ü'], b: undefined}"), {
    a: [1, null, "ü"],
  });
  assert.equal(await returnedBy(""), null);
  assert.equal(await returnedBy("return // a comment at the end"), null);
});

Deno.test("call() asks for a tool and gives text and data", async () => {
  const { outcome, requests } = await runVm(
    `const {text, data} = await call("git_log", {max_count: 3}, {select: "$.a"});
     return [text, data.n]`,
    { answer: () => Promise.resolve({ text: "three", data: '{"n":3}' }) },
  );
  assert.deepEqual(outcome, { returned: '["three",3]' });
  const value = { name: "git_log", args: { max_count: 3 }, select: "$.a" };
  assert.deepEqual(requests, [{ kind: "call", value }]);
});

Deno.test("call() reads the data of a text that is JSON, once it is looked at", async () => {
  const answer = () => Promise.resolve({ text: '[{"a":1}]' });
  assert.equal(await returnedBy(`return (await call("x")).data[0].a`, { answer }), 1);
  const keys = `const r = await call("x"); const before = Object.keys(r); r.data.pop();
    return [before, Object.keys(r), r.data]`;
  assert.deepEqual(await returnedBy(keys, { answer }), [["text"], ["text", "data"], []]);
  const broken = () => Promise.resolve({ text: "[no JSON]" });
  assert.equal(await returnedBy(`return (await call("x")).data ?? null`, { answer: broken }), null);
});

Deno.test("call() throws what an agent would read", async () => {
  const answer = () => Promise.resolve({ text: "Unknown tool: x", isError: true });
  const caught = `try { await call("x") } catch (error) {
    return [error instanceof Error, error.name, error.message] }`;
  assert.deepEqual(await returnedBy(caught, { answer }), [true, "Error", "Unknown tool: x"]);
  assert.equal(await failureOf(`await call("x")`, { answer }), "Unknown tool: x");
});

Deno.test("all() runs functions, so many at once, and keeps their order", async () => {
  let running = 0;
  let most = 0;
  const three = Promise.withResolvers<void>();
  const answer = async ({ text }: { text: string }) => {
    most = Math.max(most, ++running);
    if (most === 3) three.resolve();
    await three.promise;
    running--;
    return { text };
  };
  const code = `const found = await all(Array.from({length: 9}, (_, n) => () => call("x", {n})), 3);
    return found.map(({text}) => JSON.parse(text).args.n)`;
  assert.deepEqual(await returnedBy(code, { answer }), [0, 1, 2, 3, 4, 5, 6, 7, 8]);
  assert.equal(most, 3);
  assert.deepEqual(await returnedBy("return await all([1, Promise.resolve(2)])"), [1, 2]);
});

const wrong = [
  ["return await all(3)", /^TypeError: all\(\) takes a list of functions or promises/],
  ["return await all([], 9)", /^RangeError: all\(\) runs 1 to 8 at once, not 9/],
  ["throw new TypeError('x')", /^TypeError: x$/],
  ["throw 3", /^It threw 3$/],
  ["throw {a: 1}", /^It threw \{"a":1\}$/],
  ["let a =", /^SyntaxError: /],
  ["import x from 'y'", /^SyntaxError: /],
  ["await new Promise(() => {})", /^The script waits for a promise that nothing will settle$/],
  ["await call('x'); await new Promise(() => {})", /^The script waits for a promise/],
  ["const a = {}; a.a = a; return a", /^TypeError: circular reference$/],
  ["return 1n", /^TypeError: Do not know how to serialize a BigInt$/],
] as const;

for (const [code, expected] of wrong) {
  Deno.test(`a script fails with a reason: ${code}`, async () => {
    assert.match(await failureOf(code), expected);
  });
}

Deno.test("input and log() cross as JSON and text", async () => {
  const { outcome, logged } = await runVm(
    `log("n", input.n, {a: [1]}); log(); return Object.keys(input)`,
    { input: '{"n":1,"__proto__":{"polluted":true}}' },
  );
  assert.deepEqual(outcome, { returned: '["n","__proto__"]' });
  assert.deepEqual(logged, ['n 1 {"a":[1]}', ""]);
  assert.equal(await returnedBy("return typeof input"), "undefined");
});

Deno.test("the clock of a VM stands still between answers, in UTC", async () => {
  const code = `const at = Date.now(); for (let i = 0; i < 1e5; i++);
    const still = Date.now() === at; await call("x");
    return [at, still, Date.now(), new Date(0).getHours(), new Date().getTimezoneOffset()]`;
  const [before, after] = [Date.UTC(2026, 0, 1), Date.UTC(2026, 0, 2)];
  assert.deepEqual(await returnedBy(code), [before, true, after, 0, 0]);
});

Deno.test("random values follow the seed", async () => {
  const code = "const { random } = Math; return [random(), random()]";
  const [one, two] = await returnedBy(code, { seed: 7 }) as [number, number];
  assert.ok(one > 0 && one < 1 && two > 0 && two < 1 && one !== two);
  assert.deepEqual(await returnedBy(code, { seed: 7 }), [one, two]);
  assert.notDeepEqual(await returnedBy(code, { seed: 8 }), [one, two]);
});

Deno.test("a VM has nothing of the one before it", async () => {
  await returnedBy("globalThis.left = 1; Object.prototype.left = 2; Array.prototype.map = null");
  assert.deepEqual(await returnedBy("return [typeof left, [1].map((n) => n + 1)]"), [
    "undefined",
    [2],
  ]);
});

const over = [
  ["calls", `for (let n = 0; n < 4; n++) await call("x")`, { calls: 3 }, /makes 3 calls and/],
  [
    "value that goes out",
    `return "x".repeat(2000)`,
    { valueLength: 1000 },
    /2002 characters, and 1000/,
  ],
  [
    "arguments",
    `await call("x", {a: "x".repeat(2000)})`,
    { valueLength: 1000 },
    /and 1000 at most/,
  ],
  [
    "calls that wait",
    `await Promise.all([1, 2, 3].map(() => call("x", {a: "x".repeat(900)})))`,
    { valueLength: 1000 },
    /Calls that wait have 2000 characters at most/,
  ],
  [
    "depth",
    `let a = 1; for (let n = 0; n < 6; n++) a = [a]; return a`,
    { depth: 5 },
    /more than 5 levels/,
  ],
  [
    "depth of arguments",
    `let a = 1; for (let n = 0; n < 6; n++) a = [a]; await call("x", {a})`,
    { depth: 5 },
    /^A value of a script has 5 levels at most$/,
  ],
  ["memory at once", "return new Uint8Array(35.5 * 2 ** 20)[0]", {}, /out of memory/],
  [
    "log",
    `for (let n = 0; n < 11; n++) log("xxxxxxxxx")`,
    { logLength: 100 },
    /logs 100 characters at most/,
  ],
  [
    "memory",
    `const all = []; for (;;) all.push("x".repeat(1e5) + all.length)`,
    {},
    /out of memory|[Tt]he 32 MiB/,
  ],
] as const;

for (const [what, code, limits, expected] of over) {
  Deno.test(`a VM has a bound: ${what}`, async () => {
    assert.match(await failureOf(code, { limits }), expected);
  });
}

const within: readonly [what: string, code: string, limits: Partial<ScriptLimits>][] = [
  ["calls", `for (let n = 0; n < 3; n++) await call("x")`, { calls: 3 }],
  ["value", `return "x".repeat(998)`, { valueLength: 1000 }],
  [
    "calls that wait",
    // {"name":"x","args":{"a":""}}
    `await Promise.all([1, 2].map(() => call("x", {a: "x".repeat(972)})))`,
    { valueLength: 1000 },
  ],
  [
    "depth of arguments",
    `let a = 1; for (let n = 0; n < 5; n++) a = [a]; await call("x", {a})`,
    { depth: 5 },
  ],
  ["memory at once", "return new Uint8Array(34 * 2 ** 20)[0]", {}],
  // QuickJS looks at no interrupt meanwhile
  ["computing at once", "return [].lastIndexOf.call({length: 1e6}, 1)", {}],
  ["log", `for (let n = 0; n < 10; n++) log("xxxxxxxxx")`, { logLength: 100 }],
];

for (const [what, code, limits] of within) {
  Deno.test(`a script may use up a bound: ${what}`, async () => {
    assert.ok("returned" in (await runVm(code, { limits })).outcome);
  });
}

Deno.test("a VM has a bound: its own computing", async () => {
  const limits = { computingMs: 50 };
  assert.equal(await failureOf("for (;;);", { limits }), "It computes for more than 0.05 seconds");
  // No instruction of QuickJS runs meanwhile, so nothing asks whether it may go on
  const code = "return [].lastIndexOf.call({length: 2 ** 53 - 1}, 1)";
  assert.equal(await failureOf(code, { limits }), "It computes for more than 0.05 seconds");
  // Of all that it computes between its calls
  const steps = `for (;;) { for (let n = 0; n < 1e5; n++); await call("x") }`;
  const many = { computingMs: 300, calls: 1e9 };
  assert.equal(await failureOf(steps, { limits: many }), "It computes for more than 0.3 seconds");
});

Deno.test("a VM has a bound: the time in all", async () => {
  const clock = new FakeClock();
  const answer = () => {
    void clock.advance(300_000);
    return new Promise<never>(() => {});
  };
  const failure = await failureOf(`await call("x")`, { clock, answer });
  assert.equal(failure, "It takes more than 5 minutes");
});

Deno.test("a cancelled script ends, whatever it does", async () => {
  for (const code of [`await call("x")`, `await call("x").catch(() => {}); for (;;);`]) {
    const gone = new AbortController();
    const answer = () => {
      gone.abort();
      return new Promise<never>(() => {});
    };
    assert.equal(await failureOf(code, { signal: gone.signal, answer }), "The call was cancelled");
  }
  const aborted = AbortSignal.abort();
  assert.equal(await failureOf("for (;;);", { signal: aborted }), "The call was cancelled");
});

for (const loop of ["for (;;);", "for (;;) await 0;"]) {
  Deno.test(`a cancelled script computes no further, and gives its place back: ${loop}`, async () => {
    const [gone, ended] = [new AbortController(), Promise.withResolvers<void>()];
    const answer = () => {
      gone.abort();
      return new Promise<never>(() => {});
    };
    const limits = { computingMs: 1_000_000 };
    const options = { signal: gone.signal, answer, limits, onEnd: ended.resolve };
    const failure = await failureOf(`void call("x"); ${loop}`, options);
    assert.equal(failure, "The call was cancelled");
    await timely(ended.promise, "the end of its computing");
  });
}

Deno.test("the next thread is started once an answer is out, and keeps no process alive", async () => {
  const clock = new FakeClock();
  let timers: number[] = [];
  const answer = () => {
    timers = clock.timers;
    return Promise.resolve({ text: "" });
  };
  for (let runs = 0; runs < 2; runs++) {
    assert.equal(await returnedBy(`await call("x"); return 1`, { clock, answer }), 1);
    assert.deepEqual([timers, clock.timers, clock.isHeld], [[300_000], [20], false]);
  }
  await clock.advance(20);
  assert.deepEqual([clock.timers, clock.isHeld], [[60_000], false]);
  await closeVms();
  assert.deepEqual(clock.timers, []);
});

Deno.test({
  name: "a VM that cannot be started says why, and gives its place back",
  permissions: { read: false },
  async fn() {
    let ends = 0;
    const failure = await failureOf("return 1", { onEnd: () => void ends++ });
    assert.match(
      failure,
      /^The interpreter of scripts cannot be started: --allow-read=.+ is needed$/,
    );
    assert.equal(ends, 1);
  },
});
