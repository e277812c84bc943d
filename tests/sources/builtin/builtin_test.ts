/** The tools over kept outputs: what they show, how one goes on, what they refuse. */

import assert from "node:assert/strict";
import { setImmediate } from "node:timers/promises";
import {
  readOutput,
  searchOutput,
  selectOfOutput,
} from "../../../src/sources/builtin/output_tools.ts";
import { builtinTools } from "../../../src/sources/builtin/tools.ts";
import { estimateTokens } from "../../../src/text/tokens.ts";
import { textOf } from "../../../src/tool/result.ts";
import type { ArgValue } from "../../../src/tool/tool.ts";
import { builtinRunner } from "../../../src/sources/builtin/builtin_source.ts";

const lines = Array.from({ length: 1000 }, (_, at) => `line ${at + 1} é`).join("\n");

async function ask(work: typeof readOutput, text: string, args: Record<string, ArgValue>) {
  const open = (id: string) => id === "k1" ? text : undefined;
  const reading = { open, maxTokens: 300 };
  const presets = { id: "k1", lines: 200, context: 2, limit: 50, from_line: 1, from: 1 };
  const { from_line: _, ...rest } = presets;
  const values = work === readOutput ? { ...rest, ...args } : { ...presets, ...args };
  const result = await work(reading, new Map(Object.entries(values)));
  return { text: textOf(result), isError: result.isError };
}

Deno.test("readOutput() pages through every line once", async () => {
  const seen: string[] = [];
  let from = 1;
  for (;;) {
    const { text } = await ask(readOutput, lines, { from_line: from });
    assert.ok(estimateTokens(text) < 400);
    seen.push(...text.split("\n").slice(0, -1));
    const next = /"from_line": (\d+)\}\]$/.exec(text);
    if (next === null) break;
    from = Number(next[1]);
  }
  assert.equal(seen.join("\n"), lines);
});

Deno.test("readOutput() pages through one long line by bytes", async () => {
  const long = "é word".repeat(2000);
  let seen = "";
  let { text } = await ask(readOutput, long, {});
  for (;;) {
    const [whole, shown] = /^(.*)\n\[bytes [^\]]*\]$/s.exec(text)!;
    seen += shown;
    const next = /"from_byte": (\d+)\}/.exec(whole);
    if (next === null) break;
    ({ text } = await ask(readOutput, long, { from_byte: Number(next[1]) }));
  }
  assert.equal(seen, long);
});

Deno.test("the tools say what is beyond the end, and what is not there", async () => {
  assert.equal(
    (await ask(readOutput, lines, { from_line: 5000 })).text,
    "[the output has 1,000 lines]",
  );
  assert.match((await ask(readOutput, lines, { from_byte: 99999 })).text, /^\[the output has/);
  for (const work of [readOutput, searchOutput, selectOfOutput]) {
    const { text, isError } = await ask(work, lines, { id: "k2", pattern: "x", path: "$" });
    assert.match(text, /^Output 'k2' not found: /);
    assert.equal(isError, true);
  }
});

Deno.test("searchOutput() finds every line, page by page", async () => {
  const seen: number[] = [];
  let from = 1;
  for (;;) {
    const { text } = await ask(searchOutput, lines, { pattern: "7", context: 1, from_line: from });
    seen.push(...[...text.matchAll(/^(\d+):/gm)].map(([, line]) => Number(line)));
    const next = /"from_line": (\d+)\}\]$/.exec(text);
    if (next === null) break;
    from = Number(next[1]);
  }
  const expected = lines.split("\n").flatMap((line, at) => line.includes("7") ? [at + 1] : []);
  assert.deepEqual([...new Set(seen)], expected);
});

Deno.test("searchOutput() refuses what is no RE2, and hangs at nothing", async () => {
  assert.match(
    (await ask(searchOutput, lines, { pattern: "(?=x)" })).text,
    /is not an RE2 expression/,
  );
  assert.match(
    (await ask(searchOutput, lines, { pattern: "x{1000}".repeat(140) })).text,
    /counts to too much/,
  );
  const { text } = await ask(searchOutput, "a".repeat(50_000), { pattern: "(a+)+$b" });
  assert.match(text, /^\[no line of 1 matches/);
});

Deno.test("selectOfOutput() reads JSON, lines of JSON, and JSON with a stderr behind it", async () => {
  const json = JSON.stringify([{ n: 1 }, { n: 2 }]);
  for (const text of [json, '{"n":1}\n{"n":2}\n', `${json}\n\n[stderr]\nwarning: old`]) {
    assert.equal((await ask(selectOfOutput, text, { path: "$[*].n" })).text, "1\n2\n[2 values]");
  }
  const { text, isError } = await ask(selectOfOutput, "no json", { path: "$" });
  assert.match(text, /^Output 'k1' is not JSON: /);
  assert.equal(isError, true);
  assert.match(
    (await ask(selectOfOutput, json, { path: "$[*].n", limit: 1 })).text,
    /"from": 2\}\]$/,
  );
});

Deno.test("readOutput() reaches an end that is a replaced character", async () => {
  const text = "\ufffd".repeat(9);
  const { text: shown } = await ask(readOutput, text, { from_byte: 24 });
  assert.equal(shown, "\ufffd\n[bytes 24 to 27 of 27]");
});

Deno.test("builtinRunner() lets others in between the calls that it works on", async () => {
  const runner = builtinRunner({ outputs: () => undefined, maxResultTokens: 200 });
  const [read] = builtinTools([]);
  let done = 0;
  const calls = Array.from({ length: 50 }, async () => {
    const plan = await runner.prepare(read!, new Map([["id", "k1"]]));
    assert.ok(plan.ok);
    await plan.run({});
    done++;
  });
  const first = calls[0]!;
  await first;
  await setImmediate();
  assert.ok(done < 50, `${done} calls were made at once`);
  await Promise.all(calls);
});

Deno.test("selectOfOutput() shows no control character that a text spells out", async () => {
  const { text } = await ask(selectOfOutput, '["\\u009b31m\\u001b[2J\\u007f"]', { path: "$[*]" });
  assert.equal(text, '"\\u009b31m\\u001b[2J\\u007f"\n[1 value]');
});

Deno.test("builtinRunner() has no client wait for all calls of another", async () => {
  const runner = builtinRunner({ outputs: () => undefined, maxResultTokens: 200 });
  const [read] = builtinTools([]);
  const order: string[] = [];
  const call = async (owner: string) => {
    const plan = await runner.prepare(read!, new Map([["id", "k1"]]));
    assert.ok(plan.ok);
    await plan.run({ owner });
    order.push(owner);
  };
  const flood = Array.from({ length: 50 }, () => call("bob"));
  await Promise.all([...flood, call("ada")]);
  assert.ok(order.indexOf("ada") < 5, order.join());
});
