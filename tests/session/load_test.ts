/** What is loaded again is taken whole or not at all, and what runners without tools need. */

import assert from "node:assert/strict";
import { Catalog } from "../../src/catalog/catalog.ts";
import { ToolTable } from "../../src/catalog/tool_table.ts";
import { LoadedSession } from "../../src/session/load.ts";
import { runnersWithTools } from "../../src/tool/runner.ts";
import type { LoadResult, ToolSource } from "../../src/sources/source.ts";
import type { Runner } from "../../src/tool/runner.ts";
import { sourceOf, toolOf } from "../_tools.ts";

const nothing: LoadResult = { tools: [], problems: [], unreadable: false, warnings: [] };

const runner: Runner = {
  prepare: () => assert.fail("No call is made"),
};

const reloads: readonly (readonly [what: string, load: () => LoadResult, change: string])[] = [
  ["commits what loads", () => ({ ...nothing, tools: [toolOf("a_x")] }), "committed"],
  ["discards a problem", () => ({ ...nothing, problems: [{ message: "wrong" }] }), "discarded"],
  ["discards what throws", () => assert.fail("thrown"), "discarded"],
];

for (const [what, load, expected] of reloads) {
  Deno.test(`reload() ${what}, once`, async () => {
    const changes: string[] = [];
    const change = {
      commit: () => void changes.push("committed"),
      discard: () => void changes.push("discarded"),
    };
    const source: ToolSource = {
      kind: "command",
      runner,
      // deno-lint-ignore require-await -- what throws rejects
      load: async () => load(),
      reload: () => Promise.resolve(change),
    };
    const result = {
      ...nothing,
      executor: { kind: "local" },
      withheld: [],
    } as const;
    const loaded = new LoadedSession([source], {
      loaded: [nothing],
      policy: undefined,
      result,
      builtin: [],
    }, { configs: [] });
    const catalog = new Catalog([], (tools) => new ToolTable(tools, []));
    const { problems } = await loaded.reload(catalog);
    const done = expected === "committed" ? 1 : 0;
    assert.deepEqual([changes, catalog.index.tools.length], [[expected], done]);
    // Or the log would say that the changes are loaded
    assert.equal(problems.length, 1 - done);
  });
}

Deno.test("runnersWithTools() has the runners of tools, and those that are always active", () => {
  const always = { ...runner, alwaysActive: true };
  const tool = toolOf("a_x", { source: sourceOf(["echo"]) });
  const runners = new Map([["command", runner], ["idle", { ...runner }], ["always", always]]);
  assert.deepEqual(runnersWithTools({ tools: [tool], runners }), [[runner, [tool]], [always, []]]);
});
