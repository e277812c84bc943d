import assert from "node:assert/strict";
import { Metrics } from "../../../src/server/http/metrics.ts";
import type { StoreCondition } from "../../../src/state/store.ts";

Deno.test("Metrics has the condition of the shared store, if there is one", () => {
  const store: { condition: StoreCondition } = { condition: "up" };
  const metrics = new Metrics({ store });
  store.condition = "full";
  const lines = metrics.text().split("\n").filter((line) => line.startsWith("climax_state{"));
  assert.deepEqual(
    lines,
    ["up", "slow", "full", "down"].map((condition) => {
      return `climax_state{condition="${condition}"} ${condition === "full" ? 1 : 0}`;
    }),
  );
  assert.equal(new Metrics().text().includes("climax_state"), false);
});
