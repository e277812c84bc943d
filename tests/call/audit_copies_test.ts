/** Copies of the audit log: what is delivered, what waits, and what is lost. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { AuditLog } from "../../src/call/audit_log.ts";
import { AuditQueue, auditReceiver, maxWaitingBytes } from "../../src/call/audit_copies.ts";
import { io, setIo } from "../../src/io.ts";
import { resetLog, setLogFile } from "../../src/log.ts";
import { scratch } from "../e2e/_scratch.ts";
import { FakeClock, settle } from "../_clock.ts";
import { withVariables } from "../_io.ts";
import { until } from "../_wait.ts";

const entry = {
  time: "2026-01-02T03:04:05.000Z",
  client: "ada",
  tool: "git_log",
  decision: "allowed",
  rule: "no policy",
  duration_ms: 1,
  stdout_bytes: 0,
  stderr_bytes: 0,
} as const;

/** A receiver that takes what it is told to. */
class Place {
  readonly name = "place";
  readonly numbers: number[] = [];
  readonly sizes: number[] = [];
  failures = 0;

  send(lines: readonly { readonly text: string }[]): Promise<number> {
    if (this.failures-- > 0) return Promise.reject(new Error("away"));
    this.sizes.push(lines.length);
    this.numbers.push(...lines.map(({ text }) => JSON.parse(text).sequence));
    return Promise.resolve(0);
  }
}

Deno.test("AuditLog numbers the lines of an instance without a gap, and copies them in order", async () => {
  const place = new Place();
  const queue = new AuditQueue(place);
  const audit = AuditLog.open(undefined, { instance: "one", copies: [queue] });
  for (let count = 0; count < 600; count++) {
    assert.equal(count % 2 === 0 ? audit.record(entry) : audit.recordBefore(entry), undefined);
  }
  await queue.close();
  assert.deepEqual(place.numbers, Array.from({ length: 600 }, (_, at) => at + 1));
  assert.deepEqual([place.sizes, queue.lost], [[256, 256, 88], 0]);
});

Deno.test("AuditQueue delivers a line that comes in any moment of the end of a delivery", async () => {
  await using dir = await scratch();
  const log = join(dir.path, "log");
  for (let turns = 0; turns < 12; turns++) {
    const place = new Place();
    const queue = new AuditQueue(place);
    const audit = AuditLog.open(undefined, { copies: [queue] });
    audit.record(entry);
    for (let turn = 0; turn < turns; turn++) await Promise.resolve();
    audit.record(entry);
    setLogFile(log);
    await queue.close();
    resetLog();
    assert.deepEqual([place.numbers, queue.lost], [[1, 2], 0], `after ${turns} turns`);
    assert.equal(await Deno.readTextFile(log), "");
  }
});

Deno.test("AuditQueue delivers what waited when its place is back", async () => {
  const clock = new FakeClock();
  const place = new Place();
  place.failures = 8;
  const queue = new AuditQueue(place, clock);
  const audit = AuditLog.open(undefined, { copies: [queue] });
  for (let count = 0; count < 5; count++) audit.record(entry);
  for (const ms of [500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]) {
    await settle();
    assert.deepEqual([clock.timers, place.numbers], [[ms], []]);
    await clock.advance(ms);
  }
  assert.deepEqual([place.numbers, queue.lost], [[1, 2, 3, 4, 5], 0]);
});

Deno.test("AuditQueue is bounded, counts what is lost, and ends in time", async () => {
  const clock = new FakeClock();
  const place = new Place();
  const queue = new AuditQueue(place, clock);
  const audit = AuditLog.open(undefined, { copies: [queue] });
  const large = { ...entry, refusal: "x".repeat(1024 * 1024) };
  const room = Math.floor(maxWaitingBytes / JSON.stringify(large).length);
  for (let count = 1; count <= room + 1; count++) {
    audit.record(large);
    await until(() => place.numbers.length + queue.lost === count, "the line");
  }
  assert.equal(queue.lost, 0);
  place.failures = Infinity;
  for (let count = 0; count < room + 5; count++) audit.record(large);
  assert.equal(queue.lost >= 5 && queue.lost <= 6, true, String(queue.lost));
  const closing = queue.close();
  let isClosed = false;
  void closing.then(() => isClosed = true);
  await until(async () => {
    await clock.advance(1_000);
    return isClosed;
  }, "the end");
  assert.equal(queue.lost, room + 5);
});

Deno.test("AuditQueue may be full to the last byte, and says once that it is, until it delivers", async () => {
  await using dir = await scratch();
  setLogFile(join(dir.path, "log"));
  let deliver = (_refused: number) => {};
  const send = () => new Promise<number>((resolve) => deliver = resolve);
  const queue = new AuditQueue({ name: "place", send });
  for (const lost of [0, 2]) {
    queue.add({ text: "x".repeat(8 * 2 ** 20), entry });
    await settle();
    assert.equal(queue.lost, lost);
    for (const more of [1, 2]) {
      queue.add({ text: "x", entry });
      assert.equal(queue.lost, lost + more);
    }
    deliver(lost === 0 ? 0 : 1);
    await settle();
  }
  assert.equal(queue.lost, 5);
  resetLog();
  assert.equal((await Deno.readTextFile(join(dir.path, "log"))).split("lost").length, 3);
});

