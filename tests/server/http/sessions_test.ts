/** Sessions of clients of 2025 over HTTP: what they get, whose they are, and how they end. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { FeatureServices } from "../../../src/call/context.ts";
import { classicSurface, type Surface } from "../../../src/server/surface.ts";
import { featureSurface } from "../../../src/server/features.ts";
import { anyone } from "../../../src/server/http/client.ts";
import { boundStream, HttpSessions, startsSession } from "../../../src/server/http/sessions.ts";
import { createMcpServer } from "../../../src/server/mcp_server.ts";
import { newToken, tokenAuthenticator } from "../../../src/server/http/tokens.ts";
import type { LogSeverity } from "../../../src/tool/runner.ts";
import { scratch } from "../../e2e/_scratch.ts";
import { FakeClock } from "../../_clock.ts";
import { sessionOf, shellTool } from "../../_session.ts";
import { pidIn, until, within } from "../../_wait.ts";
import { type HttpServer, send, type ServerSettings, startHttp } from "./_server.ts";
import { testServing } from "../_serving.ts";

const ignore = Deno.build.os === "windows";
const tools = [
  { name: "shell", description: "Runs a script", ...shellTool },
  { name: "change", description: "Changes files by a script", effect: "write", ...shellTool },
];

/** Servers whose every resource can be followed. */
class FakeServices implements FeatureServices {
  readonly followed = new Map<string, () => void>();
  readonly owners: (string | undefined)[] = [];

  find(): ReturnType<FeatureServices["find"]> {
    return Promise.resolve(undefined);
  }

  subscribe(name: string, onUpdate: () => void, owner?: string): Promise<() => void> {
    this.owners.push(owner);
    this.followed.set(name, onUpdate);
    return Promise.resolve(() => void this.followed.delete(name));
  }
}

interface Served extends AsyncDisposable {
  readonly server: HttpServer;
  readonly services: FakeServices;
}

async function served(settings: ServerSettings = {}, policy?: string): Promise<Served> {
  const options = policy === undefined ? {} : { policy: { file: "policy.yaml", text: policy } };
  const session = await sessionOf({ name: "demo", tools }, options);
  const services = new FakeServices();
  const surface = classicSurface(session, [], featureSurface(services, session));
  const server = await startHttp(surface, settings);
  return {
    server,
    services,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await session.close();
    },
  };
}

async function connected(
  { server }: Served,
  { capabilities = {}, headers = {} }: {
    readonly capabilities?: object;
    readonly headers?: Record<string, string>;
  } = {},
): Promise<{ client: Client; transport: StreamableHTTPClientTransport } & AsyncDisposable> {
  const client = new Client({ name: "climax-tests", version: "1.0.0" }, {
    capabilities,
    versionNegotiation: { mode: "legacy" },
  });
  const transport = new StreamableHTTPClientTransport(new URL(server.url), {
    requestInit: { headers },
  });
  await client.connect(transport);
  return { client, transport, [Symbol.asyncDispose]: () => client.close() };
}

/** A request of 2025 by hand. */
async function request(
  { server }: Served,
  method: string,
  params: object,
  headers: Record<string, string> = {},
): Promise<{ status: number; text: string; session: string | null }> {
  const response = await send(server.url, { method, params }, headers);
  const session = response.headers.get("mcp-session-id");
  return { status: response.status, text: await response.text(), session };
}

const hello = {
  protocolVersion: "2025-11-25",
  capabilities: {},
  clientInfo: { name: "by hand", version: "1" },
};

Deno.test("a session follows resources until it ends", async () => {
  const clock = new FakeClock();
  await using all = await served({ clock });
  const { services } = all;
  await using peer = await connected(all);
  const updated: string[] = [];
  peer.client.setNotificationHandler("notifications/resources/updated", ({ params }) => {
    updated.push(params.uri);
  });
  await peer.client.subscribeResource({ uri: "note://a" });
  // Its stream may stand later than its first answer
  const hear = () => {
    services.followed.get("resource:note://a")?.();
    return updated.length > 0;
  };
  await until(hear, "the update");
  assert.equal(updated[0], "note://a");
  await peer.transport.terminateSession();
  assert.equal(services.followed.size, 0);
  // A look for lost access that finds nothing open is the last one
  await clock.advance(1000);
  assert.deepEqual(clock.timers, []);
});

Deno.test("a session takes a level of logs, and refuses what is none", async () => {
  await using all = await served();
  await using one = await connected(all);
  await one.client.setLoggingLevel("error");
  await assert.rejects(one.client.setLoggingLevel("loud" as LogSeverity), /Invalid|invalid/);
});

