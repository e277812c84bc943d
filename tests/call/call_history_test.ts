/** A log of calls is read as it grows, whatever stands there, and calls are found in it. */

import assert from "node:assert/strict";
import { join } from "node:path";
import {
  CallHistory,
  countCalls,
  dayOf,
  fieldText,
  historyFilter,
} from "../../src/call/call_history.ts";
import { UsageError } from "../../src/errors.ts";
import { scratch } from "../e2e/_scratch.ts";
import { unixTest } from "../_requirements.ts";

/** Reads a log with `text`; `change` gives it other texts, and gets the tools and broken lines at each look. */
async function withLog(
  text: string,
  use: (look: (text?: string, isMore?: boolean) => Promise<unknown>, log: CallHistory) => unknown,
): Promise<void> {
  await using dir = await scratch();
  const file = join(dir.path, "calls.jsonl");
  const log = new CallHistory(file, { isPrivate: false });
  const look = async (text?: string, append = true) => {
    if (text !== undefined) await Deno.writeTextFile(file, text, { append });
    await log.refresh();
    return [log.calls.map(({ entry }) => fieldText(entry["tool"])).join(), log.broken];
  };
  await look(text);
  await use(look, log);
}

const hostile = [
  ...['{"tool":"a"}', "not json", "[1]", "null", '{"tool":{"toString":1},"time":{"a":[]}}', "\xff"],
  ...[`{"x":"${"x".repeat(10_000_000)}"}`, '{"__proto__":{"tool":"z"},"time":"\x1b[31m"}'],
].join("\n");

Deno.test("CallHistory reads a log as it grows, shrinks and is replaced", () =>
  withLog('{"tool":"a"}\n{"to', async (look, log) => {
    assert.deepEqual(await look(), ["a", 0]);
    const { version } = log;
    assert.deepEqual(await look('ol":"b"}\n'), ["a,b", 0]);
    assert.ok(log.version > version);
    const same = log.version;
    await look();
    assert.equal(log.version, same);
    assert.deepEqual(await look('{"tool":"c"}\n', false), ["c", 0]);
    // Old lines may go while the file grows beyond its former size
    assert.deepEqual(await look('{"tool":"d"}\n{"tool":"e"}\n{"tool":"f"}\n', false), ["d,e,f", 0]);
    await Deno.remove(log.path);
    assert.deepEqual([await look(), log.problem], [["", 0], undefined]);
  }));

Deno.test("CallHistory counts what is no entry, and shows the others", () =>
  withLog(`${hostile}\n{"tool":"b"}\n`, async (look, log) => {
    assert.deepEqual((await look() as unknown[])[1], 6);
    assert.deepEqual(log.calls.map(({ entry }) => entry["tool"] ?? null), [
      ...["a", { toString: 1 }, "b"],
    ]);
    for (const word of ["tool=*", "client=*", "effect=read", "outcome=done", "since=1d", "z"]) {
      log.calls.filter(historyFilter([word]));
    }
    assert.equal(countCalls(log.calls, dayOf)[0]!.name, "unknown");
  }));

Deno.test("the end of a job takes the place of its start", () =>
  withLog("", async (look) => {
    const line = (job: string, ending: string) =>
      `${JSON.stringify({ tool: `${job} ${ending}`, job, ending, decision: "allowed" })}\n`;
    const start = line("a", "still running") + line("b", "still running");
    assert.deepEqual(await look(start), ["a still running,b still running", 0]);
    assert.deepEqual(await look(line("a", "exited")), ["b still running,a exited", 0]);
    assert.deepEqual(await look(line("b", "exited")), ["a exited,b exited", 0]);
  }));

unixTest(
  "CallHistory opens no FIFO, and no private log through a link or that others can read",
  async () => {
    await using dir = await scratch({ "calls.jsonl": '{"tool":"a"}\n' });
    const path = (name: string) => join(dir.path, name);
    await new Deno.Command("mkfifo", { args: [path("fifo")] }).output();
    await Deno.symlink(path("calls.jsonl"), path("link"));
    const problems: readonly [name: string, isPrivate: boolean, problem: RegExp | undefined][] = [
      ["fifo", false, /not a file that can be read back/],
      ["fifo", true, /not a file/],
      [".", false, /not a file/],
      ["link", true, /is a link/],
      ["link", false, undefined],
      ["calls.jsonl", true, /Other users may read it/],
    ];
    await Deno.chmod(path("calls.jsonl"), 0o644);
    for (const [name, isPrivate, problem] of problems) {
      const log = new CallHistory(path(name), { isPrivate });
      await log.refresh();
      if (problem === undefined) assert.equal(log.calls.length, 1);
      else assert.match(log.problem ?? "", problem, name);
    }
  },
);

const now = Date.parse("2026-11-28T12:00:00Z");
const entries = [
  { tool: "git_log", client: "Cursor", effect: "read", decision: "allowed", tokens: 10 },
  { tool: "git_push", client: "claude", decision: "refused", confirmation: "waiting" },
  { tool: "git_push", client: "claude", effect: "write", decision: "allowed", ending: "exited" },
  { tool: "jq", client: "claude", decision: "refused", rule: "deny", tokens: 5 },
  { tool: "jq", client: "a b", decision: "allowed", ending: "cancelled" },
  { tool: "jq", client: "", decision: "failed" },
  { tool: "jq", client: "", decision: "allowed", ending: "still running" },
  { tool: "js", decision: "allowed", script: "s", ending: "refused", confirmation: "waiting" },
  { tool: "js", decision: "allowed", script: "s", ending: "refused", confirmation: "declined" },
  { tool: "far", decision: "allowed", server: "s", ending: "refused" },
].map((entry, at) => ({ time: new Date(now - at * 3_600_000).toISOString(), ...entry }));

const filters: readonly [words: string, found: readonly number[]][] = [
  ["", [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]],
  ["tool=git_*", [0, 1, 2]],
  ["client=cursor", [0]],
  ["outcome=waiting", [1, 7]],
  ["outcome=failed", [2, 5, 9]],
  ["outcome=refused DENY", [3]],
  ["outcome=refused", [3, 8]],
  ["outcome=stopped", [4]],
  ["outcome=running", [6]],
  ["effect=write", [2]],
  ["since=90m", [0, 1]],
  ["since=2026-11-28T10:00:00Z claude", [1, 2]],
  ["--rule=x", []],
];

Deno.test("historyFilter() finds calls by words and by names, and refuses values that cannot be", () =>
  withLog(entries.map((entry) => `${JSON.stringify(entry)}\n`).join(""), (_, { calls }) => {
    for (const [words, found] of filters) {
      const test = historyFilter(words.split(" ").filter(Boolean), now);
      const shown = calls.flatMap((call, at) => test(call) ? [at] : []);
      assert.deepEqual(shown, found, words);
    }
    const wrong = ["effect=none", "outcome=ok", "since=soon", "since=", "tool=", "rule=x"];
    for (const word of [...wrong, "since=1", "since=13", "since=2026", "Since=1h", "cleint=x"]) {
      assert.throws(() => historyFilter([word]), UsageError, word);
    }
    const hint = "Did you mean: client";
    assert.throws(() => historyFilter(["cleint=x"]), ({ problems }) => problems[0].hint === hint);
    assert.deepEqual(countCalls(calls, ({ entry }) => String(entry["tool"]))[2], {
      ...{ name: "jq", calls: 4, tokens: 5, refused: 1, stopped: 1, failed: 1, running: 1 },
    });
  }));
