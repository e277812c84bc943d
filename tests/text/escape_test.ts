import assert from "node:assert/strict";
import {
  escapeInvisible,
  inOneLine,
  jsonInOneLine,
  linesToAccept,
  spellOut,
} from "../../src/text/escape.ts";

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
  Deno.test(`escapeInvisible() shows ${JSON.stringify(shown)}`, () => {
    assert.equal(escapeInvisible(text), shown);
  });
}

const spelled: readonly [text: string, shown: string][] = [
  ["plain é e\u0301 ế 😀 日本 ไม่ नमस्ते", "plain é e\u0301 ế 😀 日本 ไม่ नमस्ते"],
  ["a\u0338b\u20ddc", "a\\u{338}b\\u{20dd}c"],
  [`e${"\u0301".repeat(4)}`, "e\\u{301}\\u{301}\\u{301}\\u{301}"],
  // Marks of other scripts, two letters that are one for a reader, and hosts
  ["g\u0c02o v1\u0c02 http\u0903 a\u0315;", "g\\u{c02}o v1\\u{c02} http\\u{903} a\\u{315};"],
  [
    "\u212aeys \u212b тест\u0c02",
    "\\u{212a}eys \\u{212b} \\u{442}\\u{435}\\u{441}\\u{442}\\u{c02}",
  ],
  ["https://кауак.com/ключ", "https://\\u{43a}\\u{430}\\u{443}\\u{430}\\u{43a}.com/ключ"],
  ["a 丨 ωωω ➖force ✅", "a \\u{4e28} \\u{3c9}\\u{3c9}\\u{3c9} \\u{2796}force ✅"],
  ['"\u0301x"', '"\\u{301}x"'],
  ['["git","mv","א","ب"]', '["git","mv","\\u{5d0}","\\u{628}"]'],
  ["٣\u202e\u{1e900}", "\\u{663}\\u{202e}\\u{1e900}"],
  // Letters and signs that look like those of ASCII, and words of other alphabets
  [
    "g\u0456t p\u0430th \u03bfne \uff52m \u217cs",
    "g\\u{456}t p\\u{430}th \\u{3bf}ne \\u{ff52}m \\u{217c}s",
  ],
  ["\u{1d42b}m a\u2215b \u2212rf '\u2010x", "\\u{1d42b}m a\\u{2215}b \\u{2212}rf '\\u{2010}x"],
  ["docs/файл.md ΑΒΓ naïve — 5−3 ｱ", "docs/файл.md ΑΒΓ naïve \\u{2014} 5\\u{2212}3 ｱ"],
  ["Привет мир и Grüße Łódź Đường", "Привет мир и Grüße Łódź Đường"],
  ["한국어 변경 日本語の変更、「終」。 αλλαγή ✅", "한국어 변경 日本語の変更、「終」。 αλλαγή ✅"],
  // What looks like ASCII in any other script, and signs
  ["修正：（重要）", "修正\\u{ff1a}\\u{ff08}重要\\u{ff09}"],
  [
    "x＂ ： – ‘’“” ∣ ①",
    "x\\u{ff02} \\u{ff1a} \\u{2013} \\u{2018}\\u{2019}\\u{201c}\\u{201d} \\u{2223} \\u{2460}",
  ],
  [
    "ǀ ℮ ჿ ဝ ໐ ᒪᗪ Ⴝ ı ſ Ꭺ",
    "\\u{1c0} \\u{212e} \\u{10ff} \\u{101d} \\u{ed0} \\u{14aa}\\u{15ea} \\u{10bd} \\u{131} \\u{17f} \\u{13aa}",
  ],
  // From right to left, one phrase after another is read in another order
  ['["-m","مرحبا بالعالم"]', '["-m","مرحبا بالعالم"]'],
  ['["שלום","שלום","a"]', '["\\u{5e9}\\u{5dc}\\u{5d5}\\u{5dd}","שלום","a"]'],
  ["שלום 12", "\\u{5e9}\\u{5dc}\\u{5d5}\\u{5dd} 12"],
  [
    "שלום שלום-12 a",
    "\\u{5e9}\\u{5dc}\\u{5d5}\\u{5dd}\\u{20}\\u{5e9}\\u{5dc}\\u{5d5}\\u{5dd}-12 a",
  ],
  // "copy", "PACE" and "RM" without one ASCII letter
  [
    "сору РАСЕ_ＲＭ",
    "\\u{441}\\u{43e}\\u{440}\\u{443} \\u{420}\\u{410}\\u{421}\\u{415}_\\u{ff32}\\u{ff2d}",
  ],
  ["\u217cѕ сорт тест", "\\u{217c}\\u{455} сорт тест"],
  ["сортировка", "сортировка"],
  [`a${" ".repeat(8)}b${" ".repeat(300)}c`, `a${" ".repeat(8)}b\\u{20}{300}c`],
];

for (const [text, shown] of spelled) {
  Deno.test(`spelledOut() shows ${JSON.stringify(shown)}`, () => {
    assert.equal(spellOut(text), shown);
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

Deno.test("linesToAccept() counts what would push the end of a text out of view", () => {
  const text = `a\n\nb${" ".repeat(400)}c\n${" \n".repeat(300)}\u200d\n  d \u202e`;
  assert.deepEqual(linesToAccept(text), [
    ...["a", "", "b⟨400 blanks⟩c", "⟨300 empty lines⟩", "\\u{200d}", "  d ⟨U+202E⟩"],
    "⟨305 lines in all⟩",
  ]);
});

Deno.test("jsonInOneLine() reads back as it was, and hides nothing", () => {
  const value = { "a\u2028": ["\u202e\u{e0041}\n\x7f\x85", 1, null], "é😀": "\ud800" };
  const json = jsonInOneLine(value);
  assert.deepEqual(JSON.parse(json), value);
  assert.equal(escapeInvisible(json), json);
  assert.match(json, /"é😀"/);
});

Deno.test("escapeInvisible() writes out everything that Unicode lets a reader not see", () => {
  for (const sign of ["\u180b", "\u180f", "\u2800", "\u{e0041}", "\u115f", "\u2062", "\ufe0f"]) {
    assert.equal(escapeInvisible(`a${sign}b`), `a\\u{${sign.codePointAt(0)!.toString(16)}}b`);
    assert.equal(inOneLine(`a${sign}b`), "ab");
    assert.equal(JSON.parse(jsonInOneLine(sign)), sign);
    assert.match(jsonInOneLine(sign), /^"(?:\\u[0-9a-f]{4})+"$/);
  }
});
