import assert from "node:assert/strict";
import fc from "../_properties.ts";
import { stripControlSequences } from "../../src/text/control_sequences.ts";
import { assertLinear } from "../_growth.ts";

const cases: readonly (readonly [what: string, text: string, stripped: string])[] = [
  ["colours", "\x1b[1;31mred\x1b[0m", "red"],
  ["colours with colons", "\x1b[38:2::1:2:3mred\x1b[m", "red"],
  ["cursor movements", "a\x1b[2J\x1b[10;20Hb\x1b[?25lc", "abc"],
  ["intermediate bytes", "a\x1b[2 qb", "ab"],
  ["a window title, ended by BEL", "\x1b]0;a title\x07text", "text"],
  ["a hyperlink, ended by ST", "\x1b]8;;https://example.org\x1b\\text\x1b]8;;\x1b\\", "text"],
  [
    "device control strings",
    "a\x1bPq#0;2;0\x1b\\b\x1b_apc\x1b\\c\x1b^pm\x1b\\d\x1bXsos\x1b\\e",
    "abcde",
  ],
  ["other escapes", "\x1bMa\x1b(Bb\x1b=c\x1b7d", "abcd"],
  ["8-bit control sequences", "\x9b31mred\x9b0m", "red"],
  ["8-bit string terminators", "\x1b]0;title\x9ctext", "text"],
  ["two escapes in a row", "a\x1b\x1b[31mb", "ab"],
  ["a sequence that is cut off", "text\x1b[31", "text"],
  ["an escape at the end", "text\x1b", "text"],
  ["nothing", "", ""],
  ["what is no sequence", "a\tb\r\nc [31m é 🎉", "a\tb\r\nc [31m é 🎉"],
];

for (const [what, text, stripped] of cases) {
  Deno.test(`stripControlSequences() takes out: ${what}`, () => {
    assert.equal(stripControlSequences(text), stripped);
  });
}

for (
  const unit of [
    ...["\x1b]", "\x1b[", "\x1b", "\x1b[1;", "\x1b]0;x", "\x1bP\x1b", "\x9b", "\x1b ", "\x1b[ "],
    ...["\x9d"],
  ]
) {
  Deno.test(`stripControlSequences() takes linear time for ${JSON.stringify(unit)}`, async () => {
    const texts: readonly ((size: number) => string)[] = [
      (size) => unit.repeat(size),
      (size) => `${unit}${"x".repeat(size)}`,
      (size) => `${unit}${"0;".repeat(size)}`,
    ];
    for (const textOf of texts) {
      await assertLinear((size) => {
        const text = textOf(size);
        return () => stripControlSequences(text);
      }, { size: 5_000, what: JSON.stringify(textOf(2)) });
    }
  });
}

Deno.test("stripControlSequences() leaves no control sequence, and nothing to take out twice", () => {
  const parts = fc.constantFrom(
    "\x1b",
    "[",
    "]",
    "0",
    ";",
    "m",
    "\x07",
    "\\",
    "\x9b",
    "\x9c",
    " ",
    "a",
    "\n",
    "P",
  );
  fc.assert(fc.property(fc.array(parts).map((all) => all.join("")), (text) => {
    const stripped = stripControlSequences(text);
    assert.ok(!stripped.includes("\x1b") && !stripped.includes("\x9b"), JSON.stringify(stripped));
    assert.equal(stripControlSequences(stripped), stripped);
  }));
});

Deno.test("stripControlSequences() takes out eight-bit strings and stray controls", () => {
  const rows: readonly [text: string, stripped: string][] = [
    ["a\u009d0;title\u0007b", "ab"],
    ["a\u0090q payload\u009cb", "ab"],
    ["a\u009eprivate\u001b\\b", "ab"],
    ["a\u009dnever ended", "anever ended"],
    ["a\0b\bc\x7fd", "abcd"],
    ["tab\tline\nreturn\r\n", "tab\tline\nreturn\r\n"],
  ];
  for (const [text, stripped] of rows) assert.equal(stripControlSequences(text), stripped);
});

Deno.test("stripControlSequences() keeps the text after a string that never ends", () => {
  assert.match(stripControlSequences("before \x1b]0;title\nafter"), /^before .*title\nafter$/);
});
