/** The audit log in a file, on stdout and at a receiver of OpenTelemetry: the same lines, found by their trace. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { post } from "../server/http/_server.ts";
import { until } from "../_wait.ts";
import { HttpProcess } from "./_http.ts";
import { scratch } from "./_scratch.ts";
import { climax, fixture } from "./_server.ts";
import { spawn } from "../_run.ts";

Deno.test("each call is one line in every place, with its instance, number and trace", async () => {
  await using dir = await scratch();
  const received: string[] = [];
  let isAway = true;
  await using collector = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    async (request) => {
      const body = await request.json();
      if (isAway) return new Response("", { status: 503 });
      const [{ scopeLogs: [{ logRecords }] }] = body.resourceLogs;
      for (const { body, traceId } of logRecords) {
        received.push(`${traceId ?? ""} ${body.stringValue}`);
      }
      return Response.json({});
    },
  );
  await Deno.writeTextFile(
    join(dir.path, "policy.yaml"),
    "default: enabled\ntools: { probe_args: { args: { text: { secret: true } } } }\n",
  );
  const file = join(dir.path, "audit.jsonl");
  const copies = ["-", `http://127.0.0.1:${collector.addr.port}`].flatMap((
    place,
  ) => ["--audit-copy", place]);
  const [program, ...words] = climax(
    "run",
    fixture("probe.yaml"),
    "--http",
    "0",
    "--log-level",
    "info",
  );
  const args = [...words, "--audit", file, "--policy", join(dir.path, "policy.yaml"), ...copies];
  const own = program === Deno.execPath() ? ["run", "--allow-net", ...args.slice(1)] : args;
  const child = spawn([program, ...own]);
  const printed = new Response(child.stdout).text();
  await using server = new HttpProcess(child);
  const url = await server.url();
  const traces = Array.from({ length: 12 }, (_, at) => at.toString(16).padStart(32, "a"));
  await Promise.all(traces.map(async (trace) => {
    const traceparent = { traceparent: `00-${trace}-${"b".repeat(16)}-01` };
    const call = { tool_name: "probe_args", args: { text: "of-the-secret-kind" } };
    const answer = await post(
      url,
      "tools/call",
      { name: "climax_call", arguments: call },
      traceparent,
    );
    assert.match(await answer.text(), /of-the-secret-kind/);
  }));
  isAway = false;
  await until(() => Promise.resolve(received.length === traces.length), "the lines");
  server.kill("SIGTERM");
  assert.equal(await server.ended(), 0);
  const written = (await Deno.readTextFile(file)).trimEnd().split("\n");
  assert.deepEqual((await printed).trimEnd().split("\n"), written);
  const entries = written.map((line) => JSON.parse(line));
  assert.deepEqual(received, entries.map(({ trace_id }, at) => `${trace_id} ${written[at]}`));
  assert.deepEqual(entries.map(({ sequence }) => sequence), traces.map((_, at) => at + 1));
  assert.equal(new Set(entries.map(({ instance }) => instance)).size, 1);
  assert.deepEqual(entries.map(({ trace_id }) => trace_id).toSorted(), traces.toSorted());
  assert.doesNotMatch(written.join(), /of-the-secret-kind/);
});
