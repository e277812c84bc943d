import assert from "node:assert/strict";
import fc from "fast-check";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { cutToTokens, headOf } from "../../src/text/cut_tokens.ts";
import { estimateTokens } from "../../src/text/tokens.ts";

const samples: readonly [what: string, text: string][] = [
  [
    "prose",
    "The quick brown fox jumps over the lazy dog, and nobody minds it at all.\n".repeat(80),
  ],
  [
    "a log",
    "2026-11-21T10:14:09Z INFO  server: accepted connection from 10.0.0.12:51034\n".repeat(80),
  ],
  [
    "JSON",
    JSON.stringify(
      { items: Array.from({ length: 80 }, (_, id) => ({ id, name: `pod-${id}`, ready: true })) },
      null,
      2,
    ),
  ],
  ["a listing", "-rw-r--r-- 1 root root  14293 Mar  4 2026 libcrypto.so.3\n".repeat(80)],
  ["a drawn line", `${"=".repeat(72)}\n`.repeat(80)],
  ["Chinese", "这是一个用于测试的中文句子,包含一些常见的词语和标点符号。\n".repeat(80)],
];

for (const [what, text] of samples) {
  Deno.test(`estimateTokens() is within a quarter of o200k for ${what}`, () => {
    const ratio = estimateTokens(text) / countTokens(text);
    assert.ok(ratio > 0.75 && ratio < 1.25, String(ratio));
  });
}

Deno.test("estimateTokens() is never more than the length, and linear", () => {
  fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => {
    assert.ok(estimateTokens(text) <= text.length);
  }));
  for (const text of [" ", "\n", "\t \n", "a", "A", "aA", "{", "é", "0", " x"]) {
    const began = performance.now();
    estimateTokens(text.repeat(500_000));
    assert.ok(performance.now() - began < 3000, JSON.stringify(text));
  }
});

Deno.test("cutToTokens() leaves what fits as it is", () => {
  assert.equal(cutToTokens("one\ntwo", 100), undefined);
  assert.equal(cutToTokens("", 1), undefined);
});

Deno.test("cutToTokens() keeps whole lines of both ends", () => {
  const lines = Array.from({ length: 1000 }, (_, at) => `line ${at} of the output`);
  const cut = cutToTokens(lines.join("\n"), 200)!;
  const head = cut.head.split("\n");
  const tail = cut.tail.split("\n");
  assert.deepEqual(head, lines.slice(0, head.length));
  assert.deepEqual(tail, lines.slice(-tail.length));
  assert.deepEqual(cut.lines, { head: head.length, tail: tail.length });
  const cost = estimateTokens(`${cut.head}\n${cut.tail}`);
  assert.ok(cost <= 200 && cost > 150, String(cost));
});

Deno.test("cutToTokens() cuts one long line within, and between characters", () => {
  const cut = cutToTokens("🎉x".repeat(10_000), 100)!;
  assert.equal(cut.lines, undefined);
  assert.ok(cut.head.length > 0 && cut.tail.length > 0);
  assert.ok(estimateTokens(cut.head) + estimateTokens(cut.tail) <= 100);
});

Deno.test("cutToTokens() is within its bound, and made of the two ends", () => {
  const text = fc.array(fc.string({ maxLength: 60 })).map((lines) => lines.join("\n"));
  fc.assert(fc.property(text, fc.integer({ min: 4, max: 60 }), (text, max) => {
    const cut = cutToTokens(text, max);
    if (cut === undefined) return assert.ok(estimateTokens(text) <= max);
    assert.ok(text.startsWith(cut.head) && text.endsWith(cut.tail));
    assert.ok(estimateTokens(cut.head) + estimateTokens(cut.tail) <= max + 2);
  }));
});

Deno.test("headOf() is whole lines where there are lines", () => {
  assert.equal(headOf("one two\nthree four five six seven eight nine ten\n", 6), "one two\n");
  assert.equal(headOf("short", 100), "short");
});
