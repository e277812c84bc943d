/** RE2: whole values, every text, linear time. */

import assert from "node:assert/strict";
import { compilePattern } from "../../src/policy/pattern.ts";
import type { Pattern } from "../../src/tool/tool.ts";

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
