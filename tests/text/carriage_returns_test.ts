import assert from "node:assert/strict";
import fc from "../_properties.ts";
import { settleReturns } from "../../src/text/control_sequences.ts";
import { assertLinear } from "../_growth.ts";

const rows: readonly [text: string, shown: string][] = [
  ["", ""],
  ["plain\ntext\n", "plain\ntext\n"],
  ["a\r\nb\r\n", "a\nb\n"],
  ["10%\r100%\n", "100%\n"],
  ["downloading\rdone\n", "doneloading\n"],
  ["downloading\r\x1b[Kdone\n", "done\n"],
  ["downloading\x1b[2K\rdone\n", "done\n"],
  ["downloading\r\x1b[0Kdone", "done"],
  ["abc\bX\n", "abX\n"],
  ["\b\bX", "X"],
  ["a\r\r\nb", "a\nb"],
  ["x\ry\rz", "z"],
  ["\r", ""],
  ["ab\x1b[2Kc\rd", "d c"],
  ["😀😀\r😎\n", "😎😀\n"],
  ["\x1b[32mgreen\x1b[0m\n", "\x1b[32mgreen\x1b[0m\n"],
];

for (const [text, shown] of rows) {
  Deno.test(`settled() shows ${JSON.stringify(text)} as ${JSON.stringify(shown)}`, () => {
    assert.equal(settleReturns(text), shown);
  });
}

Deno.test("settled() leaves nothing that goes back, and changes no other text", () => {
  const text = fc.array(fc.constantFrom("a", "é", "😀", " ", "\n", "\r", "\b", "\x1b[K", "\x1b[2K"))
    .map((parts) => parts.join(""));
  fc.assert(fc.property(text, (written) => {
    assert.doesNotMatch(settleReturns(written), /[\r\b]/);
    const still = written.replaceAll(/[\r\b]/g, "");
    assert.equal(settleReturns(still), still);
  }));
});

Deno.test("settled() takes linear time for a line that is made to be slow", async () => {
  const lines: readonly ((size: number) => string)[] = [
    (size) => `${"x".repeat(4 * size)}${"\x1b[2K\r".repeat(size)}`,
    (size) => "x\b".repeat(size),
    (size) => "a\rb".repeat(size),
  ];
  for (const lineOf of lines) {
    await assertLinear((size) => {
      const line = lineOf(size);
      return () => settleReturns(line);
    }, { size: 3_000, what: JSON.stringify(lineOf(1)) });
  }
});
