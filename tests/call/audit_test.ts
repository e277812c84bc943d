/** The log line of a call is one line, however many its refusal has. */

import assert from "node:assert/strict";
import { assertLinear } from "../_growth.ts";
import { join } from "node:path";
import type { AuditEntry } from "../../src/call/audit_log.ts";
import { audit, callLine, maxLineBytes, recordStart } from "../../src/call/audit.ts";
import { call } from "../../src/call/call.ts";
import {
  completeCall,
  type Outcome,
  outcomeOfRefusal,
  type PlannedCall,
  resultOf,
} from "../../src/call/pipeline.ts";
import { refusal } from "../../src/call/refusal.ts";
import { io, setIo } from "../../src/io.ts";
import type { Job } from "../../src/jobs/job.ts";
import { resetLog, setLogFile, setLogLevel } from "../../src/log.ts";
import { textOf, textResult } from "../../src/tool/result.ts";
import { sessionOf } from "../_session.ts";
import { escapeJson } from "../../src/text/escape.ts";
import { toolOf } from "../_tools.ts";
import { scratch } from "../e2e/_scratch.ts";

const common = {
  time: "2026-01-01T00:00:00.000Z",
  client: "a client",
  tool: "git_log",
  decision: "allowed",
  rule: "no policy",
  duration_ms: 12,
  stdout_bytes: 0,
  stderr_bytes: 0,
  tokens: 0,
} as const satisfies AuditEntry;

Deno.test("a call by another name is logged with it and the tool's own", async () => {
  await using dir = await scratch();
  const audit = join(dir.path, "audit.jsonl");
  const tools = [{ name: "only", aliases: ["other"], command: "deno", argv: ["--version"] }];
  await using session = await sessionOf({ tools }, { audit });
  for (const tool of ["only", "other", "none"]) await call(session, { tool });
  const lines = (await Deno.readTextFile(audit)).trimEnd().split("\n");
  const names = lines.map((line) => JSON.parse(line)).map(({ tool, named }) => [tool, named]);
  assert.deepEqual(names, [["only", undefined], ["only", "other"], ["none", undefined]]);
});

Deno.test("a call that is refused is logged without an audit log, and no other", async () => {
  await using dir = await scratch();
  const file = join(dir.path, "log");
  const tools = [{ name: "only", command: "deno", argv: ["--version"] }];
  await using session = await sessionOf({ tools });
  setLogFile(file);
  await call(session, { tool: "only" });
  await call(session, { tool: "none" });
  resetLog();
  const lines = (await Deno.readTextFile(file)).trimEnd().split("\n");
  assert.equal(lines.length, 1);
  assert.match(lines[0]!, / warning: none: refused: Unknown tool: /);
});

for (
  const [more, line] of [
    [{ ending: "exited", exit_code: 0 }, "git_log: exited with 0 after 12 ms"],
    [
      { ending: "exited", exit_code: 0, fits: false },
      "git_log: exited with 0 after 12 ms, and its result does not fit output_schema",
    ],
    [{ ending: "exited", fits: true }, "git_log: exited after 12 ms"],
    [{ ending: "timed out", job: "j1" }, "git_log (job j1): timed out after 12 ms"],
    [{ refusal: "Unknown tool: git_log" }, "git_log: refused: Unknown tool: git_log"],
    [
      { refusal: "Unknown tool: git_log\nDid you mean: git_lag" },
      "git_log: refused: Unknown tool: git_log; Did you mean: git_lag",
    ],
    [
      { refusal: "Argument validation failed:\n  - one\n  - two:\n  - three" },
      "git_log: refused: Argument validation failed: one; two: three",
    ],
  ] as [Partial<AuditEntry>, string][]
) {
  Deno.test(`callLine() gives "${line}"`, () => {
    assert.equal(callLine({ ...common, ...more }), line);
  });
}

const job = { id: "j1" } as Job;