Deno.test({ name: "the calls of a session end when its client disconnects", ignore }, async () => {
  const ended = Promise.withResolvers<unknown>();
  await using all = await served({ track: (call) => void call.then(ended.resolve, ended.reject) });
  const { session } = await request(all, "initialize", hello);
  const stop = new AbortController();
  const body = {
    jsonrpc: "2.0",
    id: 2,
    method: "tools/call",
    params: {
      name: "shell",
      arguments: { script: "echo begun; exec sleep 600" },
      _meta: { progressToken: 1 },
    },
  };
  const own = { "mcp-session-id": session! };
  const response = await send(all.server.url, body, own, { signal: stop.signal });
  await response.body!.getReader().read();
  stop.abort();
  const { content } = await within(ended.promise, "the end of the call") as {
    content: { text: string }[];
  };
  assert.match(content[0]!.text, /Command was cancelled/);
});

Deno.test("a session is its client's own", async () => {
  await using dir = await scratch();
  const tokens = await Promise.all(["ada", "tim"].map(async (name) => {
    const { token, line } = await newToken(name);
    return { token, line };
  }));
  const file = `${dir.path}/tokens`;
  await Deno.writeTextFile(file, tokens.map(({ line }) => `${line}\n`).join(""));
  await Deno.chmod(file, 0o600).catch(() => {});
  const authenticator = tokenAuthenticator(file);
  await using all = await served({ authenticator });
  const [ada, tim] = tokens.map(({ token }) => ({ authorization: `Bearer ${token}` }));
  const named = { "mcp-session-id": (await request(all, "initialize", hello, ada)).session! };
  const uri = { uri: "note://a" };
  const mine = await request(all, "resources/subscribe", uri, { ...ada, ...named });
  assert.deepEqual([mine.status, all.services.owners], [200, ["ada"]]);
  for (const method of ["GET", "DELETE"]) {
    const headers = { ...tim, ...named, accept: "text/event-stream" };
    const response = await fetch(all.server.url, { method, headers });
    assert.equal(response.status, 404, method);
    assert.match(await response.text(), /no such session/);
  }
  assert.equal((await request(all, "resources/subscribe", uri, { ...tim, ...named })).status, 404);
});

Deno.test("a request with the id of an unknown session is answered as one without", async () => {
  await using all = await served();
  const named = { "mcp-session-id": "of another instance" };
  const list = await request(all, "tools/list", {}, named);
  assert.deepEqual([list.status, list.session], [200, null]);
  assert.match(list.text, /shell/);
  for (const method of ["resources/subscribe", "logging/setLevel"]) {
    const { status, text } = await request(all, method, { uri: "a:b", level: "info" }, named);
    assert.equal(status, 404);
    assert.match(text, /begin another with initialize/);
  }
  assert.match((await request(all, "initialize", hello, named)).session!, /^[\da-f-]{36}$/);
});

Deno.test("without resources and logs, a session tells which client calls, if no token does", async () => {
  const session = await sessionOf({ tools });
  const ada = { name: "ada", key: "ada", scopes: [] };
  const known = { ...anyone, authenticate: () => Promise.resolve(ada) };
  try {
    for (
      const [authenticator, expected] of [[anyone, /^[\da-f-]{36}$/], [known, /^null$/]] as const
    ) {
      await using server = await startHttp(classicSurface(session, []), { authenticator });
      const response = await send(server.url, { method: "initialize", params: hello });
      assert.match(await response.text(), /serverInfo/);
      assert.match(String(response.headers.get("mcp-session-id")), expected);
    }
  } finally {
    await session.close();
  }
});

Deno.test("a session ends when it was idle for long, and one with a stream does not", async () => {
  const clock = new FakeClock();
  await using all = await served({ clock });
  const { session } = await request(all, "initialize", hello);
  const named = { "mcp-session-id": session! };
  const headers = { ...named, accept: "text/event-stream" };
  const stream = await fetch(all.server.url, { headers });
  assert.equal(stream.status, 200);
  await clock.advance(60 * 60_000);
  assert.equal((await request(all, "ping", {}, named)).session, session);
  // It ends streams, and a session is told of that at once
  await all.server.idle();
  await stream.body?.cancel();
  assert.equal(clock.isHeld, false);
  await clock.advance(60 * 60_000);
  const late = await fetch(all.server.url, { headers: named });
  assert.equal(late.status, 404);
  await late.body?.cancel();
});

Deno.test({ name: "a client cancels no call of another one's session", ignore }, async () => {
  await using dir = await scratch();
  await using all = await served();
  const [mine, other] = await Promise.all([1, 2].map(async () => {
    return { "mcp-session-id": (await request(all, "initialize", hello)).session! };
  }));
  const script = `cd ${dir.path}; echo $$ > pid; until test -e go; do sleep 0.05; done; echo ran`;
  const call = { name: "shell", arguments: { script } };
  // The SDK answers the first one
  await request(all, "tools/call", { ...call, arguments: { script: "echo first" } }, mine);
  const second = request(all, "tools/call", call, mine);
  await pidIn(join(dir.path, "pid"));
  await request(all, "notifications/cancelled", { requestId: 1 }, other);
  await Deno.writeTextFile(join(dir.path, "go"), "");
  assert.match((await second).text, /"text":"ran"/);
});