Deno.test("AuditQueue ends a delivery that does not end, and counts its line", async () => {
  const clock = new FakeClock();
  const sent = Promise.withResolvers<AbortSignal>();
  const send = (_: unknown, signal: AbortSignal) => {
    sent.resolve(signal);
    return new Promise<number>((_, reject) => signal.addEventListener("abort", reject));
  };
  const queue = new AuditQueue({ name: "place", send }, clock);
  queue.add({ text: "x", entry });
  const signal = await sent.promise;
  await using dir = await scratch();
  setLogFile(join(dir.path, "log"));
  const closing = queue.close();
  await clock.advance(4_999);
  assert.equal(signal.aborted, false);
  await clock.advance(1);
  await closing;
  resetLog();
  assert.match(
    await Deno.readTextFile(join(dir.path, "log")),
    /^\S+ error: audit copy to place: 1 line lost, more may.*\n$/,
  );
  assert.deepEqual([signal.aborted, queue.lost], [true, 1]);
});

Deno.test("auditReceiver() sends what a receiver of OTLP reads, and counts what it refuses", async () => {
  const bodies: string[] = [];
  const answers = [200, 429, 502, 503, 504, 400, 501, 200];
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    bodies.push(`${new URL(request.url).pathname} ${await request.text()}`);
    const isPartial = bodies.length === answers.length;
    return Response.json(isPartial ? { partialSuccess: { rejectedLogRecords: "1" } } : {}, {
      status: answers[bodies.length - 1]!,
    });
  });
  const receiver = auditReceiver(`http://127.0.0.1:${server.addr.port}`);
  const traced = {
    ...entry,
    instance: "one",
    sequence: 7,
    trace_id: "a".repeat(32),
    span_id: "b".repeat(16),
  };
  const refused = { ...entry, decision: "refused" } as const;
  const lines = [traced, refused].map((each) => ({ text: JSON.stringify(each), entry: each }));
  const { signal } = new AbortController();
  assert.equal(await receiver.send(lines, signal), 0);
  for (const status of answers.slice(1, 5)) {
    await assert.rejects(receiver.send(lines, signal), new RegExp(`status ${status}`));
  }
  for (const _ of answers.slice(5)) {
    assert.equal(await receiver.send(lines, signal), 2 - Number(bodies.length === answers.length));
  }
  const [path, body] = [bodies[0]!.slice(0, 8), JSON.parse(bodies[0]!.slice(9))];
  assert.equal(path, "/v1/logs");
  const [{ resource, scopeLogs: [{ logRecords: [record, second] }] }] = body.resourceLogs;
  assert.deepEqual([record.severityNumber, record.severityText], [9, "INFO"]);
  assert.deepEqual([second.severityNumber, second.severityText], [13, "WARN"]);
  assert.deepEqual(second.attributes.map(({ key }: { key: string }) => key), [
    "gen_ai.tool.name",
    "enduser.id",
  ]);
  assert.deepEqual(resource.attributes[2], {
    key: "service.instance.id",
    value: { stringValue: "one" },
  });
  assert.deepEqual([record.traceId, record.spanId], [traced.trace_id, traced.span_id]);
  assert.equal(record.timeUnixNano, "1767323045000000000");
  assert.deepEqual(JSON.parse(record.body.stringValue), traced);
  await server.shutdown();
});

Deno.test("auditReceiver() writes whole lines to stdout, however few bytes it takes", async () => {
  let written = "";
  const own = io();
  setIo({
    ...own,
    stdout: {
      ...own.stdout,
      write(bytes) {
        if (bytes.length === 0) throw new Error("Nothing is left");
        written += new TextDecoder().decode(bytes.subarray(0, 3));
        return Promise.resolve(Math.min(3, bytes.length));
      },
    },
  });
  try {
    const lines = ["one", "three"].map((text) => ({ text, entry }));
    assert.equal(await auditReceiver("-").send(lines, new AbortController().signal), 0);
  } finally {
    setIo(own);
  }
  assert.equal(written, "one\nthree\n");
  assert.throws(() => auditReceiver("file:///tmp/x"), /^UsageError: Not a place for copies/);
});

Deno.test("auditReceiver() takes headers as they are written where they cannot be decoded", async () => {
  const received = Promise.withResolvers<string | null>();
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, (request) => {
    received.resolve(request.headers.get("k"));
    return new Response("Thanks");
  });
  using _ = withVariables({ OTEL_EXPORTER_OTLP_HEADERS: "k=100%,=b,c" });
  const receiver = auditReceiver(`http://127.0.0.1:${server.addr.port}`);
  assert.equal(await receiver.send([{ text: "{}", entry }], new AbortController().signal), 0);
  assert.equal(await received.promise, "100%");
  await server.shutdown();
});

Deno.test("auditReceiver() sends headers of OTLP to no other machine in clear", () => {
  const far = "http://otlp.example:4318";
  assert.equal(auditReceiver(far).name, "otlp.example:4318");
  using _ = withVariables({ OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer%20abcdefgh" });
  const refused = /^UsageError: Not a place .*'http:\/\/otlp\.example:4318' is another machine/;
  assert.throws(() => auditReceiver(far), refused);
  assert.equal(auditReceiver("https://otlp.example").name, "otlp.example");
});
