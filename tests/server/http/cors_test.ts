/** What pages of browsers may ask and read, by what the server says of them. */

import assert from "node:assert/strict";
import { classicSurface } from "../../../src/server/surface.ts";
import { nameCheck, pageCheck } from "../../../src/server/http/addresses.ts";
import { tokenAuthenticator } from "../../../src/server/http/tokens.ts";
import { scratch } from "../../e2e/_scratch.ts";
import { newToken } from "../../e2e/_token.ts";
import { sessionOf, shellTool } from "../../_session.ts";
import { post, RawConnection, type ServerSettings, startHttp } from "./_server.ts";

const exact = "https://app.example.org:8443";
const origins = [exact, "pages.example.org", "chrome-extension://abc"];

async function serving(settings: ServerSettings = {}) {
  const session = await sessionOf({ name: "demo", tools: [{ name: "shell", ...shellTool }] });
  return await startHttp(classicSurface(session), {
    checkNames: nameCheck({ host: "127.0.0.1", port: 0 }, { hosts: [], origins }),
    mayRead: pageCheck(origins),
    ...settings,
  });
}

const preflight = {
  "access-control-request-method": "POST",
  "access-control-request-headers": "authorization,content-type,mcp-method",
};

/** The headers of CORS in an answer. */
function cors({ headers }: Response): Record<string, string> {
  return Object.fromEntries([...headers].filter(([name]) => /^access-control|^vary/.test(name)));
}

Deno.test("a page of an allowed origin may ask, without a token, and read answers", async () => {
  await using dir = await scratch();
  const tokens = `${dir.path}/tokens`;
  const authorization = `Bearer ${await newToken(tokens, "ada")}`;
  await using server = await serving({ authenticator: tokenAuthenticator(tokens) });
  for (const origin of [exact, "https://pages.example.org", "http://pages.example.org:3000"]) {
    const readable = {
      "access-control-allow-origin": origin,
      "access-control-expose-headers": "mcp-session-id, www-authenticate, retry-after",
      "vary": "Origin",
    };
    const asked = await fetch(server.url, { method: "OPTIONS", headers: { origin, ...preflight } });
    assert.equal(asked.status, 204);
    assert.equal(await asked.text(), "");
    assert.deepEqual(cors(asked), {
      ...readable,
      "access-control-allow-headers": "authorization, content-type, accept, last-event-id, " +
        "mcp-protocol-version, mcp-session-id, mcp-method, mcp-name, traceparent, tracestate, baggage",
      "access-control-allow-methods": "GET, POST, DELETE",
      "access-control-max-age": "3600",
    });
    const refused = await post(server.url, "tools/list", {}, { origin });
    assert.equal(refused.status, 401);
    assert.deepEqual(cors(refused), readable);
    await refused.body?.cancel();
    const listed = await post(server.url, "tools/list", {}, { origin, authorization });
    assert.deepEqual(cors(listed), readable);
    assert.equal((await listed.json()).result.tools[0].name, "shell");
    const params = { name: "shell", arguments: { script: "echo a" } };
    const called = await post(server.url, "tools/call", params, { origin, authorization });
    assert.deepEqual(cors(called), readable);
    await called.body?.cancel();
  }
});

/** Origins that are not among the allowed ones, and what they try to be taken for. */
const strangers = [
  ...["https://evil.example", "null", "", "*"],
  ...["https://app.example.org", "https://app.example.org:8444", "http://app.example.org:8443"],
  ...["https://APP.example.org:8443", "HTTPS://app.example.org:8443", `${exact}/`, `${exact}.`],
  ...[`${exact}, https://evil.example`, `https://evil.example, ${exact}`, `${exact}@evil.example`],
  ...["https://app.example.org:8443.evil.example", "https://evil.example/?app.example.org"],
  ...["https://pages.example.org/", "https://PAGES.example.org", "https://pages.example.org:443"],
  ...[
    "https://pages.example.org.",
    "https://x.pages.example.org",
    "https://user@pages.example.org",
  ],
  ...["file://pages.example.org", "chrome-extension://pages.example.org", "chrome-extension://ab"],
  // Pages of this machine may be anything's, and are allowed by their name alone
  ...["http://localhost:3000", "http://127.0.0.1", "http://[::1]:3000"],
];

