import assert from "node:assert/strict";
import fc from "../_properties.ts";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { cutToTokens, estimateTokens, headOf } from "../../src/text/tokens.ts";
import { assertLinear } from "../_growth.ts";

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
  ["a table with lines", "│ web      │ running │\n├──────────┼─────────┤\n".repeat(80)],
  ["Chinese", "这是一个用于测试的中文句子,包含一些常见的词语和标点符号。\n".repeat(80)],
];

for (const [what, text] of samples) {
  Deno.test(`estimateTokens() is near o200k for ${what}`, () => {
    const ratio = estimateTokens(text) / countTokens(text);
    assert.ok(ratio > 0.75 && ratio < 1.45, String(ratio));
  });
}

/** A sequence of numbers that is the same each time, each below 1. */
function* noise(): Generator<number, never> {
  for (let state = 1;; state = (state * 1664525 + 1013904223) % 2 ** 32) yield state / 2 ** 32;
}

/** `length` characters of `alphabet` in no order, in lines of so many. */
function noiseOf(alphabet: string | readonly string[], line = 80, length = 60_000): string {
  const numbers = noise();
  return Array.from({ length }, (_, at) => {
    const character = alphabet[Math.floor(numbers.next().value * alphabet.length)]!;
    return at % line === line - 1 ? `${character}\n` : character;
  }).join("");
}

function charactersOf(first: number, last: number): string[] {
  return Array.from({ length: last - first + 1 }, (_, at) => String.fromCodePoint(first + at));
}

const letters = "abcdefghijklmnopqrstuvwxyz";
const signs = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~";
const base64Signs = `${letters}${letters.toUpperCase()}0123456789+/`;

/** Texts that cost much more than their looks. */
const costly: readonly (readonly [what: string, text: string])[] = [
  ["signs in lines", noiseOf(signs)],
  ["signs in one line", noiseOf(signs, Infinity)],
  ["brackets in one line", noiseOf("[]{}()", Infinity)],
  ["one bracket", "[".repeat(60_000)],
  ["capitals", noiseOf(letters.toUpperCase())],
  ["small letters", noiseOf(letters)],
  ["words that are none", noiseOf(`${letters}      `)],
  ["base64", noiseOf(base64Signs, 76)],
  ["all of ASCII", noiseOf(charactersOf(0x20, 0x7e))],
  ["digits", noiseOf("0123456789")],
  ["white space", noiseOf(" \t\r\n")],
  ["ASCII art", noiseOf("  .:-=+*#%@")],
];

/** Noise beyond ASCII: the estimate counts rare characters as the common ones of their block. */
const foreign: typeof costly = [
  ["ideographs", noiseOf(charactersOf(0x4e00, 0x9fff))],
  ["a script beyond the first plane", noiseOf(charactersOf(0x12000, 0x12300))],
  ["emoji", noiseOf(charactersOf(0x1f300, 0x1f64f))],
  ["marks over letters", noiseOf(charactersOf(0x300, 0x36f))],
];

for (const [texts, bound] of [[costly, 1.1], [foreign, 2.4]] as const) {
  for (const [what, text] of texts) {
    Deno.test(`cutToTokens() is not more than ${bound} times its bound for ${what}`, () => {
      const most = 2000;
      const cut = cutToTokens(text, most);
      const left = cut === undefined ? text : `${cut.head}${cut.tail}`;
      const tokens = countTokens(left);
      assert.ok(tokens <= bound * most, `${tokens} tokens`);
      // Nor is much less shown than may be
      assert.ok(tokens >= 0.6 * most, `${tokens} tokens`);
    });
  }
}

Deno.test("headOf() cuts a short text of characters that cost more than one each", () => {
  const text = "\u13a0\u13c5".repeat(100);
  assert.ok(countTokens(text) > 500);
  assert.ok(countTokens(headOf(text, 300)) <= 600);
  assert.notEqual(cutToTokens(text, 300), undefined);
});

Deno.test("estimateTokens() is linear", async () => {
  for (const part of [" ", "\n", "\t \n", "a", "A", "aA", "{", "é", "0", " x"]) {
    await assertLinear((size) => {
      const text = part.repeat(size);
      return () => estimateTokens(text);
    }, { size: 5_000, what: JSON.stringify(part) });
  }
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
