import assert from "node:assert/strict";
import { bundledConfigs } from "../../../src/sources/command/bundled.ts";
import { configOfBundled } from "../../../src/sources/command/bundled_tools.ts";
import { readConfig } from "../../../src/sources/command/read_config.ts";

Deno.test("bundledConfigOf() finds the config of every bundled tool and former name", async () => {
  for (const [name, text] of bundledConfigs) {
    const read = await readConfig(name, text());
    assert.ok(read.ok);
    for (const tool of read.value.tools) {
      for (const known of [tool.name, ...tool.aliases ?? []]) {
        assert.equal(configOfBundled(known), name, known);
      }
    }
  }
});

for (const name of ["", "git", "git_", "git_lo", "log", "name", ".*", "git_log\n", "description"]) {
  Deno.test(`bundledConfigOf() finds none for ${JSON.stringify(name)}`, () => {
    assert.equal(configOfBundled(name), undefined);
  });
}
