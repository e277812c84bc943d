/** Words for a shell: what a real shell makes of them is what went in. */

import assert from "node:assert/strict";
import fc from "../_properties.ts";
import { shellWord } from "../../src/text/shell_word.ts";
import { unix } from "../_requirements.ts";

unix.test("shellWord() gives a POSIX shell the very text", async () => {
  const texts = fc.array(fc.string({ unit: "binary" }), { minLength: 20, maxLength: 40 })
    .map((all) => ["", "it's", "$HOME", "a b", "*", "~", "-n", ...all])
    .map((all) => all.map((text) => text.replaceAll("\0", "").toWellFormed()));
  await fc.assert(
    fc.asyncProperty(texts, async (all) => {
      const { stdout } = await new Deno.Command("sh", {
        args: ["-c", `printf '%s\\0' ${all.map((text) => shellWord(text)).join(" ")}`],
      }).output();
      assert.deepEqual(
        new TextDecoder("utf-8", { ignoreBOM: true }).decode(stdout).split("\0").slice(0, -1),
        all,
      );
    }),
    { numRuns: 10 },
  );
});

for (
  const [text, word] of [
    ["--allow-read=C:\\a\\b", "--allow-read=C:\\a\\b"],
    ["C:\\Program Files\\x", '"C:\\Program Files\\x"'],
    ["a&b", '"a&b"'],
    ["a|b>c", '"a|b>c"'],
    ["it's", `"it's"`],
    ["", '""'],
    ['say "x"', '"say \\"x\\""'],
    ["C:\\a b\\", '"C:\\a b\\\\"'],
    ["plain", "plain"],
  ]
) {
  Deno.test(`shellWord() quotes for Windows: ${text}`, () => {
    assert.equal(shellWord(text!, "windows"), word);
  });
}
