/** What clients have open when they lose their access, over a real port. */

import assert from "node:assert/strict";
import { join } from "node:path";
import type { FeatureServices } from "../../../src/call/context.ts";
import { classicSurface, type Surface } from "../../../src/server/surface.ts";
import { featureSurface } from "../../../src/server/features.ts";
import type { Authenticator } from "../../../src/server/http/client.ts";
import { AccessWatch } from "../../../src/server/http/access_watch.ts";
import { newToken, tokenAuthenticator } from "../../../src/server/http/tokens.ts";
import { resetLog, setLogFile, setLogLevel } from "../../../src/log.ts";
import { FakeClock } from "../../_clock.ts";
import { unix } from "../../_requirements.ts";
import { sessionOf, shellTool } from "../../_session.ts";
import { isAlive, pidIn, untilGone, within } from "../../_wait.ts";
import { scratch } from "../../e2e/_scratch.ts";
import { post, send, type ServerSettings, startHttp } from "./_server.ts";

/** A surface with resources, for which clients of 2025 begin sessions. */
async function surfaceWithFeatures(): Promise<Surface> {
  const session = await sessionOf({ name: "demo", tools: [{ name: "shell", ...shellTool }] });
  const services: FeatureServices = {
    find: () => Promise.resolve(undefined),
    subscribe: () => Promise.resolve(() => {}),
  };
  return classicSurface(session, [], featureSurface(services, session));
}

/** A server whose tokens a test edits. */
async function serving(settings: ServerSettings = {}) {
  const dir = await scratch();
  const file = join(dir.path, "tokens");
  const clock = new FakeClock();
  const [ada, bob] = await Promise.all([newToken("ada"), newToken("bob")]);
  const write = (...lines: string[]) => Deno.writeTextFile(file, `${lines.join("\n")}\n`);
  await write(ada.line, bob.line);
  const surface = await surfaceWithFeatures();
  const server = await startHttp(surface, {
    surfaceFor: () => surface,
    authenticator: tokenAuthenticator(file, clock),
    clock,
    ...settings,
  });
  return {
    ...{ dir: dir.path, server, clock, write, ada, bob },
    /** Lets the time of one check pass. */
    check: () => clock.advance(1000),
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await dir[Symbol.asyncDispose]();
    },
  };
}

function bearer(token: string): Record<string, string> {
  return { authorization: `Bearer ${token}` };
}

interface Stream {
  /** Resolves when nothing more can come. */
  readonly ended: Promise<void>;
  isOpen: boolean;
}

/** Reads an answer to its end. */
function opened(response: Response): Stream {
  assert.equal(response.status, 200);
  const stream = { isOpen: true, ended: Promise.resolve() };
  const reader = response.body!.getReader();
  const drain = async () => {
    try {
      while (!(await reader.read()).done);
    } catch {
      // The connection was closed
    }
    stream.isOpen = false;
  };
  stream.ended = drain();
  return stream;
}

const listen = { notifications: { toolsListChanged: true } };

async function subscribed(url: string, token: string): Promise<Stream> {
  return opened(await post(url, "subscriptions/listen", listen, bearer(token)));
}

/** Begins a session of 2025, and opens its stream. */
async function session(url: string, token: string) {
  const headers = { ...bearer(token), accept: "application/json, text/event-stream" };
  const params = {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "test", version: "1" },
  };
  const begun = await send(url, { method: "initialize", params }, headers);
  await begun.body?.cancel();
  const named = { ...headers, "mcp-session-id": begun.headers.get("mcp-session-id")! };
  const stream = opened(await fetch(url, { headers: named }));
  /** The status of a request for the stream of this session. */
  const statusWith = async (token: string) => {
    const response = await fetch(url, { headers: { ...named, ...bearer(token) } });
    await response.body?.cancel();
    return response.status;
  };
  return { stream, statusWith };
}

/** Begins a call that lasts; resolves when its program runs. */
async function running(url: string, token: string, file: string) {
  const script = `echo $$ > ${file}; while sleep 0.05; do :; done`;
  const params = { name: "shell", arguments: { script } };
  const answer = post(url, "tools/call", params, bearer(token)).then(
    async (response) => `${response.status} ${await response.text()}`,
    () => "closed",
  );
  return { pid: await pidIn(file), answer };
}

