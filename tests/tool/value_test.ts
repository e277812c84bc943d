import assert from "node:assert/strict";
import type { TextRule } from "../../src/tool/tool.ts";
import { readValue, textReason } from "../../src/tool/value.ts";

/** What each kind of text has and has not. */
const rows: readonly [rule: TextRule, accepted: readonly string[], refused: readonly string[]][] = [
  ["any", ["a\nb\r\x1b\x7f\x85\u2028", "\t"], []],
  [
    "multiline",
    ["", "a\nb\r\nc\td", "é 😀 \u2028", "\u202e"],
    ["a\rb", "\x00", "\x01", "\x0b", "\x0c", "\x1b[2J", "\x7f", "\x85", "\x9b", "a\r"],
  ],
  [
    "line",
    ["", "a\tb", "é 😀 日本", "a  b", "\u00a0"],
    ["a\n", "\na", "a\rb", "\r\n", "\u2028", "\u2029", "\x01", "\x1b", "\x7f", "\x80", "\x9f"],
  ],
  [
    "url",
    ["https://example.org/a%20b?c=d#e", "git@example.org:a/é.git", ""],
    [
      ...["a b", "a\tb", "a\n", "\x01.git", "\x7f", "\x85", "a\u00a0", "\u3000", "\u200b"],
      ...["\u202e", "\u2028"],
    ],
  ],
];

for (const [rule, accepted, refused] of rows) {
  Deno.test(`textReason() of ${rule}`, () => {
    for (const text of accepted) {
      assert.equal(textReason(text, rule), undefined, JSON.stringify(text));
    }
    for (const text of refused) {
      assert.match(textReason(text, rule)!, / contains U\+[0-9A-F]{4} and must be /);
    }
  });
}

Deno.test("textReason() says what is accepted, and what a config can allow", () => {
  const allow = "a config can allow it with 'text:";
  assert.ok(textReason("a\nb", "line")!.endsWith(`${allow} multiline'`));
  assert.ok(textReason("a\r\nb", "line")!.endsWith(`${allow} multiline'`));
  assert.ok(textReason("a\rb", "line")!.endsWith(`${allow} any'`));
  assert.ok(textReason("a\x1bb", "line")!.endsWith(`${allow} any'`));
  assert.ok(textReason("a\x1bb", "multiline")!.endsWith(`${allow} any'`));
  assert.match(
    textReason("\x01.git", "url")!,
    /^'\\u\{1\}\.git' contains U\+0001 and must be a URL/,
  );
  assert.ok(textReason("x\n".repeat(1_000_000), "line")!.length < 400);
});

Deno.test("readValue() reads lists as models write them", () => {
  const list = { type: "string", min: 0, max: 9 } as const;
  for (
    const [raw, rules, items, name] of [
      ["1, 2,3", { type: "integer" }, [1, 2, 3]],
      ["a,b", { enum: ["a", "b"] }, ["a", "b"]],
      ["a,c", { enum: ["a", "b"] }, ["a,c"]],
      ["a,b", {}, ["a,b"]],
      ["a , b", { hasNoComma: true }, ["a", "b"]],
      [{ Accept: "a, b", N: 1 }, {}, ["Accept: a, b", "N: 1"], "header"],
      ['{"a":"b"}', {}, ["a: b"], "headers"],
    ] as const
  ) {
    const arg = { name: name ?? "x", type: "array", list: { ...list, ...rules } } as const;
    assert.deepEqual(readValue(raw, arg), items);
  }
});
