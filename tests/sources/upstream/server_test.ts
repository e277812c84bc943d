/** One server, real and odd, over all of its connections. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { UpstreamServer } from "../../../src/sources/upstream/server.ts";
import type { Answer, Question } from "../../../src/tool/runner.ts";
import { io } from "../../../src/io.ts";
import { FakeClock } from "../../_clock.ts";
import { withVariables } from "../../_io.ts";
import { isAlive, until } from "../../_wait.ts";
import { scratch } from "../../e2e/_scratch.ts";
import { callOf, failureOf, textOf, unknownOutcome } from "./_calls.ts";
import { modern, odd, type ServerSketch, specOf } from "../../_upstream.ts";
import { unixTest } from "../../_requirements.ts";

const environment = (name: string) => io().env.get(name);

function serverOf(
  sketch: ServerSketch,
  more: Partial<ConstructorParameters<typeof UpstreamServer>[1]> = {},
): UpstreamServer & AsyncDisposable {
  const server = new UpstreamServer(specOf(sketch), { environment, ...more });
  return Object.assign(server, { [Symbol.asyncDispose]: () => server.close() });
}

for (const mode of ["plain", "rubbish", "dies-when-asked"]) {
  Deno.test(`UpstreamServer lists and calls the tools of a server that is ${mode}`, async () => {
    await using server = serverOf(odd("odd", mode));
    const { definitions, description, warnings } = await server.list();
    assert.equal(definitions[0]!.name, "echo");
    assert.equal(description, "An odd server");
    assert.deepEqual(warnings, []);
    assert.equal(await textOf(server, callOf("echo", { text: "hi" })), "hi");
  });
}

Deno.test("UpstreamServer reads 200 pages, and no more than it was told to", async () => {
  {
    await using server = serverOf(odd("odd", "pages", "200"));
    assert.equal((await server.list()).definitions.length, 200);
  }
  const cut = [
    ["pages", "501", 500, "the rest of its list is left out: it has over 500 pages"],
    ["crowd", "2003", 2000, "3 tools left out: it has over 2,000 tools"],
  ] as const;
  for (const [mode, count, served, warning] of cut) {
    await using server = serverOf(odd("odd", mode, count));
    const { definitions, warnings } = await server.list();
    assert.equal(definitions.length, served);
    assert.deepEqual(warnings, [warning]);
  }
});

const failing: readonly (readonly [what: string, sketch: ServerSketch, text: RegExp])[] = [
  [
    "a server that ends at once, with its last words",
    odd("odd", "dies"),
    /^Server 'odd' cannot be connected, and is tried again at the next call: it ended with exit code 3: first\n {2}second red$/,
  ],
  [
    "a program that is not there",
    { name: "odd", transport: "stdio", command: "no-such-program" },
    /^Server 'odd' cannot be connected, and is tried again at the next call: program 'no-such-program' is not found$/,
  ],
  [
    "a variable that is not set",
    { name: "odd", transport: "stdio", command: "echo", args: ["$NO_SUCH_VARIABLE"] },
    /^Server 'odd' cannot be connected, and .*: it needs a variable that is not set: \$NO_SUCH_VARIABLE$/,
  ],
  [
    "a port where nobody listens",
    { name: "odd", transport: "http", url: "http://127.0.0.1:9/mcp" },
    /^Server 'odd' cannot be connected, and is tried again at the next call: /,
  ],
  [
    "a WebSocket where nobody listens",
    { name: "odd", transport: "websocket", url: "ws://127.0.0.1:9/mcp" },
    /^Server 'odd' cannot be connected, and is tried again at the next call: /,
  ],
];

for (const [what, sketch, expected] of failing) {
  Deno.test(`UpstreamServer says why there is no connection: ${what}`, async () => {
    await using server = serverOf(sketch);
    const { message, kind } = await failureOf(server.list());
    assert.match(message, expected);
    assert.equal(kind, "unreachable");
  });
}

Deno.test("UpstreamServer gives up a call without news, and tells the server", async () => {
  const clock = new FakeClock();
  await using server = serverOf(odd("odd", "plain"), { clock });
  await server.list();
  const failed = failureOf(server.call(callOf("wait", {}, { timeoutMs: 100 })));
  // The server reads what comes later after the call
  await textOf(server, callOf("echo"));
  await clock.advance(100);
  const { message, kind } = await failed;
  assert.equal(message, `Tool 'wait' of server 'odd' timed out after 0.1s${unknownOutcome}`);
  assert.equal(kind, "timed out");
  await until(
    async () => JSON.parse(await textOf(server, callOf("cancelled"))).length === 1,
    "word of the cancelled call",
  );
});

Deno.test("UpstreamServer passes a cancellation on, and cancels its calls when it is removed", async () => {
  await using server = serverOf(odd("odd", "plain"));
  await server.list();
  const stop = new AbortController();
  const { signal } = stop;
  const onProgress = () => stop.abort();
  const failed = failureOf(server.call(callOf("news", { count: 1000 }, { signal, onProgress })));
  assert.equal((await failed).message, "Call was cancelled");
  await until(
    async () => JSON.parse(await textOf(server, callOf("cancelled"))).length === 1,
    "word of the cancelled call",
  );
  const remove = () => void server.remove();
  const removed = callOf("news", { count: 1000 }, { onProgress: remove });
  const { kind, message } = await failureOf(server.call(removed));
  assert.deepEqual([kind, message], [
    "cancelled",
    "Call was cancelled: server 'odd' was removed or changed in its file",
  ]);
});

Deno.test("UpstreamServer ends a server whose message has no end", async () => {
  await using server = serverOf(odd("odd", "plain"));
  const { message } = await failureOf(server.call(callOf("huge", { bytes: 200_000_000 })));
  assert.equal(
    message,
    "Server 'odd' ended while the call was running: it sent a message of over 32 MiB, and was " +
      `ended${unknownOutcome}`,
  );
  assert.equal(await textOf(server, callOf("echo", { text: "again" })), "again");
});

Deno.test("UpstreamServer fails the one call whose answer is too long, and no other", async () => {
  await using server = serverOf(odd("odd", "plain"));
  let hasEnded = false;
  const other = server.call(callOf("wait")).catch(() => {}).finally(() => hasEnded = true);
  const { message } = await failureOf(server.call(callOf("huge", { bytes: 40_000_000 })));
  assert.match(message, /its answer has over 32 MiB\. The outcome is unknown/);
  assert.equal(await textOf(server, callOf("echo", { text: "next" })), "next");
  assert.equal(hasEnded, false);
  await server.close();
  await other;
});

Deno.test("UpstreamServer ends a server whose message would take much to read", async () => {
  await using server = serverOf(odd("odd", "plain"));
  const { message } = await failureOf(server.call(callOf("many")));
  assert.match(message, /with too many values, and/);
});

Deno.test("UpstreamServer takes the first of two answers with the same id", async () => {
  await using server = serverOf(odd("odd", "plain"));
  assert.equal(await textOf(server, callOf("twice")), "first");
  assert.equal(await textOf(server, callOf("echo", { text: "next" })), "next");
});

Deno.test("UpstreamServer gives a server its own variables and no secrets of ours", async () => {
  using _set = withVariables({ CLIMAX_TEST_SECRET: "hunter2" });
  const sketch = { ...odd("odd", "plain"), env: { OWN: "$CLIMAX_TEST_SECRET!" } };
  await using server = serverOf(sketch);
  assert.equal(await textOf(server, callOf("env", { name: "OWN" })), "hunter2!");
  assert.equal(await textOf(server, callOf("env", { name: "CLIMAX_TEST_SECRET" })), "(not set)");
  assert.equal(await textOf(server, callOf("env", { name: "PATH" })), Deno.env.get("PATH"));
});

unixTest("UpstreamServer ends a server that does not listen to SIGTERM", async () => {
  await using dir = await scratch();
  const file = join(dir.path, "pid");
  {
    await using server = serverOf(odd("odd", "deaf", file));
    await server.list();
  }
  // After five minutes it would end by itself, and say so
  const pid = Number(await Deno.readTextFile(file));
  assert.deepEqual([Number.isInteger(pid), isAlive(pid)], [true, false]);
});

/** Someone who answers, and what he was asked. */
function person(answer: Answer) {
  const asked: Question[] = [];
  const ask = (question: Question) => {
    asked.push(question);
    return Promise.resolve(answer);
  };
  return { asked, ask };
}

