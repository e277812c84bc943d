/** Requests in flight with one id, in a session of 2025 over HTTP: each answer reaches who asked. */

import assert from "node:assert/strict";
import { featureSurface } from "../../../src/server/features.ts";
import { classicSurface } from "../../../src/server/surface.ts";
import { scratch } from "../../e2e/_scratch.ts";
import { sessionOf, shellTool } from "../../_session.ts";
import { until, within } from "../../_wait.ts";
import { send, startHttp } from "./_server.ts";

const ignore = Deno.build.os === "windows";
const tools = [{ name: "shell", description: "Runs a script", ...shellTool }];
const unfinished = /the id is that of a request that is not finished/;

interface Reply {
  readonly status: number;
  readonly text: string;
}

interface Served extends AsyncDisposable {
  readonly path: string;
  /** Sends a body as it is, in the session, or without one. */
  post(body: unknown, options?: { signal?: AbortSignal; session?: boolean }): Promise<Reply>;
  /** How many calls have begun, by their names. */
  begun(): string[];
}

async function served(): Promise<Served> {
  const dir = await scratch();
  const session = await sessionOf({ name: "demo", tools });
  const features = {
    find: () => Promise.resolve(undefined),
    subscribe: () => Promise.resolve(() => {}),
  };
  const server = await startHttp(classicSurface(session, [], featureSurface(features, session)));
  const hello = {
    protocolVersion: "2025-03-26",
    capabilities: {},
    clientInfo: { name: "by hand", version: "1" },
  };
  const first = await send(server.url, { method: "initialize", params: hello });
  await first.text();
  const named = { "mcp-session-id": first.headers.get("mcp-session-id")! };
  return {
    path: dir.path,
    async post(body, { signal, session = true } = {}) {
      const headers = { "content-type": "application/json", ...(session ? named : {}) };
      const response = await fetch(server.url, {
        method: "POST",
        headers: { ...headers, accept: "application/json, text/event-stream" },
        body: JSON.stringify(body),
        ...(signal === undefined ? {} : { signal }),
      });
      return { status: response.status, text: await response.text() };
    },
    begun: () => [...Deno.readDirSync(dir.path)].map(({ name }) => name),
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await session.close();
      await dir[Symbol.asyncDispose]();
    },
  };
}

/** A call that says its name, after `go` was written. */
function call({ path }: Served, id: unknown, name: string, more: object = {}) {
  const script =
    `cd ${path}; touch ${name}; until test -e go; do sleep 0.02; done; echo answer ${name}`;
  const params = { name: "shell", arguments: { script }, ...more };
  return { jsonrpc: "2.0", id, method: "tools/call", params };
}

async function isBegun(all: Served, name: string): Promise<void> {
  await until(() => all.begun().includes(name), `the call ${name}`);
}

const go = (all: Served) => Deno.writeTextFile(`${all.path}/go`, "");

Deno.test({ name: "of requests in flight with one id, the first alone runs", ignore }, async () => {
  await using all = await served();
  // The SDK answers the first call, and later ones that ask for progress
  for (const progress of [true, false]) {
    const more = progress ? { _meta: { progressToken: 1 } } : {};
    for (const id of [7, "7", 0, "", -1, "__proto__"]) {
      const first = all.post(call(all, id, "first", more));
      await isBegun(all, "first");
      const others = await within(
        Promise.all([
          all.post(call(all, id, "second")),
          all.post(call(all, id, "third", { _meta: { progressToken: 2 } })),
          all.post({ jsonrpc: "2.0", id, method: "tools/list" }),
          all.post({ jsonrpc: "2.0", id, method: "ping" }),
        ]),
        "the refusals",
      );
      for (const { status, text } of others) {
        assert.equal(status, 400);
        const { id, error } = JSON.parse(text);
        assert.deepEqual([id, error.code], [null, -32600]);
        assert.match(error.message, unfinished);
      }
      // Those are no duplicates
      const like = typeof id === "number" ? String(id) : 70;
      const ping = await all.post({ jsonrpc: "2.0", id: like, method: "ping" });
      assert.equal(ping.status, 200);
      await go(all);
      const { text } = await within(first, "the first answer");
      assert.match(text, /"text":"answer first"/);
      assert.deepEqual(all.begun().sort(), ["first", "go"]);
      // An id is free as soon as its answer is there
      assert.match((await all.post(call(all, id, "again"))).text, /"text":"answer again"/);
      for (const name of all.begun()) await Deno.remove(`${all.path}/${name}`);
    }
  }
});

Deno.test({ name: "who has the id of another request cannot end that", ignore }, async () => {
  await using all = await served();
  for (const progress of [false, true]) {
    const more = progress ? { _meta: { progressToken: 1 } } : {};
    const first = all.post(call(all, 7, "first", more));
    await isBegun(all, "first");
    const stop = new AbortController();
    const second = all.post(call(all, 7, "second"), { signal: stop.signal }).catch(() => undefined);
    stop.abort();
    await second;
    const cancelled = { jsonrpc: "2.0", method: "notifications/cancelled" };
    await all.post({ ...cancelled, params: { requestId: "7" } });
    await go(all);
    assert.match((await within(first, "the answer")).text, /"text":"answer first"/);
    for (const name of all.begun()) await Deno.remove(`${all.path}/${name}`);
  }
});

Deno.test({ name: "an id is free when its client has left", ignore }, async () => {
  await using all = await served();
  const stop = new AbortController();
  const left = all.post(call(all, 7, "first", { _meta: { progressToken: 1 } }), {
    signal: stop.signal,
  });
  await isBegun(all, "first");
  stop.abort();
  await assert.rejects(left);
  await go(all);
  let reply: Reply | undefined;
  // The server learns later than this that the client has left
  await until(async () => {
    reply = await all.post(call(all, 7, "second"));
    return reply.status !== 400;
  }, "the id");
  assert.match(reply!.text, /"text":"answer second"/);
});

Deno.test("a batch is refused whole with one error, without a session too", async () => {
  await using all = await served();
  const list = (id: unknown) => ({ jsonrpc: "2.0", id, method: "tools/list" });
  const batches = [[list(3)], [call(all, 1, "a"), call(all, 2, "b")], []];
  for (const session of [true, false]) {
    for (const batch of batches) {
      const { status, text } = await all.post(batch, { session });
      const { id, error } = JSON.parse(text);
      assert.deepEqual([status, id, error.code], [400, null, -32600]);
      assert.equal(error.message, "Batches are not taken: send one message at a time");
    }
    assert.match((await all.post(list(3), { session })).text, /"name":"shell"/);
  }
  assert.deepEqual(all.begun(), []);
});
