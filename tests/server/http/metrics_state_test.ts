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

Deno.test("Metrics has the durations of calls: how many took at most so long, their sum and count", async () => {
  const metrics = new Metrics();
  const { now } = performance;
  const times = [0, 7, 10, 50, 100, 400_100];
  performance.now = () => times.shift()!;
  try {
    const called = { tool: 'a"b\\c\n', profile: undefined };
    const result = { content: [], isError: false };
    for (let call = 0; call < 3; call++) {
      await metrics.measure(called, () => Promise.resolve(result));
    }
  } finally {
    performance.now = now;
  }
  const lines = metrics.text().split("\n");
  const key = String.raw`tool="a\"b\\c\n"`;
  const counts = lines.filter((line) => line.includes("_bucket{")).map((line) =>
    line.split(" ")[1]
  );
  assert.equal(counts.join(" "), "0 1 1 2 2 2 2 2 2 2 2 2 2 2 3");
  assert.ok(lines.includes(`climax_call_duration_seconds_bucket{${key},le="0.05"} 2`));
  assert.ok(lines.includes(`climax_call_duration_seconds_sum{${key}} 400.047`));
  assert.ok(lines.includes(`climax_call_duration_seconds_count{${key}} 3`));
  assert.ok(lines.includes("climax_calls_running 0"));
});
