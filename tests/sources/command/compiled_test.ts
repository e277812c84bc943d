/** The texts of bundled configs in a bundle: a map that reads each when it is asked for. */

import assert from "node:assert/strict";
import { compiledKey, textsInBundle } from "../../../src/sources/command/compiled.ts";

Deno.test("textsInBundle() is a map that reads the texts that are used", () => {
  const read: string[] = [];
  const entry = (name: string) => ({
    text: () => (read.push(name), `name: ${name}`),
    config: () => ({ name }),
  });
  const scope = globalThis as Record<symbol, unknown>;
  scope[Symbol.for(compiledKey)] = { a: entry("a"), b: entry("b") };
  try {
    const bundledConfigs = textsInBundle();
    assert.deepEqual([bundledConfigs.size, bundledConfigs.has("a"), ...bundledConfigs.keys()], [
      ...[2, true, "a", "b"],
    ]);
    assert.deepEqual(read, []);
    assert.deepEqual([bundledConfigs.get("b"), bundledConfigs.get("c")], ["name: b", undefined]);
    assert.deepEqual(read, ["b"]);
    const all = [["a", "name: a"], ["b", "name: b"]];
    assert.deepEqual([...bundledConfigs], all);
    assert.deepEqual([...bundledConfigs.entries()], all);
    assert.deepEqual([...bundledConfigs.values()], ["name: a", "name: b"]);
    const seen: string[][] = [];
    bundledConfigs.forEach((text, name) => seen.push([name, text]));
    assert.deepEqual(seen, all);
  } finally {
    delete scope[Symbol.for(compiledKey)];
  }
});
