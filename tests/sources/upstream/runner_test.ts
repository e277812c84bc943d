/** What a runner says of servers before they are reached: where a call runs, what holds it, what it takes. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { StdioClientTransport } from "../../../src/sources/upstream/_stdio.ts";
import { UpstreamPool } from "../../../src/sources/upstream/pool.ts";
import { upstreamRunner } from "../../../src/sources/upstream/runner.ts";
import type { ServerSpec, StdioSpec } from "../../../src/sources/upstream/spec.ts";
import { FakeClock } from "../../_clock.ts";
import { argOf, toolOf } from "../../_tools.ts";
import { Addresses } from "../../../src/sources/upstream/addresses.ts";
import { UpstreamError } from "../../../src/sources/upstream/error.ts";
import type { UpstreamCall } from "../../../src/sources/upstream/server.ts";
import type { CallResult } from "../../../src/tool/result.ts";
import type { Tool } from "../../../src/tool/tool.ts";
import { unix } from "../../_requirements.ts";
import { scratch } from "../../e2e/_scratch.ts";

const variables: Readonly<Record<string, string>> = {
  DIR: "/srv/work",
  HOST: "example.org",
  TOKEN: "t",
};
const environment = (name: string) => variables[name];

function program(rest: Partial<StdioSpec> = {}): StdioSpec {
  return { kind: "stdio", command: "climax-no-such", args: [], env: {}, ...rest };
}

async function runnerOf(
  transports: Readonly<Record<string, ServerSpec["transport"]>>,
  embeds = false,
) {
  const pool = await UpstreamPool.open([], { environment, clock: new FakeClock() });
  const servers = Object.entries(transports).map(([name, transport]) => {
    return { spec: { name, file: "c.json", timeoutMs: 1000, transport }, lock: undefined };
  });
  (await pool.change(servers)).commit();
  return upstreamRunner(pool, { environment, embeds });
}

const toolAt = (server: string) => {
  return toolOf("t", { source: { kind: "upstream", server, tool: "t" } as never });
};

Deno.test("a runner says where the calls of a server run", async () => {
  const runner = await runnerOf({
    plain: program(),
    placed: program({ cwd: "$DIR/sub" }),
    unset: program({ cwd: "$NONE" }),
    web: { kind: "http", url: "https://x/", headers: {} },
  });
  const at = (server: string) => runner.location!(toolAt(server), new Map());
  assert.deepEqual(["plain", "placed", "unset", "web", "removed"].map(at), [
    {},
    { directory: "/srv/work/sub", home: "/srv/work/sub" },
    { directory: undefined, home: undefined },
    { isElsewhere: true },
    { isElsewhere: true },
  ]);
  await runner.close!();
});

Deno.test("a plan of another server or definition has another identity", async () => {
  const runner = await runnerOf({ a: program(), same: program(), other: program({ args: ["x"] }) });
  const identity = async (server: string, rest: Partial<Tool> = {}) => {
    const plan = await runner.prepare({ ...toolAt(server), ...rest }, new Map());
    return plan.ok ? plan.identity!() : "";
  };
  assert.equal(await identity("a"), await identity("same"));
  assert.notEqual(await identity("a"), await identity("other"));
  assert.notEqual(await identity("a"), await identity("a", { description: "Pays another" }));
  await runner.close!();
});

Deno.test("a runner says what holds a server", async () => {
  const whole = { write: ["a"], read: ["b"], hide: ["c"], network: "host" } as const;
  const runner = await runnerOf({
    free: program(),
    usual: program({ sandbox: {} }),
    whole: program({ sandbox: { write: ["a"], read: ["b"], hide: ["c"], network: "host" } }),
    everything: program({ sandbox: { read: ["/"], hide: [] } }),
    web: { kind: "http", url: "https://x/", headers: {} },
  });
  const of = (server: string) => runner.sandbox!(toolAt(server));
  const usual = { write: ["."], network: "none" };
  assert.deepEqual(["free", "usual", "whole", "everything", "web", "removed"].map(of), [
    undefined,
    usual,
    whole,
    usual,
    undefined,
    undefined,
  ]);
  await runner.close!();
});

Deno.test("a runner keeps the network for servers with an address, and for embeddings", async () => {
  const web = { kind: "http", url: "https://$HOST:8443/mcp", headers: {} } as const;
  const socket = { kind: "websocket", url: "$NONE", headers: {} } as const;
  for (
    const [transport, embeds, net] of [
      [web, false, true],
      [socket, false, true],
      [program({}), false, false],
      [program({}), true, true],
    ] as const
  ) {
    const runner = await runnerOf({ one: transport }, embeds);
    assert.deepEqual(runner.permissions!(), { net, write: true });
    await runner.close!();
  }
});

Deno.test("a transport keeps the five lines of stderr that say the most, within 16 KiB", () => {
  const linesOf = (...chunks: string[]) => {
    const { tail } = new StdioClientTransport("s", program());
    for (const chunk of chunks) tail.add(new TextEncoder().encode(chunk));
    return tail.lines();
  };
  assert.deepEqual(linesOf("1\n2\r\n3\r", "4 \n\n5\n\x1b[31m6"), ["2", "3", "4", "5", "6"]);
  const stack =
    "file:///a.js:1\n    throw x\n    ^\n\nError: KEY is required\n    at a\n\nNode.js v22\n";
  assert.deepEqual(linesOf("starts\n", stack), ["Error: KEY is required", "starts"]);
  const [fits, cut] = linesOf(`${"x".repeat(300)}\n${"y".repeat(301)}`);
  assert.deepEqual([fits, cut], ["x".repeat(300), `${"y".repeat(300)}…`]);
  assert.equal(linesOf("a\n", "b".repeat(16382)).length, 2);
  assert.equal(linesOf("a\n", "b".repeat(16383)).length, 1);
});

unix.test("a server that cannot be started is refused in words", async () => {
  await using dir = await scratch({ "not a program": "" });
  const file = join(dir.path, "not a program");
  const rows: readonly [spec: Partial<StdioSpec>, text: RegExp][] = [
    [{}, /^program 'climax-no-such' is not found$/],
    [{ command: file }, /^program '.*not a program' is not executable$/],
    [{ cwd: join(dir.path, "none") }, /^working directory not found: .*none$/],
    [{ cwd: file }, /^working directory is no directory: .*not a program$/],
    [
      { sandbox: { write: [join(dir.path, "none")] } },
      /^'write': '.*none' is not there \(Create it, or take it off the list\)$/,
    ],
  ];
  for (const [spec, text] of rows) {
    await assert.rejects(new StdioClientTransport("s", program(spec)).start(), { message: text });
  }
});

/** A runner over a pool of which a test says the parts that it needs. */
function stubbed(pool: object) {
  const usual = { addresses: new Addresses(["s"]), defined: [], states: [], get: () => undefined };
  return upstreamRunner({ ...usual, ...pool } as never, { environment });
}