const asking: readonly (readonly [era: string, sketch: ServerSketch, tool: string])[] = [
  ["2025", odd("odd", "plain"), "ask"],
  ["2026-07-28", modern("odd"), "greet"],
];

for (const [era, sketch, tool] of asking) {
  Deno.test(`UpstreamServer hands on what a server of ${era} asks the person`, async () => {
    await using server = serverOf(sketch);
    const { asked, ask } = person({ action: "accept", content: { name: "Ada" } });
    const text = await textOf(server, callOf(tool, {}, { ask }));
    assert.match(text, era === "2025" ? /"name":"Ada"/ : /^accept Ada kept$/);
    assert.equal(asked[0]!.message, "Server 'odd' asks:\n| Your name?");
    assert.equal(asked.length, 1);
    const no = person({ action: "decline" });
    assert.match(await textOf(server, callOf(tool, {}, { ask: no.ask })), /decline/);
  });

  Deno.test(`UpstreamServer offers no model to a server of ${era}`, async () => {
    await using server = serverOf(sketch);
    const answer = await textOf(server, callOf("sample")).catch(({ message }) => message);
    assert.match(answer, era === "2025" ? /-32601/ : /sampling\/createMessage/);
  });
}

Deno.test("UpstreamServer asks no user when the call is not certain", async () => {
  await using server = serverOf(odd("odd", "plain"));
  await server.list();
  const { asked, ask } = person({ action: "accept", content: {} });
  const stop = new AbortController();
  const other = failureOf(
    server.call(callOf("wait", {}, { signal: stop.signal, elicitationScope: {} })),
  );
  const text = await textOf(server, callOf("ask", {}, { ask, elicitationScope: {} }));
  assert.match(text, /asks the person while calls of several clients are running/);
  assert.deepEqual(asked, []);
  stop.abort();
  await other;
});