for (const origin of strangers) {
  Deno.test(`a page of '${origin}' reads nothing`, async () => {
    await using server = await serving();
    for (const method of ["OPTIONS", "POST", "GET"]) {
      const response = await fetch(server.url, { method, headers: { origin, ...preflight } });
      await response.body?.cancel();
      assert.deepEqual(cors(response), {}, method);
      assert.equal(response.status >= 400, true, `${method}: ${response.status}`);
    }
  });
}

Deno.test("no page may read answers where none is allowed", async () => {
  const session = await sessionOf({ name: "demo", tools: [{ name: "shell", ...shellTool }] });
  await using server = await startHttp(classicSurface(session));
  for (const origin of [server.url.replace("/mcp", ""), "http://localhost:3000", exact]) {
    for (const method of ["OPTIONS", "POST"]) {
      const response = await fetch(server.url, { method, headers: { origin, ...preflight } });
      await response.body?.cancel();
      assert.deepEqual(cors(response), {});
    }
  }
});

Deno.test("a preflight allows headers of arguments, and repeats nothing else", async () => {
  await using server = await serving();
  const allowed = async (wanted: string) => {
    const headers = { origin: exact, ...preflight, "access-control-request-headers": wanted };
    const response = await fetch(server.url, { method: "OPTIONS", headers });
    return cors(response)["access-control-allow-headers"]?.replace(/.*baggage(, )?/, "");
  };
  assert.equal(
    await allowed("Mcp-Param-Region, x-other,mcp-param-a_b"),
    "mcp-param-region, mcp-param-a_b",
  );
  assert.equal(await allowed("mcp-param-, mcp-param-*, *, cookie, mcp-param-a b"), "");
  assert.equal(await allowed(`mcp-param-${"x".repeat(129)}`), "");
});

Deno.test("a page that knows an allowed origin does not get past the check of hosts", async () => {
  await using server = await serving();
  using connection = await RawConnection.open(server.port);
  const origin = `Origin: ${exact}\r\n`;
  connection.write(
    `OPTIONS /mcp HTTP/1.1\r\nHost: evil.example\r\n${origin}Connection: close\r\n\r\n`,
  );
  assert.match(await connection.closed, /^HTTP\/1.1 403 /);
});

Deno.test("bounds hold for pages, which read why they were refused", async () => {
  await using server = await serving({ limits: { requestsPerMinute: 2 } });
  const statuses: number[] = [];
  for (let count = 0; count < 3; count++) {
    const asked = await fetch(server.url, {
      method: "OPTIONS",
      headers: { origin: exact, ...preflight },
    });
    assert.equal(asked.status, 204);
    const response = await post(server.url, "tools/list", {}, { origin: exact });
    await response.body?.cancel();
    statuses.push(response.status);
    assert.equal(response.headers.get("access-control-allow-origin"), exact);
    if (response.status === 429) assert.equal(response.headers.get("retry-after"), "1");
  }
  assert.deepEqual(statuses, [200, 200, 429]);
});

Deno.test("preflights are bounded as other requests of one connection are", async () => {
  await using server = await serving({ limits: { pipelined: 8 } });
  const one = `OPTIONS /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nOrigin: ${exact}\r\n`;
  using flooding = await RawConnection.open(server.port);
  flooding.write(`${one}\r\n`.repeat(1000));
  assert.equal((await flooding.closed).split("HTTP/1.1 204").length <= 1000, true);
  using sending = await RawConnection.open(server.port);
  sending.write(`${one}Content-Length: 1000000\r\n\r\n`);
  assert.match(await sending.closed, /^HTTP\/1.1 204 [^]*connection: close/i);
  const response = await post(server.url, "tools/list", {}, { origin: exact });
  assert.equal(response.status, 200);
  await response.body?.cancel();
});
