/** The texts of bundled configs in a bundle. */

import assert from "node:assert/strict";
import { compiledKey, textsInBundle } from "../../../src/sources/command/compiled.ts";
import { locateConfig } from "../../../src/sources/command/locate.ts";

Deno.test("a bundle has the texts of its configs, and reads those that are used", async () => {
  const read: string[] = [];
  const entry = (name: string) => ({
    text: () => (read.push(name), `name: ${name}`),
    json: () => JSON.stringify({ name }),
  });
  const scope = globalThis as Record<symbol, unknown>;
  scope[Symbol.for(compiledKey)] = { git: entry("git"), jq: entry("jq") };
  try {
    const located = await locateConfig("git");
    assert.deepEqual(read, []);
    assert.equal("text" in located && located.text, "name: git");
    assert.deepEqual(read, ["git"]);
    assert.deepEqual([...textsInBundle()].map(([name, text]) => [name, text()]), [[
      "git",
      "name: git",
    ], ["jq", "name: jq"]]);
  } finally {
    delete scope[Symbol.for(compiledKey)];
  }
});