for (
  const [what, sketch, tool] of [
    ["2025", odd("odd", "changing"), "change"],
    ["2026-07-28", modern("odd"), "grow"],
  ] as const
) {
  Deno.test(`UpstreamServer hears that the tools of a server of ${what} have changed`, async () => {
    const heard = Promise.withResolvers<void>();
    await using server = serverOf(sketch, { onListChanged: heard.resolve });
    const before = (await server.list()).definitions.length;
    await server.call(callOf(tool));
    await heard.promise;
    assert.equal((await server.list()).definitions.length, before + 1);
  });
}

Deno.test("UpstreamServer tells no value of a variable", async () => {
  using _set = withVariables({ CLIMAX_TEST_SECRET: "hunter2-hunter2" });
  const url = "http://127.0.0.1:1/mcp?key=$CLIMAX_TEST_SECRET";
  const far = { name: "far", transport: "http", url } as const;
  const said = "echo it is $CLIMAX_TEST_SECRET >&2; exit 1";
  const near = { name: "near", transport: "stdio", command: "sh", args: ["-c", said] } as const;
  for (const sketch of [far, near]) {
    await using server = serverOf(sketch);
    for (const work of [server.list(), server.call(callOf("echo"))]) {
      const { message } = await failureOf(work);
      assert.equal(message.includes("hunter2"), false, message);
    }
  }
});
