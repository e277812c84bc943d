/** Scripts around their VM: the searches and calls of one, dry runs, and what waits. */

import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import { join } from "node:path";
import type { Worker } from "node:worker_threads";
import { valueArgs } from "../../../src/sources/command/read_config.ts";
import { ToolTable } from "../../../src/catalog/tool_table.ts";
import {
  findKeptFiles,
  type KeptFile,
  personalScripts,
} from "../../../src/sources/scripts/kept_files.ts";
import { accept, readAccepted } from "../../../src/trust/accepted.ts";
import {
  isAcceptedScript,
  loadKeptTools,
  loadKeptToolsIn,
} from "../../../src/sources/scripts/kept_tools.ts";
import { scriptLimits } from "../../../src/sources/scripts/limits.ts";
import { stopThread } from "../../../src/sources/scripts/vm.ts";
import { scriptRunner } from "../../../src/sources/scripts/script_source.ts";
import { InnerCalls } from "../../../src/sources/scripts/inner_calls.ts";
import { scriptTool } from "../../../src/sources/scripts/script_tools.ts";
import type { Session } from "../../../src/session/session.ts";
import { textOf } from "../../../src/tool/result.ts";
import type { Answer, PlanOptions } from "../../../src/tool/runner.ts";
import { settle } from "../../_clock.ts";
import { withVariables } from "../../_io.ts";
import { unixTest } from "../../_requirements.ts";
import { answerTo, policyOf, sessionOf } from "../../_session.ts";
import { until, within } from "../../_wait.ts";
import { scratch } from "../../e2e/_scratch.ts";
import { closeVms } from "./_vm.ts";

Deno.test.afterAll(closeVms);

const word = { name: "word", positional: true, required: true };
const tools = [
  { name: "say", command: "echo", effect: "read", args: [word] },
  { name: "save", command: "echo", effect: "write", args: [word] },
] as const;

function callsOf(context: Session, options: PlanOptions = {}, limits = scriptLimits): InnerCalls {
  return new InnerCalls({ context, options, id: "s1", limits });
}

Deno.test("a search of a script gives what calls take, fifty at most and no scripts", async () => {
  const many = Array.from({ length: 60 }, (_, at) => ({ ...tools[0], name: `say_${at}` }));
  await using session = await sessionOf({ tools: many }, { scripts: true });
  const calls = callsOf(session);
  const search = async (limit: unknown, query: unknown = "say word") => {
    const text = JSON.stringify({ query, limit });
    const value = await calls.answer({ kind: "search", text });
    return value.isError ? value.text : JSON.parse(value.text);
  };
  const usual = (await search(undefined)).length;
  const rows = [[1, 1], [2.7, 2], [50, 50], [51, 50], [0.5, usual], [-1, usual], ["3", usual]];
  for (const [limit, count] of rows) {
    assert.equal((await search(limit)).length, count, String(limit));
  }
  const [{ description: _, ...first }] = await search(1, "say_7");
  assert.deepEqual(first, { name: "say_7", effect: "read", signature: "say_7(word)" });
  assert.deepEqual(await search(50, "script run many calls"), []);
  assert.match(await search(1, 3), /^search\(\) takes a query, not /);
});

unixTest("a script asks one question after the other, and none once it has ended", async () => {
  const policy = policyOf({ default: "enabled", confirm: "write" });
  await using session = await sessionOf({ tools }, { policy });
  const asked: string[] = [];
  const first = Promise.withResolvers<Answer>();
  const ask = ({ message }: { readonly message?: string }) => {
    asked.push(String(message));
    return first.promise;
  };
  const calls = callsOf(session, { ask: ask as PlanOptions["ask"] });
  const answers = ["a", "b"].map((word) => {
    return calls.answer({ kind: "call", text: JSON.stringify({ name: "save", args: { word } }) });
  });
  await until(() => asked.length === 1, "the first question");
  // Time for another one
  assert.equal((await answerTo(session, { tool: "say", args: { word: "c" } })).text, "c");
  let isClosed = false;
  const closing = calls.close().then(() => isClosed = true);
  await settle();
  assert.equal(isClosed, false);
  first.resolve({ action: "accept", content: { run: true } });
  const [one, other] = await Promise.all(answers);
  await closing;
  assert.equal(asked.length, 1);
  assert.equal(one!.isError, true);
  assert.match(other!.text, /Call cancelled while it waited/);
  assert.match((await calls.answer({ kind: "call", text: '{"name":"say"}' })).text, /has ended/);
});

unixTest(
  "a script that waits for another of its client is not run once it is cancelled",
  async () => {
    await using session = await sessionOf({ tools });
    const runner = scriptRunner();
    const run = async (code: string, signal?: AbortSignal, owner = "ada") => {
      const plan = await runner.prepare(scriptTool([]), new Map([["code", code]]));
      assert.ok(plan.ok);
      return await plan.run({ owner, signal, callerContext: session });
    };
    const [end, stop] = [new AbortController(), new AbortController()];
    const [first, second, third] = [
      run("for (;;);", end.signal),
      run("return 2", stop.signal),
      run("return 3"),
    ];
    stop.abort();
    const cancelled = await second;
    assert.equal(textOf(cancelled), "Script not run: the call was cancelled");
    assert.deepEqual([cancelled.isError, cancelled.record?.ending], [true, "not started: other"]);
    // Another client waits for none of them
    const other = run("return 4", undefined, "bob").then(textOf);
    assert.equal(await Promise.race([other, first.then(() => "the first one has ended")]), "4");
    end.abort();
    assert.match(textOf(await first), /^Script failed: The call was cancelled/);
    assert.equal(textOf(await third), "3");
    await runner.close?.();
  },
);

