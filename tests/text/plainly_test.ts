import assert from "node:assert/strict";
import { inOneLine, jsonInOneLine, plainly } from "../../src/text/plainly.ts";

const rows: readonly [text: string, shown: string][] = [
  ["plain text é 😀 日本", "plain text é 😀 日本"],
  ["a\nb\tc\x1b[2J", "a\\u{a}b\\u{9}c\\u{1b}[2J"],
  ["\u202erm\u2066x\u2069", "\\u{202e}rm\\u{2066}x\\u{2069}"],
  ["a\u200b\u200d\u2060\ufeffb", "a\\u{200b}\\u{200d}\\u{2060}\\u{feff}b"],
  ["a\u00a0\u3000b", "a\\u{a0}\\u{3000}b"],
  ["\u{e0041}\u{e0100}\ufe0f\ue000", "\\u{e0041}\\u{e0100}\\u{fe0f}\\u{e000}"],
  ["\u2028\u2029\u0085", "\\u{2028}\\u{2029}\\u{85}"],
  ["\ud800x", "\ufffdx"],
];

for (const [text, shown] of rows) {
  Deno.test(`plainly() shows ${JSON.stringify(shown)}`, () => {
    assert.equal(plainly(text), shown);
  });
}

const lines: readonly [text: string, line: string][] = [
  [" a \n\n b\r\n\tc ", "a b c"],
  ["a\u2028b\u2029c\u0085d\u00a0e\v\ff", "a b c d e f"],
  ["\x1b[31mred\x1b[0m \x1b]0;title\x07 text\b", "red text"],
  ["\u202ea\u200b\u{e0041}b", "ab"],
  ["plain é 😀 日本", "plain é 😀 日本"],
];

for (const [text, line] of lines) {
  Deno.test(`inOneLine() of ${JSON.stringify(text)}`, () => assert.equal(inOneLine(text), line));
}

Deno.test("jsonInOneLine() reads back as it was, and hides nothing", () => {
  const value = { "a\u2028": ["\u202e\u{e0041}\n\x7f\x85", 1, null], "é😀": "\ud800" };
  const json = jsonInOneLine(value);
  assert.deepEqual(JSON.parse(json), value);
  assert.equal(plainly(json), json);
  assert.match(json, /"é😀"/);
});
