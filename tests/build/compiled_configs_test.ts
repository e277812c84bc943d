/** A bundle's own configs are what their texts come to. */

import assert from "node:assert/strict";
import { compiledConfigs, parsedConfigs } from "../../build/_compiled_configs.ts";
import { packIndex, searchIndex } from "../../build/_search_index.ts";
import { indexKey, originsOf } from "../../src/catalog/tool_origins.ts";
import { rankingOf, toDocument } from "../../src/catalog/tool_index.ts";
import type { Tool } from "../../src/tool/tool.ts";
import { buildRanking } from "../catalog/_tools.ts";
import { readConfig } from "../../src/sources/command/read_config.ts";
import { bundledConfigs } from "../../src/sources/command/bundled.ts";
import { compiledKey, findCompiledConfig } from "../../src/sources/command/compiled.ts";
import { loadConfigs } from "../../src/sources/command/load.ts";

const names = [...bundledConfigs.keys()];

Deno.test("compiledConfigs() has every bundled config, and they load the same", async () => {
  const before = await loadConfigs(names, () => undefined);
  assert.equal(findCompiledConfig("bundled:git"), undefined);
  await import(`data:text/javascript,${encodeURIComponent(await compiledConfigs())}`);
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

Deno.test("a search takes the index that a build made of the very tools, and no other", async () => {
  const scope = globalThis as Record<symbol, unknown>;
  await import(`data:text/javascript,${encodeURIComponent(await compiledConfigs())}#index`);
  try {
    const load = async () => (await loadConfigs(names, () => undefined)).tools;
    const tools = (await load()).filter(({ requires }) => requires === undefined);
    const fresh = buildRanking(tools);
    const isMade = (all: readonly Tool[]) => rankingOf(all).next().done;
    assert.equal(isMade(tools), false);
    const { count, bytes } = searchIndex(await parsedConfigs());
    const give = (count: number, bytes: Uint8Array) => {
      scope[Symbol.for(indexKey)] = { count, read: () => bytes };
    };
    give(count, bytes);
    assert.equal(isMade(tools), true);

    const made = buildRanking(tools);
    const queries = ["choose", "test"].flatMap((half) => {
      const path = new URL(`../catalog/queries-${half}.jsonl`, import.meta.url);
      return Deno.readTextFileSync(path).trim().split("\n").map((line) => JSON.parse(line).query);
    });
    const words = ["", "undo", "comit", "getrandomimage", "Find files. Then list pods", "ansible"];
    for (const query of [...queries, ...words]) {
      const options = { limit: 20 };
      assert.deepEqual(made.score(query, options), fresh.score(query, options), query);
      assert.deepEqual(made.fit(query, options), fresh.fit(query, options), query);
      assert.deepEqual(made.explain(query, options), fresh.explain(query, options), query);
    }

    const others: readonly [what: string, tools: readonly Tool[]][] = [
      ["a copy, as a policy makes one", tools.with(3, { ...tools[3]! })],
      ["another order", [tools[1]!, tools[0]!, ...tools.slice(2)]],
      ["one less", tools.slice(1)],
      ["one more", [...tools, { ...tools[0]!, name: "more" }]],
    ];
    for (const [what, all] of others) {
      give(all.length, bytes);
      assert.equal(isMade(all), false, what);
    }
    const own = originsOf(tools)!;
    const stale: readonly [what: string, key: string][] = [
      ["another text", own.replace("Show", "Shew")],
      ["another version", `0${own}`],
    ];
    for (const [what, key] of stale) {
      give(count, packIndex(tools.map(toDocument), key));
      assert.equal(isMade(tools), false, what);
    }
    give(count, bytes.slice(0, 100));
    assert.equal(isMade(tools), false, "cut off");
  } finally {
    for (const key of [indexKey, compiledKey]) delete scope[Symbol.for(key)];
  }
});