for (const [event, message] of [["exit"], ["message", { kind: "idle" }]] as const) {
  Deno.test(`stopThread() waits for a thread that computes until its ${event}, and for no bound`, async () => {
    const told: string[] = [];
    const asked = Promise.withResolvers<void>();
    const thread = Object.assign(new EventEmitter(), {
      postMessage: () => asked.resolve(),
      terminate: () => Promise.resolve(told.push("terminate")),
    });
    const stopped = stopThread(thread as unknown as Worker, 100_000);
    await asked.promise;
    thread.emit("message", { kind: "log", text: "it computes" });
    await settle();
    told.push(event);
    thread.emit(event, message);
    await within(stopped, "the end of the thread");
    assert.deepEqual(told, [event, "terminate"]);
  });
}

const header = "/* climax script\ndescription: Does\neffect: read\n*/\n";

Deno.test("a kept script has a name of its own", async () => {
  const taken = [{ ...scriptTool([]), aliases: ["other"] }];
  const texts = ["a.js", "b/a.js", "other.js", "script_run.js", "no_header.js"].map((file) => {
    return { file, text: file.startsWith("no") ? "" : header };
  });
  const { tools, warnings } = await loadKeptTools(texts, taken, valueArgs);
  assert.deepEqual(tools.map(({ name, owner }) => [name, owner.isScripts]), [["a", true]]);
  assert.deepEqual(warnings.map(({ file, message }) => [file, message.split(": ")[1]]), [
    ["b/a.js", "a.js has its name"],
    ["other.js", "a tool of 'script' has its name"],
    ["script_run.js", "a tool of 'script' has its name"],
    ["no_header.js", undefined],
  ]);
});

Deno.test("scripts that are not accepted are named in one warning, five of them", async () => {
  await using dir = await scratch();
  using _ = withVariables({ HOME: dir.path, XDG_CONFIG_HOME: dir.path });
  const folder = join(dir.path, "scripts");
  await Deno.mkdir(folder);
  const rows = [
    [1, "The script 'n1' is not served: it is new or has changed"],
    [5, "These scripts are not served, they are new or have changed: n1, n2, n3, n4, n5"],
    [
      6,
      "These scripts are not served, they are new or have changed: n1, n2, n3, n4, n5 and 1 more",
    ],
  ] as const;
  for (const [count, message] of rows) {
    for (let at = 1; at <= count; at++) {
      await Deno.writeTextFile(join(folder, `n${at}.js`), header);
    }
    const { tools, warnings, withheld } = await loadKeptToolsIn([folder], [], valueArgs);
    assert.deepEqual([tools.length, withheld.length, warnings.length], [0, count, 1]);
    assert.equal(warnings[0]!.message, message);
    assert.equal(warnings[0]!.hint!.split(folder).length - 1, Math.min(count, 5));
  }
  const [{ file, sha256 }] = (await findKeptFiles(folder)).files as [KeptFile];
  await accept({ kind: "script", path: file, sha256 });
  for (let at = 2; at <= 6; at++) await Deno.remove(join(folder, `n${at}.js`));
  assert.deepEqual((await loadKeptToolsIn([folder], [], valueArgs)).tools.length, 1);
});

Deno.test("a personal script needs no yes, and one elsewhere its text", async () => {
  await using dir = await scratch();
  using _ = withVariables({ HOME: dir.path, XDG_CONFIG_HOME: dir.path });
  const elsewhere = join(dir.path, "a.js");
  await Deno.writeTextFile(elsewhere, header);
  await accept({ kind: "script", path: elsewhere, sha256: "hash" });
  const known = await readAccepted();
  const rows = [[join(personalScripts()!, "a.js"), "", true], [elsewhere, "hash", true]] as const;
  const not = [[elsewhere, "other", false], [`${elsewhere}x`, "hash", false]] as const;
  for (const [file, sha256, expected] of [...rows, ...not]) {
    assert.equal(
      isAcceptedScript({ name: "a", file, text: header, sha256 }, known),
      expected,
    );
  }
});

Deno.test("a client is told of scripts by the tools that run them", () => {
  const { scripts } = new ToolTable([scriptTool([])], []);
  assert.deepEqual([...scripts], ["script"]);
});

Deno.test("a script makes as many calls as it may, whatever its VM lets through", async () => {
  await using session = await sessionOf({ tools });
  const calls = callsOf(session, {}, { ...scriptLimits, calls: 2 });
  const texts: string[] = [];
  for (let call = 0; call < 3; call++) {
    texts.push(
      (await calls.answer({ kind: "call", text: '{"name":"none"}' })).text.split("\n")[0]!,
    );
  }
  const unknown = "Unknown tool: none";
  assert.deepEqual(texts, [unknown, unknown, "A script makes 2 calls"]);
});