unix.test("a removed token ends its streams, sessions and calls, and those of no other client", async () => {
  await using all = await serving();
  const { server: { url }, ada, bob, write, check, dir } = all;
  const streams = await Promise.all([ada, bob].map(({ token }) => subscribed(url, token)));
  const sessions = [await session(url, ada.token), await session(url, bob.token)];
  const calls = [
    await running(url, ada.token, join(dir, "ada")),
    await running(url, bob.token, join(dir, "bob")),
  ];
  await check();
  // Another token of the same name is another token
  const again = await newToken("ada");
  await write(again.line, bob.line);
  await check();
  await check();
  await within(
    Promise.all([streams[0]!.ended, sessions[0]!.stream.ended]),
    "the end of the streams",
  );
  assert.equal(await within(calls[0]!.answer, "the end of the call"), "closed");
  await untilGone(calls[0]!.pid);
  assert.deepEqual([streams[1]!.isOpen, sessions[1]!.stream.isOpen], [true, true]);
  assert.equal(isAlive(calls[1]!.pid), true);
  assert.equal(await sessions[0]!.statusWith(ada.token), 401);
  assert.equal(await sessions[0]!.statusWith(again.token), 404);
  const refused = await post(url, "tools/list", {}, bearer(ada.token));
  assert.equal(refused.status, 401);
  await refused.body?.cancel();
  await write(again.line);
  await check();
  await check();
  await within(
    Promise.all([streams[1]!.ended, sessions[1]!.stream.ended]),
    "the end of the streams",
  );
  await untilGone(calls[1]!.pid);
});

Deno.test("a file of tokens that is broken or empty for a moment ends nothing", async () => {
  await using all = await serving();
  const { server: { url }, ada, bob, write, check, dir } = all;
  setLogLevel("info");
  setLogFile(join(dir, "log"));
  const stream = await subscribed(url, ada.token);
  const { stream: own, statusWith } = await session(url, ada.token);
  for (const broken of ["", "ada", ada.line.slice(0, 20)]) {
    await write(broken);
    await check();
    assert.equal(await statusWith(ada.token), 401);
    await write(ada.line, `# ${broken}`, bob.line);
    await check();
    await check();
  }
  assert.deepEqual([stream.isOpen, own.isOpen], [true, true]);
  // Its scopes decide what it sees
  await write(`${ada.line} more`);
  await check();
  await check();
  await within(Promise.all([stream.ended, own.ended]), "the end of the streams");
  assert.equal(await statusWith(ada.token), 404);
  resetLog();
  const said = await Deno.readTextFile(join(dir, "log"));
  assert.deepEqual(said.match(/ended without access.*/g), [
    "ended without access any more: 3 uses of ada",
  ]);
});

unix.test("an expired token ends streams; calls and sessions go on", async () => {
  const expiry = { at: Infinity };
  const authenticator: Authenticator = {
    authenticate: () =>
      Promise.resolve({ name: "ada", key: "ada", scopes: [], expiresAt: expiry.at }),
  };
  await using all = await serving({ authenticator });
  const { server: { url }, clock, check, dir } = all;
  expiry.at = clock.now() + 500;
  const old = await subscribed(url, "");
  const begun = await session(url, "");
  const call = await running(url, "", join(dir, "pid"));
  expiry.at = clock.now() + 60_000;
  const renewed = await subscribed(url, "");
  await check();
  await check();
  await within(Promise.all([old.ended, begun.stream.ended]), "the end of the streams");
  assert.deepEqual([renewed.isOpen, isAlive(call.pid)], [true, true]);
  assert.equal(await begun.statusWith(""), 200);
});

unix.test("a client that is served something else, or nothing any more, loses what it has open", async () => {
  const [first, second] = [await surfaceWithFeatures(), await surfaceWithFeatures()];
  let served: Surface | undefined = first;
  await using all = await serving({ surfaceFor: () => served });
  const { server: { url }, ada, check, dir } = all;
  const stream = await subscribed(url, ada.token);
  const begun = await session(url, ada.token);
  const call = await running(url, ada.token, join(dir, "pid"));
  served = second;
  await check();
  await check();
  await within(Promise.all([stream.ended, begun.stream.ended]), "the end of the streams");
  assert.equal(await begun.statusWith(ada.token), 404);
  assert.equal(isAlive(call.pid), true);
  served = undefined;
  await check();
  await check();
  assert.equal(await within(call.answer, "the end of the call"), "closed");
  await untilGone(call.pid);
});

Deno.test("AccessWatch ends a stream at the second look after the last moment of its token", async () => {
  const clock = new FakeClock();
  const surface = {} as Surface;
  const watch = new AccessWatch({ accepts: () => true, surfaceFor: () => surface, clock });
  let ends = 0;
  const client = { scopes: [], expiresAt: clock.now() + 1000 };
  const end = () => void ends++;
  watch.add({ client, profile: undefined, surface, kind: "stream", end });
  const seen: number[] = [];
  for (let look = 0; look < 3; look++) {
    await clock.advance(1000);
    seen.push(ends);
  }
  assert.deepEqual(seen, [0, 0, 1]);
});
