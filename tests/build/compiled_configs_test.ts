/** A bundle's own configs are what their texts come to. */

import assert from "node:assert/strict";
import { configRegistry } from "../../build/_compiled_configs.ts";
import { readConfig } from "../../src/sources/command/read_config.ts";
import { bundledConfigs } from "../../src/sources/command/bundled.ts";
import { compiledKey, findCompiledConfig } from "../../src/sources/command/compiled.ts";
import { loadConfigs } from "../../src/sources/command/load.ts";

const names = [...bundledConfigs.keys()];

Deno.test("configRegistry() has every bundled config, and they load the same", async () => {
  const before = await loadConfigs(names, () => undefined);
  assert.equal(findCompiledConfig("bundled:git"), undefined);
  await import(`data:text/javascript,${encodeURIComponent(await configRegistry())}`);
  try {
    for (const [name, text] of bundledConfigs) {
      const file = `bundled:${name}`;
      const read = await readConfig(file, text());
      const { config, json } = findCompiledConfig(file)!;
      assert.deepEqual(config, JSON.parse(json));
      assert.deepEqual(config, read.ok && JSON.parse(JSON.stringify(read.value)));
    }
    assert.deepEqual(await loadConfigs(names, () => undefined), before);
    for (const other of ["git", "bundled:toString", "bundled:", "./bundled:git"]) {
      assert.equal(findCompiledConfig(other), undefined, other);
    }
  } finally {
    delete (globalThis as Record<symbol, unknown>)[Symbol.for(compiledKey)];
  }
});
