import assert from "node:assert/strict";
import { climax, ends } from "./_climax.ts";

Deno.test("climax stats --json counts what an agent reads", async () => {
  const { stdout } = await ends(climax(["stats", "--json", "--config", "git"]), { code: 0 });
  const costs = JSON.parse(stdout);
  assert.deepEqual(Object.keys(costs), [
    ...["tools", "discovery_list", "classic_list", "summary", "search_median", "search_largest"],
    ...["summary_compact", "search_median_compact", "search_largest_compact", "pays_from"],
  ]);
  assert.ok(costs.tools >= 15);
  // Two tools cost the same however many are behind them, all tools cost more than two
  assert.ok(costs.discovery_list < costs.classic_list);
  assert.ok(costs.search_median <= costs.search_largest);
  const perTool = costs.classic_list / costs.tools;
  const discovery = costs.discovery_list + costs.summary + costs.search_median;
  assert.equal(costs.pays_from, Math.ceil(discovery / perTool));
});
