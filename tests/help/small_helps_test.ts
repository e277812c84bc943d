/** The small helps of `small`, one for each way to print a help: what is read stands behind each text. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { readHelp } from "../../src/help/read_help.ts";
import { linesOf } from "./_shape.ts";
import { parseCorpus } from "./_corpus.ts";

const folder = join(import.meta.dirname!, "small");

for (const { name } of Deno.readDirSync(folder)) {
  const parts = parseCorpus(await Deno.readTextFile(join(folder, name)));
  Deno.test(`readHelp() reads ${name.replace(".txt", "")}`, () => {
    for (let at = 0; at < parts.length; at += 2) {
      const [{ words, text }, expected] = [parts[at]!, parts[at + 1]!];
      const lines = expected.text.split("\n").filter((line) => line !== "");
      assert.deepEqual(linesOf(readHelp(text, words)), lines);
    }
  });
}
