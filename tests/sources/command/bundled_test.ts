/** The bundled configs, their tools by name, and the names that stand for several of them. */

import assert from "node:assert/strict";
import {
  bundledConfigs,
  bundledNames,
  configOfBundled,
  configSets,
  isBundled,
} from "../../../src/sources/command/bundled.ts";
import { loadConfigs } from "../../../src/sources/command/load.ts";
import { readConfig } from "../../../src/sources/command/read_config.ts";
import { filesBelow } from "../../_fixtures.ts";

Deno.test("bundledNames has every file of configs/, in alphabetical order", () => {
  const files = filesBelow("configs").filter((file) => /^configs\/[^/]+\.yaml$/.test(file));
  assert.deepEqual([...bundledNames], files.map((file) => file.slice(8, -5)).toSorted());
});

Deno.test("configOfBundled() finds the config of every bundled tool and former name", async () => {
  const owners = new Map<string, string[]>();
  for (const [name, text] of bundledConfigs) {
    const read = await readConfig(name, text());
    assert.ok(read.ok);
    for (const { name: tool, aliases } of read.value.tools) {
      for (const known of [tool, ...aliases ?? []]) {
        owners.getOrInsertComputed(known, () => []).push(name);
      }
    }
  }
  for (const [known, names] of owners) assert.ok(names.includes(configOfBundled(known)!), known);
  const others = ["", "git", "git_", "git_lo", "log", "name", ".*", "git_log\n", "description"];
  for (const other of others) assert.equal(configOfBundled(other), undefined, other);
});

Deno.test("every set holds bundled configs, each once", () => {
  for (const [name, configs] of configSets) {
    assert.match(name, /^@[a-z]+$/);
    assert.equal(new Set(configs).size, configs.length, name);
    assert.deepEqual(configs.filter((config) => !bundledConfigs.has(config)), [], name);
  }
});

Deno.test("isBundled() knows configs and sets", () => {
  assert.deepEqual(["git", "@dev", "@none", "none"].map(isBundled), [true, true, false, false]);
});

Deno.test("loadConfigs() loads a set, a config of it that is named again only once", async () => {
  const { tools, problems, warnings } = await loadConfigs(["@vcs", "git"], () => undefined);
  assert.deepEqual([problems, warnings], [[], []]);
  assert.deepEqual([...new Set(tools.map(({ owner }) => owner.name))], ["gh", "git"]);
});

Deno.test("loadConfigs() says of an unknown set which it may be", async () => {
  const { problems, unreadable } = await loadConfigs(["@dve"], () => undefined);
  assert.equal(unreadable, true);
  assert.match(problems[0]!.hint!, /^Did you mean: @dev$/);
});
