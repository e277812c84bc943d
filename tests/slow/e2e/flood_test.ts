/** A client that wants the server to run out of memory: it is refused, and everybody else is served. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { processTools } from "../../_requirements.ts";
import { residentKib } from "../../e2e/_processes.ts";
import { type RawServer, startRaw } from "../../e2e/_raw.ts";
import { pause, until } from "../../_wait.ts";
import { type Scratch, scratch } from "../../e2e/_scratch.ts";

const mib = 1024 * 1024;

const config = {
  name: "flood",
  command: "",
  tools: [
    // Longer than a slow machine takes to send 300 MB
    { name: "hold", command: "sleep 3600", timeout: 3600, args: [{ name: "text", stdin: true }] },
    { name: "count", command: "wc -c", args: [{ name: "text", stdin: true }] },
    // 247 KB
    { name: "print", command: "seq 1 44000" },
  ],
};

let dir: Scratch;
Deno.test.beforeAll(async () => {
  dir = await scratch();
  await Deno.writeTextFile(join(dir.path, "flood.yaml"), JSON.stringify(config));
});
Deno.test.afterAll(async () => {
  await dir[Symbol.asyncDispose]();
});

async function start(...args: string[]): Promise<RawServer> {
  const server = startRaw([join(dir.path, "flood.yaml"), ...args]);
  await server.initialize();
  return server;
}

function callText(id: number | string, tool_name: string, args: object = {}): string {
  const params = { name: "climax_call", arguments: { tool_name, args } };
  return JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params });
}

/** The most memory that the server has while `work` is done. */
async function peakOf(server: RawServer, work: () => Promise<void>): Promise<number> {
  let most = residentKib(server.pid);
  const timer = setInterval(() => most = Math.max(most, residentKib(server.pid)), 100);
  await work().finally(() => clearInterval(timer));
  return Math.max(most, residentKib(server.pid)) / 1024;
}

async function assertServes(server: RawServer): Promise<void> {
  assert.equal((await server.request("tools/list")).result.tools.length, 2);
}

processTools.test("inputs that wait are bounded by their bytes", async () => {
  await using server = await start("--concurrency", "2");
  const text = "x".repeat(10 * mib);
  const peak = await peakOf(server, async () => {
    for (let id = 1000; id < 1002; id++) await server.sendText(callText(id, "hold"));
    for (let id = 2000; id < 2030; id++) await server.sendText(callText(id, "hold", { text }));
    const { error } = await server.message(({ id }) => id === 2029);
    assert.equal(error?.code, -32000);
    assert.match(error!.message, /^Requests of 67108864 bytes are waiting already/);
    await assertServes(server);
  });
  const refused = server.lines.filter((line) => JSON.parse(line).error?.code === -32000);
  assert.equal(refused.length, 24);
  assert.equal(peak < 700, true, `${peak} MiB`);
});

const bombs: readonly [what: string, args: () => string, error: RegExp][] = [
  [
    "11 million keys",
    () => `{${Array.from({ length: 3_000_000 }, (_, key) => `"k${key}":1`).join(",")}}`,
    /longer than|more than 100000 values/,
  ],
  ["objects in a list", () => `{"a":[${"{},".repeat(8_000_000)}{}]}`, /more than 100000 values/],
  ["lists in lists", () => `{"a":${"[".repeat(mib)}${"]".repeat(mib)}}`, /more than/],
  ["too many bytes", () => `{"a":"${"x".repeat(33 * mib)}"}`, /longer than 33554432 bytes/],
];

for (const [what, args, expected] of bombs) {
  processTools.test(`arguments that blow up when parsed are refused: ${what}`, async () => {
    await using server = await start();
    const params = `{"name":"climax_call","arguments":{"tool_name":"hold","args":${args()}}}`;
    const peak = await peakOf(server, async () => {
      const line = `{"jsonrpc":"2.0","id":"bomb","method":"tools/call","params":${params}}`;
      await server.sendText(line);
      const { error } = await server.message(({ error }) => error !== undefined);
      assert.match(error!.message, expected);
      await assertServes(server);
    });
    assert.equal(peak < 500, true, `${peak} MiB`);
  });
}

processTools.test("a client that reads no answers gets no more calls run", async () => {
  const count = 300;
  const audit = join(dir.path, "audit.jsonl");
  await using server = await start(
    "--concurrency",
    "2",
    "--max-result-tokens",
    "0",
    "--audit",
    audit,
  );
  const resume = server.pauseOutput();
  const peak = await peakOf(server, async () => {
    for (let id = 1000; id < 1000 + count; id++) await server.sendText(callText(id, "print"));
    await until(async () => await ranIn(audit) > 100, "calls whose answers fill the pipe");
    await idle(audit);
  });
  const ran = await ranIn(audit);
  assert.ok(ran < 160, `${ran} calls ran`);
  assert.equal(peak < 400, true, `${peak} MiB`);
  resume();
  const missing = new Set<unknown>(Array.from({ length: count }, (_, number) => 1000 + number));
  await server.message(({ id, result }) => {
    assert.equal(result?.isError ?? false, false);
    missing.delete(id);
    return missing.size === 0;
  });
});

async function ranIn(audit: string): Promise<number> {
  return (await Deno.readTextFile(audit)).trimEnd().split("\n").length;
}

/** Resolves when no call has ended for a second: a call too many would have ended in it. */
async function idle(audit: string): Promise<void> {
  for (let before = -1, now = 0; now !== before;) {
    [before, now] = [now, await ranIn(audit)];
    await pause(1000);
  }
}