/** A call that `audit` records in `entries`. */
function callOf(more: object = {}, record: object = {}) {
  const entries: AuditEntry[] = [];
  const keep = (entry: AuditEntry) => void entries.push(entry);
  const log = { catchUp: () => undefined, record: keep, recordBefore: keep };
  const call = {
    ...{ context: { audit: log }, options: {}, request: { tool: "only" }, tool: toolOf("only") },
    ...{ plan: { preview: { record } }, receivedAt: 0, ...more },
  } as unknown as PlannedCall;
  return { call, entries };
}

Deno.test("audit() records where a call comes from, its job, and who answered", async () => {
  const own = ["time", "client", "tool", "decision", "effect", "rule", "duration_ms"];
  const sizes = ["stdout_bytes", "stderr_bytes", "tokens"];
  const approval = { choice: "yes", by: "ada", how: "climax ui", at: 0 };
  const preview = { record: { argv: ["echo"] } };
  const asked = { preview, confirmation: "accepted", waitedMs: 2.4, approval };
  const options = { parent: "s1", trace: { traceId: "t", spanId: "p" } };
  const before = io();
  setIo({ ...before, profile: "work" });
  try {
    const { call, entries } = callOf({ options, asked });
    const completion = Promise.resolve(completeCall(call, textResult("a")));
    const outcome = await audit(call, () => ({ kind: "background", job, completion }));
    await (outcome as Outcome & { kind: "background" }).completion;
    const [{ time: _, duration_ms: __, ...entry }] = entries as [AuditEntry];
    assert.deepEqual(entry, {
      ...{ trace_id: "t", span_id: "p", client: "unknown", profile: "work", tool: "only" },
      ...{ parent: "s1", decision: "allowed", rule: "no policy", job: "j1" },
      ...{ confirmation: "accepted", confirmation_ms: 2 },
      approval: { choice: "yes", by: "ada", how: "climax ui", time: "1970-01-01T00:00:00.000Z" },
      ...{ effect: "write", stdout_bytes: 0, stderr_bytes: 0, tokens: 1 },
    });
  } finally {
    setIo(before);
  }
  const { call, entries } = callOf({ options: { trace: { traceId: "t" } } });
  await audit(call, () => completeCall(call, textResult("a")));
  await audit(call, () => outcomeOfRefusal(call, refusal("No", "deny")));
  const [allowed, refused] = entries.map((entry) => Object.keys(entry));
  assert.deepEqual(allowed!.toSorted(), [...own, "trace_id", ...sizes].toSorted());
  assert.deepEqual(refused!.toSorted(), [...own, "trace_id", "refusal", ...sizes].toSorted());
});

Deno.test("audit() records a call that a fault of climax ends, also as a job", async () => {
  const { call, entries } = callOf({});
  const fail = () => Promise.reject(new RangeError("Maximum call stack size exceeded"));
  const outcome = await audit(call, fail);
  assert.match(textOf(resultOf(outcome)), /^Call failed by a fault of climax: it is not known/);
  const running = await audit(call, () => ({ kind: "background", job, completion: fail() }));
  await (running as Outcome & { kind: "background" }).completion;
  const all = entries.map(({ decision, rule }) => [decision, rule]);
  assert.deepEqual(all, [["failed", "internal error"], ["failed", "internal error"]]);
});

Deno.test("audit() warns of what has failed, and of nothing that somebody wanted", async () => {
  await using dir = await scratch();
  const file = join(dir.path, "log");
  const failed = { ...textResult("no", true), record: { ending: "exited", exit_code: 1 } };
  const declined = (confirmation: string) => (call: PlannedCall) => {
    const asked = { preview: { record: {} }, confirmation } as unknown as NonNullable<
      PlannedCall["asked"]
    >;
    return outcomeOfRefusal({ ...call, asked }, refusal("No", "confirm"));
  };
  const rows:
    readonly (readonly [line: RegExp, end: (call: PlannedCall) => Outcome, more?: object])[] = [
      [/ warning: only: exited with 1 /, (call) => completeCall(call, failed)],
      [/ info: /, (call) => completeCall(call, failed), { options: { failureLevel: "info" } }],
      [/ info: /, (call) => completeCall(call, { ...failed, record: { ending: "cancelled" } })],
      [/ info: /, (call) => completeCall(call, textResult("a"))],
      [/ warning: only: refused: No/, declined("declined")],
      [/ info: only: refused: No/, declined("asked")],
      [/ info: only: refused: No/, declined("waiting")],
      [/ info: only \(job j1\): still running /, (call) => {
        assert.equal(recordStart(call, job), undefined);
        return { kind: "unaudited", text: "" };
      }],
    ];
  for (const [line, end, more] of rows) {
    const { call } = callOf(more);
    setLogFile(file);
    setLogLevel("info");
    await audit(call, () => end(call));
    resetLog();
    assert.match(await Deno.readTextFile(file), line);
    await Deno.remove(file);
  }
});

