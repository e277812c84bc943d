/** The aims for reading help: 0.95 of what is found is right, 0.90 of what is there is found. */

import assert from "node:assert/strict";
import { coverage, measure } from "./_measure.ts";

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
