/** RE2: whole values, every text, linear time. */

import assert from "node:assert/strict";
import fc from "../_properties.ts";
import { compilePattern } from "../../src/policy/pattern.ts";
import type { Pattern } from "../../src/tool/tool.ts";
import { assertLinear } from "../_growth.ts";

function compile(source: string): Pattern {
  const compiled = compilePattern(source);
  assert.ok("matches" in compiled, source);
  return compiled;
}

const rows: readonly [source: string, text: string, matches: boolean][] = [
  ["", "", true],
  ["", "a", false],
  ["a", "ab", false],
  ["a", "ba", false],
  ["^a", "ab", false],
  ["a$", "ba", false],
  ["a|ab", "ab", true],
  ["a|b", "ab", false],
  ["^a|b$", "ab", false],
  ["^a|b$", "axb", false],
  ["src/.*", "src/a b/ö😀", true],
  ["src/.*", "src/../../etc/passwd", true],
  ["[a-z]+", "abc\n", false],
  ["[a-z]+", "\nabc", false],
  ["^[a-z]+$", "abc\n", false],
  ["^[a-z]+$", "abc\nrm -rf", false],
  ["(?m)^[a-z]+$", "abc\n--output=x", false],
  ["(?m)^a$", "a\na", false],
  [".*", "a\nb", false],
  ["(?s).*", "a\nb", true],
  ["[^x]*", "a\nb", true],
  ["\\Aa\\z", "a\n", false],
  ["a*?", "aaa", true],
  ["[0-9]+", "٣", false],
  ["src", "ѕrс", false],
  [".", "😀", true],
  ["..", "😀", false],
  [".", "e\u0301", false],
];

for (const [source, text, matches] of rows) {
  const verb = matches ? "matches" : "does not match";
  Deno.test(`compilePattern() of '${source}' ${verb} ${JSON.stringify(text)}`, () => {
    assert.equal(compile(source).matches(text), matches);
  });
}

Deno.test("compilePattern() matches whole values as JavaScript does where both know a pattern", () => {
  const atom = fc.constantFrom("a", "b", "ab", ".", "[ab]", "[^a]", "(?:a|ab)", "\\n");
  const part = fc.tuple(atom, fc.constantFrom("", "*", "+", "?", "*?", "{1,2}"));
  const source = fc.array(part.map((pair) => pair.join("")), { maxLength: 5 })
    .map((parts) => parts.join(""));
  const either = fc.tuple(source, source, fc.boolean())
    .map(([a, b, both]) => both ? `${a}|${b}` : a);
  const text = fc.array(fc.constantFrom("a", "b", "c", "\n"), { maxLength: 8 })
    .map((letters) => letters.join(""));
  fc.assert(fc.property(either, text, (pattern, value) => {
    assert.equal(compile(pattern).matches(value), new RegExp(`^(?:${pattern})$`).test(value));
  }));
});

Deno.test("compilePattern() says what is wrong with any text, or knows it", () => {
  const pieces = fc.constantFrom(..."()[]{}*+?|\\^$.-,:=!<>PpQEzQ1a😀".split(""), "\ud800");
  fc.assert(fc.property(fc.array(pieces).map((each) => each.join("")), (source) => {
    const compiled = compilePattern(source);
    if ("matches" in compiled) assert.equal(compiled.source, source);
    else assert.match(compiled.reason, /^[a-z]/);
  }));
});

const unknown: readonly [source: string, reason: RegExp][] = [
  ["(?=a)", /invalid or unsupported Perl syntax: `\(\?=`/],
  ["(a)\\1", /invalid escape sequence: `\\1`/],
  ["(".repeat(5000) + ")".repeat(5000), /nests too deeply/],
];

for (const [source, reason] of unknown) {
  Deno.test(`compilePattern() does not know ${source.slice(0, 20)}`, () => {
    const compiled = compilePattern(source);
    assert.ok("reason" in compiled);
    assert.match(compiled.reason, reason);
  });
}

/** Patterns that take JavaScript longer than anyone waits, with the repeated part and the end of a text. */
const slow: readonly [source: string, part: string, end: string][] = [
  ["(a+)+b", "a", ""],
  ["(a+)+b", "a", "b!"],
  // Quadratic in JavaScript, which does end
  ["(.*)(.*)z", "x", "z!"],
];

for (const [source, part, end] of slow) {
  Deno.test(`compilePattern() of '${source}' takes linear time before '${end}'`, async () => {
    const pattern = compile(source);
    await assertLinear((size) => {
      const text = `${part.repeat(size)}${end}`;
      return () => assert.equal(pattern.matches(text), false);
    }, { size: 3_000 });
  });
}