Deno.test("audit() keeps 4,096 bytes of a text and 1,000 items of a list", async () => {
  const cut = async (value: unknown) => {
    const { call, entries } = callOf({}, { value });
    await audit(call, () => completeCall(call, textResult("a")));
    return entries[0]!["value"];
  };
  const [text, list] = [`a${"b".repeat(4095)}`, Array.from({ length: 1000 }, (_, at) => at)];
  for (const whole of [text, list, null, { a: [1, true] }]) {
    assert.deepEqual(await cut(whole), whole);
  }
  assert.match(String(await cut(`${text}c`)), /^ab{4095}… \[4097 bytes, sha256 [0-9a-f]{64}\]$/);
  assert.match(String(await cut("\u8a9e".repeat(1400))), /^\u8a9e{1365}… \[4200 bytes, /);
  const [last, ...rest] = (await cut([...list, 1]) as unknown[]).toReversed();
  assert.deepEqual(rest.toReversed(), list);
  assert.match(String(last), /^… \[1001 items, sha256 [0-9a-f]{64}\]$/);
  // Whole numbers come first in JavaScript, and hide no argument
  const zeros = Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [at, 0]));
  const map = await cut({ path: "/etc/shadow", ...zeros }) as Record<string, unknown>;
  assert.equal(map["path"], "/etc/shadow");
  assert.match(String(map["…"]), /^\[1001 keys, sha256 [0-9a-f]{64}\]$/);
});

const many = (count: number, item: unknown) => Array.from({ length: count }, () => item);

/** What one call of a stranger may have to be written down, and what its line has at least. */
const large: readonly (readonly [what: string, value: unknown, found: RegExp])[] = [
  ["many texts", many(900, "x".repeat(1300)), /"x{256}… \[1300 bytes, .*"… \[900 items, sha256 /],
  [
    "lists of lists",
    many(25, many(60, many(60, "x".repeat(300)))),
    /"value":\["\[60 items\]",.*"… \[25 items, sha256 [0-9a-f]{64}\]"\]/,
  ],
  [
    "many keys",
    Object.fromEntries(many(900, "y".repeat(900)).map((text, at) => [`k${at}`, text])),
    /"k0":"y{256}… .*"…":"\[900 keys, sha256 /,
  ],
  ["invisible characters", many(900, "\u0080\u2028".repeat(20)), /"… \[900 items, sha256 /],
];

for (const [what, value, found] of large) {
  Deno.test(`audit() writes at most 64 KiB of a call with ${what}`, async () => {
    const { call, entries } = callOf({}, { path: "/etc/shadow", value });
    await audit(call, () => completeCall(call, textResult("a")));
    const line = escapeJson(JSON.stringify(entries[0]));
    assert.ok(new TextEncoder().encode(line).length <= maxLineBytes, `${line.length}`);
    assert.match(line, found);
    assert.match(line, /"path":"\/etc\/shadow"/);
  });
}

Deno.test("audit() takes linear time for a text below many long lists", async () => {
  await assertLinear((size) => {
    const levels = Array.from({ length: size });
    const value = levels.reduce(
      (inner) => [inner, ...many(1001, 0)],
      "x".repeat(size * 20_000) as unknown,
    );
    const { call } = callOf({}, { value });
    return () => audit(call, () => completeCall(call, textResult("a")));
  }, { size: 20 });
});
