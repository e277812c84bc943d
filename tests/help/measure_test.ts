/** The aims for reading help: 0.95 of what is found is right, 0.90 of what is there is found. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { readHelp } from "../../src/help/read_help.ts";
import { helpFolder, parseCorpus } from "./_corpus.ts";
import { coverage, measure } from "./_measure.ts";
import { uncounted } from "./_rows.ts";

for (const which of ["seen", "held out"] as const) {
  Deno.test(`readHelp() meets its aims with the helps that were ${which}`, async () => {
    const all = await measure(which);
    const report = all.mistakes.join("\n");
    assert.ok(all.true > 250, report);
    assert.ok(all.types / all.found >= 0.95, report);
    assert.ok(all.types / all.true >= 0.9, report);
  });
}

Deno.test("readHelp() understands the option lines of every captured help", async () => {
  const { programs, lines, understood, layouts } = await coverage();
  assert.ok(programs >= 40);
  assert.ok(understood / lines >= 0.99, `${understood} of ${lines}`);
  assert.equal(layouts.size, 13);
});

Deno.test("readHelp() accounts for every line that looks like an option", async () => {
  let rows = 0;
  for (const folder of [helpFolder, join(import.meta.dirname!, "small")]) {
    for (const { name } of Deno.readDirSync(folder)) {
      for (const { words, text } of parseCorpus(await Deno.readTextFile(join(folder, name)))) {
        const help = readHelp(text, words);
        assert.deepEqual([words.join(" "), ...uncounted(text, help)], [words.join(" ")]);
        rows +=
          uncounted(text, { ...help, options: [], subcommands: [], unread: [], lost: [] }).length;
      }
    }
  }
  // The counter sees the lines, whatever is read from them
  assert.ok(rows > 3_000, `${rows}`);
});