Deno.test("a runner says which servers answer, and what is wrong with the others", async () => {
  const spec = (name: string) => ({ name, file: "c.json", transport: program() });
  const features = { prompts: [1], resources: [], templates: [1, 2] };
  const states = [
    { spec: spec("a"), listing: { definitions: [1, 2], features } },
    { spec: spec("b") },
    { spec: spec("c"), failure: "no" },
  ];
  assert.deepEqual(await stubbed({ states }).check!([]), {
    problems: [{ file: "c.json", message: "no" }],
    warnings: [],
    notes: [
      "server 'a': answers, 2 tools, 1 prompt, 2 resource templates",
      "server 'b': answers, 0 tools",
    ],
  });
});

Deno.test("a runner checks arguments, fills in null, and says why there is no answer", async () => {
  const rest = { args: [argOf("a"), argOf("b"), argOf("c", { required: true })] };
  const input = { type: "object", required: ["a", "c"], properties: { c: { type: "string" } } };
  const tool = { ...toolAt("s"), ...rest, input } as Tool;
  let failure: Error | undefined;
  const sent: unknown[] = [];
  const call = (each: object) => {
    sent.push(each);
    return failure === undefined ? Promise.resolve({ content: [] }) : Promise.reject(failure);
  };
  const run = async (
    forCall: () => unknown,
    values: readonly (readonly [string, string | number])[],
  ) => {
    const runner = stubbed({ forCall, clock: new FakeClock() });
    const plan = await runner.prepare(tool, new Map(values));
    if (!plan.ok) return plan;
    assert.equal(plan.needsPermit, false);
    assert.equal(plan.preview.line, `s t {"a":null,"c":"x"}`);
    return await plan.run({});
  };
  const [right, known] = [[["c", "x"]] as const, () => ({ call })];
  const wrong = await run(known, [["c", 5]]);
  const reasons = ["Argument 'c': cannot convert '5' to string"];
  assert.deepEqual(wrong, { ok: false, stage: "Argument validation", reasons, rule: "arguments" });
  const isError = async (forCall: () => unknown) => {
    const { isError, record } = await run(forCall, right) as CallResult;
    return [isError, record?.ending];
  };
  assert.deepEqual(await isError(known), [false, "answered"]);
  const { caller: { onProgress }, args, definition } = sent[0] as UpstreamCall;
  assert.deepEqual([onProgress, args], [undefined, { a: null, c: "x" }]);
  assert.deepEqual(definition, { name: "t", inputSchema: input });
  assert.deepEqual(await isError(() => undefined), [true, undefined]);
  failure = new UpstreamError("no", "ended");
  assert.deepEqual(await isError(known), [true, "ended"]);
  failure = new Error("a fault");
  await assert.rejects(isError(known), failure);
  const prompt = { ...tool, source: { ...tool.source, request: "prompt" } } as Tool;
  const removed = await stubbed({}).prepare(prompt, new Map());
  assert.deepEqual([removed.ok, "rule" in removed && removed.rule], [false, "removed server"]);
});

Deno.test("a runner passes progress on that grows, ten times a second", async () => {
  const clock = new FakeClock();
  let news: UpstreamCall["caller"]["onProgress"];
  const call = ({ caller }: UpstreamCall) => {
    news = caller.onProgress;
    return Promise.resolve({ content: [] });
  };
  const plan = await stubbed({ clock, forCall: () => ({ call }) }).prepare(toolAt("s"), new Map());
  assert.ok(plan.ok);
  const seen: unknown[] = [];
  await plan.run({ onProgress: (event) => void seen.push(event) });
  for (const [ms, progress] of [[0, 1], [99, 2], [1, 3], [100, 3], [100, 2], [0, 4]] as const) {
    await clock.advance(ms);
    news!({ progress, ...(progress === 3 ? {} : { message: "a\u200b" }) });
  }
  assert.deepEqual(seen, [
    { progress: 1, message: "a⟨U+200B⟩" },
    { progress: 3 },
    { progress: 4, message: "a⟨U+200B⟩" },
  ]);
});
