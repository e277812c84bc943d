/** The JSON that a built program has in the place of a config's YAML. */

import assert from "node:assert/strict";
import { builtConfig } from "../../build/_compiled_configs.ts";
import { readConfig } from "../../src/sources/command/read_config.ts";
import { bundledConfigs } from "../../src/sources/command/bundled.ts";

Deno.test("builtConfig() has the text of every bundled config and what it contains", async () => {
  for (const [name, text] of bundledConfigs) {
    const read = await readConfig(name, text());
    const config = read.ok && JSON.parse(JSON.stringify(read.value));
    assert.deepEqual(JSON.parse(await builtConfig(name, text())), { text: text(), config });
  }
});

Deno.test("builtConfig() builds nothing of an invalid config", async () => {
  await assert.rejects(builtConfig("git", "name: git"), /Nothing was built/);
});
