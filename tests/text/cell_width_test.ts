import assert from "node:assert/strict";
import { cellWidth, wrap } from "../../src/text/wrap.ts";

const widths: readonly (readonly [text: string, width: number])[] = [
  ["", 0],
  ["Ada Lovelace", 12],
  ["naïve — “café” … ž", 18],
  ["¡¬®ÿˈ✓", 6],
  ["日本", 4],
  ["한글", 4],
  ["コード、ｺ", 9],
  ["ＡＢ　", 6],
  ["👩‍👩‍👧", 2],
  ["👍🏽🇩🇪", 4],
  ["e\u0301", 1],
  ["a\u200bb", 2],
  ["soft\u00adhyphen", 10],
  ["Привет, שלום", 12],
  ["\x1b[1mbold\x1b[22m", 4],
];

for (const [text, width] of widths) {
  Deno.test(`cellWidth() counts the cells of ${JSON.stringify(text)}`, () => {
    assert.equal(cellWidth(text), width);
  });
}

Deno.test("wrap() breaks between words, and indents the lines after the first", () => {
  assert.deepEqual(wrap("undo a  commit", 9), ["undo a", "commit"]);
  const indented = wrap("a https://long.example", 8, { indent: "  " });
  assert.deepEqual(indented, ["a", "  https://long.example"]);
});
