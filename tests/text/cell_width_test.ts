import assert from "node:assert/strict";
import stringWidth from "string-width";
import { cellWidth, prepareWidths } from "../../src/text/wrap.ts";

Deno.test("cellWidth() counts the cells of any text", async () => {
  // Those that need nothing loaded, and then the others
  const plain = ["", "Ada Lovelace", "naïve — “café” … ž", "…", "¡¬®ÿ", "ˈ"];
  for (const text of plain) assert.equal(cellWidth(text), stringWidth(text), text);
  await prepareWidths(plain);
  const wide = [
    "日本",
    "👩‍👩‍👧",
    "e\u0301",
    "a\u200bb",
    "soft\u00adhyphen",
    "한글",
    "\x1b[1mbold\x1b[22m",
  ];
  await prepareWidths(wide);
  for (const text of [...plain, ...wide]) assert.equal(cellWidth(text), stringWidth(text), text);
});

Deno.test("cellWidth() takes every character that it counts by itself for one cell", () => {
  for (let code = 0x20; code < 0x2100; code++) {
    const text = String.fromCharCode(code);
    if (/^[\x20-\x7e\xa1-\xac\xae-\u02ff\u2010-\u2027]$/.test(text)) {
      assert.equal(stringWidth(text), 1, code.toString(16));
    }
  }
});
