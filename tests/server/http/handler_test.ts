/** Real clients of both eras, and requests by hand, against the real server on a port. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { ToolIndex } from "../../../src/catalog/tool_index.ts";
import { classicSurface, type Surface } from "../../../src/server/surface.ts";
import { discoverySurface } from "../../../src/server/discovery.ts";
import { newToken, tokenAuthenticator } from "../../../src/server/http/tokens.ts";
import { resetLog, setLogFile } from "../../../src/log.ts";
import { scratch } from "../../e2e/_scratch.ts";
import { FakeClock } from "../../_clock.ts";
import { sessionOf, shellTool } from "../../_session.ts";
import { peers, post, RawConnection, startHttp } from "./_server.ts";
import { unix } from "../../_requirements.ts";

const config = {
  name: "demo",
  tools: [{ name: "shell", description: "Runs a script", ...shellTool }],
};

async function classic(): Promise<Surface> {
  return classicSurface(await sessionOf(config));
}

for (const [what, connect] of peers) {
  unix.test(`${what}: lists, searches and calls over HTTP`, async () => {
    await using server = await startHttp(discoverySurface(await sessionOf(config)));
    await using peer = await connect(server.url);
    assert.deepEqual(await peer.list(), ["climax_search", "climax_call"]);
    assert.equal(JSON.parse(await peer.call("climax_search", {})).summary[0].name, "demo");
    const args = { script: "echo out; exit 3" };
    assert.equal(
      await peer.call("climax_call", { tool_name: "shell", args }),
      "out\n\n[exit code: 3]",
    );
  });

  unix.test(`${what}: progress comes while a call runs, over HTTP`, async () => {
    await using server = await startHttp(await classic());
    await using peer = await connect(server.url);
    const seen = Promise.withResolvers<void>();
    const dir = await Deno.makeTempDir();
    const script = `echo one; until test -e ${dir}/go; do sleep 0.05; done; echo two`;
    const call = peer.call("shell", { script }, { onprogress: () => seen.resolve() });
    // The program waits for us, so this came before the result
    await seen.promise;
    await Deno.writeTextFile(join(dir, "go"), "");
    assert.equal(await call, "one\ntwo");
    await Deno.remove(dir, { recursive: true });
  });

  unix.test(`${what}: calls at once get each its own answer, over HTTP`, async () => {
    await using server = await startHttp(await classic());
    await using peer = await connect(server.url);
    const numbers = Array.from({ length: 20 }, (_, number) => String(number));
    const answers = await Promise.all(
      numbers.map((number) => peer.call("shell", { script: `echo ${number}` })),
    );
    assert.deepEqual(answers, numbers);
  });
}

const refusals: readonly [
  what: string,
  init: RequestInit & { path?: string },
  status: number,
  text: RegExp,
][] = [
  ["the path of the older transport", { path: "/sse" }, 404, /at \/mcp, by Streamable HTTP/],
  ["another path", { path: "/", method: "POST" }, 404, /MCP is served at \/mcp/],
  ["a stream that would stand", {}, 405, /no session, and so no stream to open/],
  ["the end of a session", { method: "DELETE" }, 405, /has no session/],
  [
    "no JSON",
    { method: "POST", body: "{", headers: { "content-type": "application/json" } },
    400,
    /not JSON/,
  ],
  ["another type of body", { method: "POST", body: "{}" }, 415, /application\/json/],
  [
    "a page of a stranger",
    { headers: { origin: "https://evil.example" } },
    403,
    /pages of 'https:\/\/evil.example' are not answered: --allow-origin allows them/,
  ],
  ["a page of nowhere", { headers: { origin: "null" } }, 403, /pages of 'null' are not answered"/],
];

for (const [what, { path = "/mcp", ...init }, status, text] of refusals) {
  Deno.test(`a request is refused with ${status}: ${what}`, async () => {
    await using server = await startHttp(await classic());
    const response = await fetch(new URL(path, server.url), init);
    assert.match(await response.text(), text);
    assert.equal(response.status, status);
  });
}

Deno.test("probes are answered under any name", async () => {
  let ready = true;
  await using server = await startHttp(await classic(), { isReady: () => ready });
  const status = async (path: string) => {
    using connection = await RawConnection.open(server.port);
    connection.write(`GET ${path} HTTP/1.1\r\nHost: 10.1.2.3\r\nConnection: close\r\n\r\n`);
    return (await connection.closed).slice(9, 12);
  };
  assert.deepEqual([await status("/healthz"), await status("/readyz")], ["200", "200"]);
  ready = false;
  assert.deepEqual([await status("/healthz"), await status("/readyz")], ["200", "503"]);
  const response = await post(server.url, "tools/list");
  await response.text();
  assert.deepEqual([response.status, response.headers.get("retry-after")], [503, "1"]);
});

Deno.test("tokens let in who has one, under its name, until it is taken away", async () => {
  await using dir = await scratch();
  const file = join(dir.path, "tokens");
  const ada = await newToken("ada", ["read"]);
  const bob = await newToken("bob");
  await Deno.writeTextFile(file, `# who\n${ada.line}\n\n${bob.line} # remark\n`);
  const names: unknown[] = [];
  const surface = await classic();
  const clock = new FakeClock();
  await using server = await startHttp(surface, {
    authenticator: tokenAuthenticator(file, clock),
    surfaceFor: (client) => {
      names.push(client);
      return client.name === "ada" ? surface : undefined;
    },
  });
  const list = async (authorization?: string) => {
    const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
    const response = await post(server.url, "tools/list", {}, headers);
    await response.text();
    return [response.status, response.headers.get("www-authenticate")];
  };
  assert.deepEqual(await list(), [401, "Bearer"]);
  assert.deepEqual(await list("Basic YTpi"), [401, "Bearer"]);
  for (const wrong of ["x", ada.token.slice(0, -1), `${ada.token}A`, ada.line.split(" ")[1]!]) {
    assert.deepEqual(await list(`Bearer ${wrong}`), [401, `Bearer error="invalid_token"`]);
  }
  assert.deepEqual(names, []);
  assert.deepEqual(await list(`Bearer ${ada.token}`), [200, null]);
  const key = JSON.stringify(["tokens", file, "ada"]);
  assert.deepEqual(names[0], { name: "ada", key, scopes: ["read"] });
  assert.deepEqual(await list(`bearer ${bob.token}`), [403, null]);

  await Deno.writeTextFile(file, `${bob.line}\n`);
  // The file is checked once a second
  assert.deepEqual(await list(`Bearer ${ada.token}`), [200, null]);
  await clock.advance(1000);
  assert.deepEqual(await list(`Bearer ${ada.token}`), [401, `Bearer error="invalid_token"`]);
  assert.equal((await list(`Bearer ${bob.token}`))[0], 403);
});

Deno.test("a token file that is wrong is told line by line", async () => {
  await using dir = await scratch();
  const file = join(dir.path, "tokens");
  const { line } = await newToken("ada");
  await Deno.writeTextFile(file, `${line}\n${line}\nbob abc\n-x ${"0".repeat(64)}\n`);
  assert.throws(() => tokenAuthenticator(file), {
    problems: [
      { file, line: 2, message: "Duplicate token name 'ada'" },
      {
        file,
        line: 3,
        message: "Token 'bob': expected the SHA-256 of a token, 64 hexadecimal digits",
      },
      { file, line: 4, message: "Not a name for a token: '-x'" },
    ],
  });
});

Deno.test("a subscription tells of changes, and does not keep the server from ending", async () => {
  const session = await sessionOf(config);
  await using server = await startHttp(classicSurface(session));
  const response = await post(server.url, "subscriptions/listen", {
    notifications: { toolsListChanged: true },
  });
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  const until = async (what: string) => {
    while (!text.includes(what)) text += (await reader.read()).value ?? assert.fail(text);
  };
  await until("notifications/subscriptions/acknowledged");
  session.catalog.replace(new ToolIndex([]));
  await until("notifications/tools/list_changed");
  await server.idle();
  assert.equal((await reader.read()).done, true);
});

Deno.test("a profile that a client may not use is answered like one that does not exist", async () => {
  await using server = await startHttp(await classic(), {
    paths: { profiles: true },
    surfaceFor: () => undefined,
  });
  const said = async (path: string) => {
    const response = await post(new URL(path, server.url).href, "tools/list");
    return [response.status, (await response.json()).error.message];
  };
  const unknown = [404, "There is no such profile for this client"];
  assert.deepEqual([await said("/mcp/p/shop"), await said("/mcp/p/")], [unknown, unknown]);
  assert.deepEqual(await said("/mcp"), [403, "This client has no policy assigned"]);
});

Deno.test("an error of the server is answered with 500, and told to its log alone", async () => {
  await using dir = await scratch();
  const answered: number[] = [];
  await using server = await startHttp(await classic(), {
    surfaceFor: () => {
      throw new Error("a secret of the server");
    },
    onAnswered: (status) => void answered.push(status),
  });
  setLogFile(join(dir.path, "log"));
  const response = await post(server.url, "tools/list");
  resetLog();
  assert.equal((await response.json()).error.message, "Internal server error");
  assert.deepEqual([response.status, answered], [500, [500]]);
  assert.match(await Deno.readTextFile(join(dir.path, "log")), /http: a secret of the server/);
});

unix.test("a client that goes ends the program of its call", async () => {
  const ended = Promise.withResolvers<unknown>();
  await using server = await startHttp(await classic(), {
    track: (running) => void running.then(ended.resolve, ended.reject),
  });
  const [, connect] = peers[0]!;
  await using peer = await connect(server.url);
  const stop = new AbortController();
  const call = peer.call("shell", { script: "echo ready; exec sleep 600" }, {
    signal: stop.signal,
    onprogress: () => stop.abort(),
  });
  await assert.rejects(call);
  const { content } = await ended.promise as { content: { text: string }[] };
  assert.match(content[0]!.text, /Command was cancelled/);
  await server.idle();
});

Deno.test("a name that was made to point here is refused", async () => {
  await using server = await startHttp(await classic());
  for (const host of ["evil.example", "evil.example:80", "127.0.0.1.evil.example", "a@b", ""]) {
    using connection = await RawConnection.open(server.port);
    connection.write(`GET /mcp HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    assert.match(await connection.closed, /^HTTP\/1.1 40[03] /, host);
  }
});

Deno.test("a request that names two hosts is refused, whichever comes first", async () => {
  await using server = await startHttp(await classic());
  for (const second of ["evil.example", "127.0.0.1"]) {
    using connection = await RawConnection.open(server.port);
    const hosts = `Host: 127.0.0.1\r\nHost: ${second}\r\n`;
    connection.write(`GET /mcp HTTP/1.1\r\n${hosts}Connection: close\r\n\r\n`);
    assert.match(await connection.closed, /^HTTP\/1.1 400 [^]*The request names several hosts/);
  }
});