Deno.test("an initialize that is refused leaves no session", async () => {
  const clock = new FakeClock();
  await using all = await served({ clock });
  const { status } = await request(all, "initialize", hello, { accept: "application/json" });
  assert.equal(status, 406);
  // A look for lost access that finds nothing open is the last one
  await clock.advance(1000);
  assert.deepEqual(clock.timers, []);
});

/** Sessions without a port, whose time stands still until a test moves it. */
async function alone(most?: number) {
  const session = await sessionOf({ tools });
  const services = new FakeServices();
  const surface: Surface = classicSurface(session, [], featureSurface(services, session));
  const serving = testServing();
  const clock = new FakeClock();
  const sessions = new HttpSessions({
    ...(most === undefined ? {} : { most }),
    createServer: (surface) => createMcpServer(surface, serving, "connection"),
    clock,
  });
  const client = { scopes: [] };
  const find = (id: string | undefined) => {
    return sessions.find({ surface, client, profile: undefined, owner: "", id });
  };
  return {
    ...{ sessions, clock, find },
    async begin(owner = "") {
      const asked = { surface, client, profile: undefined, owner, id: undefined };
      const body = { jsonrpc: "2.0", id: 1, method: "initialize", params: hello };
      const request = new Request("http://localhost/mcp", { method: "POST", body: "" });
      return await sessions.of(request, asked, body);
    },
    async [Symbol.asyncDispose]() {
      await sessions.close();
      await session.close();
    },
  };
}

Deno.test("HttpSessions ends a session half an hour after its last use, and none in use", async () => {
  await using held = await alone();
  const { sessions, clock } = held;
  const begun = (await held.begin())!;
  // As the SDK does at the first request
  begun.transport.sessionId = begun.id;
  const isThere = () => held.find(begun.id) !== undefined;
  const minutes = (count: number) => clock.advance(count * 60_000);
  const leave = [sessions.use(begun), sessions.use(begun)];
  await minutes(31);
  leave[0]!();
  await minutes(31);
  assert.equal(isThere(), true);
  leave[1]!();
  await minutes(20);
  sessions.use(begun)();
  await clock.advance(30 * 60_000 - 1);
  assert.equal(isThere(), true);
  await clock.advance(2);
  assert.equal(isThere(), false);
});

Deno.test("HttpSessions ends the oldest idle one of the client with most, and never one in use", async () => {
  await using held = await alone(3);
  const { sessions, begin, find } = held;
  const all = [];
  for (const owner of ["few", "many", "many", "many"]) all.push((await begin(owner))!.id);
  assert.deepEqual(all.map((id) => find(id) !== undefined), [true, false, true, true]);
  for (const id of all) if (find(id) !== undefined) sessions.use(find(id)!);
  assert.equal(await begin("few"), undefined);
});

Deno.test("HttpSessions has 1,000 sessions, and ends one for another", async () => {
  await using held = await alone();
  const ids: string[] = [];
  for (let count = 0; count < 1000; count++) ids.push((await held.begin())!.id);
  const left = () => ids.filter((id) => held.find(id) !== undefined).length;
  assert.equal(left(), 1000);
  await held.begin();
  assert.equal(left(), 999);
});

/** A stream of chunks of 10 bytes, and what became of it. */
function chunks(count: number) {
  const source = { cancelled: false, sent: 0 };
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      for (; source.sent < count; source.sent++) controller.enqueue(new Uint8Array(10));
      if (count < 50) controller.close();
    },
    cancel: () => void (source.cancelled = true),
  });
  return { stream, source };
}

async function lengthOf(stream: ReadableStream<Uint8Array>): Promise<number> {
  let length = 0;
  for await (const chunk of stream) length += chunk.length;
  return length;
}

Deno.test("boundStream() ends a stream that is not read", async () => {
  const { stream, source } = chunks(50);
  const bounded = boundStream(stream, 100);
  await until(() => source.cancelled, "the end of the stream");
  await assert.rejects(lengthOf(bounded), /reads too slowly/);
});

Deno.test("startsSession() is true for what has no meaning without one", () => {
  const rows: readonly [body: unknown, isOfSession: boolean][] = [
    [{ method: "resources/subscribe" }, true],
    [{ method: "tools/list" }, false],
    [{ id: 1, result: {} }, true],
    [{ id: 1, error: {} }, true],
    [{ method: "tools/list", result: {} }, false],
    [{ id: 1 }, false],
    [undefined, false],
  ];
  for (const [body, isOfSession] of rows) assert.equal(startsSession(body), isOfSession);
});
