import assert from "node:assert/strict";
import { ToolIndex } from "../../../src/catalog/tool_index.ts";
import { freePort } from "../../_free_port.ts";
import { toolOf } from "../../_tools.ts";
import { RawConnection } from "./_server.ts";
import { measureCalls, Metrics, serveMetrics } from "../../../src/server/http/metrics.ts";
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
  const times = [0, 10, 20, 60, 100, 400_100];
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
  const classes = lines.flatMap((line) => /_bucket.*le="(.*)"/.exec(line)?.[1] ?? []);
  assert.equal(classes.join(), "0.005,0.01,0.025,0.05,0.1,0.25,0.5,1,2.5,5,10,30,60,300,+Inf");
  assert.equal(counts.join(" "), "0 1 1 2 2 2 2 2 2 2 2 2 2 2 3");
  assert.ok(lines.includes(`climax_call_duration_seconds_bucket{${key},le="0.05"} 2`));
  assert.ok(lines.includes(`climax_call_duration_seconds_sum{${key}} 400.05`));
  assert.ok(lines.includes(`climax_call_duration_seconds_count{${key}} 3`));
  assert.ok(lines.includes("climax_calls_running 0"));
});

Deno.test("measureCalls() counts outcomes by the names of tools, and unknown ones as one", async () => {
  const metrics = new Metrics({ runningJobs: () => 2, waitingCalls: () => 3 });
  const index = new ToolIndex([{ ...toolOf("known"), aliases: ["old"] }]);
  const { onCall } = measureCalls({ index }, metrics);
  const call = async (name: string, args: object, isError: boolean) => {
    const isListed = (tool: string) => tool === "climax_call" || tool === "climax_search";
    await onCall!({ name, args, isListed } as Parameters<NonNullable<typeof onCall>>[0], () => {
      return Promise.resolve({ content: [], isError });
    });
  };
  await call("known", {}, false);
  await call("old", {}, true);
  await call("climax_call", { tool_name: "known" }, false);
  await call("climax_call", {}, true);
  await call("climax_search", {}, false);
  await call("made up", {}, true);
  await call("climax_call", { tool_name: "made up too" }, true);
  metrics.onAnswer(200);
  metrics.onAnswer(200);
  const lines = metrics.text().split("\n");
  assert.deepEqual(lines.filter((line) => line.startsWith("climax_calls_total{")), [
    'climax_calls_total{tool="known",outcome="ok"} 2',
    'climax_calls_total{tool="known",outcome="error"} 1',
    'climax_calls_total{tool="climax_call",outcome="error"} 1',
    'climax_calls_total{tool="climax_search",outcome="ok"} 1',
    'climax_calls_total{tool="unknown",outcome="error"} 2',
  ]);
  for (
    const line of [
      'climax_http_requests_total{status="200"} 2',
      "climax_jobs_running 2",
      "climax_calls_waiting 3",
    ]
  ) assert.ok(lines.includes(line), line);
});

Deno.test("serveMetrics() answers at /metrics alone, and on this machine its own names alone", async () => {
  const port = freePort();
  const close = await serveMetrics({ host: "127.0.0.1", port }, new Metrics());
  try {
    const ask = async (path: string, host = "localhost") => {
      using connection = await RawConnection.open(port);
      connection.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
      return await connection.closed;
    };
    assert.match(await ask("/metrics"), /^HTTP\/1\.1 200 [^]*version=0\.0\.4[^]*climax_heap_bytes/);
    assert.match(await ask("/"), /^HTTP\/1\.1 404 [^]*metrics are at \/metrics/);
    assert.match(await ask("/metrics", "evil.example"), /^HTTP\/1\.1 403 /);
  } finally {
    await close();
  }
});
