/**
 * A page in a real browser as a client of `climax run --http --allow-origin`: what a page of that origin can do, and that
 * all others read nothing. `deno task ui-test` runs it; it needs Debian's Chromium, or another at CHROMIUM.
 */

import assert from "node:assert/strict";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { startHttpProcess } from "../tests/e2e/_http.ts";
import { scratch } from "../tests/e2e/_scratch.ts";
import { newToken } from "../tests/e2e/_token.ts";
import { freePort } from "../tests/_free_port.ts";
import { configText, featured } from "../tests/_upstream.ts";
import { envelope } from "../tests/server/http/_server.ts";
import { startBrowser } from "./_browser.ts";

/** Returns what a page reads of an answer, or the error of its `fetch`. */
interface Read {
  readonly status?: number;
  readonly text?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly error?: string;
}

/** Sends a request from the page. */
async function fetchFrom(page: Pick<Page, "evaluate">, url: string, init: object): Promise<Read> {
  const code = `(async () => {
    try {
      const response = await fetch(${JSON.stringify(url)}, ${JSON.stringify(init)});
      const { status, headers } = response;
      return { status, headers: Object.fromEntries(headers), text: await response.text() };
    } catch (error) {
      return { error: String(error) };
    }
  })()`;
  return await page.evaluate(code) as Read;
}

function message(method: string, params: object, headers: object = {}): object {
  const { name } = params as { readonly name?: string };
  return {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...headers,
      ...name === undefined ? {} : { "mcp-name": name },
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  };
}

const modern = { "mcp-protocol-version": "2026-07-28" };
const hello = {
  protocolVersion: "2025-11-25",
  capabilities: {},
  clientInfo: { name: "page", version: "1" },
};

Deno.test("a page of an allowed origin is a client, and no other page reads anything", async () => {
  await using dir = await scratch();
  const html = { headers: { "content-type": "text/html" } };
  const pages = [0, 1].map(() => {
    const serve = () => new Response("<title>page</title>", html);
    return Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, serve);
  });
  const [own, other] = pages.map(({ addr }) => `http://127.0.0.1:${addr.port}`) as [string, string];
  // A server with resources, for which clients of 2025 begin sessions
  const servers = join(dir.path, "servers.json");
  await Deno.writeTextFile(servers, configText([featured("note")]));
  const config = join(dir.path, "demo.yaml");
  const tool = { name: "count", description: "Counts", command: "seq 3", args: [] };
  await Deno.writeTextFile(config, JSON.stringify({ name: "demo", command: "", tools: [tool] }));
  const tokens = join(dir.path, "tokens");
  const authorization = `Bearer ${await newToken(tokens, "ada")}`;
  const http = ["--http", String(freePort()), "--client-rate", "8"];
  await using server = startHttpProcess([
    config,
    "--mcp",
    servers,
    ...http,
    "--tokens",
    tokens,
    "--allow-origin",
    own,
  ]);
  const url = await server.url();
  const browser = await startBrowser();
  try {
    const page = await browser.newPage();
    await page.goto(own);
    const say = (method: string, params: object, headers: object = {}) => {
      return fetchFrom(page, url, message(method, params, { authorization, ...headers }));
    };
    const stranger = await fetchFrom(page, url, message("tools/list", {}));
    assert.equal(stranger.status, 401, stranger.error);
    assert.equal(stranger.headers?.["www-authenticate"], "Bearer");

    const _meta = { ...envelope, progressToken: 1 };
    const call = { name: "climax_call", arguments: { tool_name: "count", args: {} }, _meta };
    const parameter = { "mcp-param-region": "eu", "traceparent": "00-1-1-00" };
    const called = await say("tools/call", call, {
      ...modern,
      ...parameter,
      "mcp-method": "tools/call",
    });
    assert.equal(called.status, 200, called.error);
    assert.match(called.text!, /1\\n2\\n3/);

    const begun = await say("initialize", hello);
    const session = begun.headers?.["mcp-session-id"];
    assert.match(session ?? "", /^[\w-]{36}$/, JSON.stringify(begun));
    const within = { "mcp-session-id": session, "mcp-protocol-version": "2025-11-25" };
    const listed = await say("tools/list", {}, within);
    assert.match(listed.text!, /climax_search/);
    const ended = { method: "DELETE", headers: { authorization, ...within, "last-event-id": "1" } };
    assert.equal((await fetchFrom(page, url, ended)).status, 200);

    const foreign = await browser.newPage();
    await foreign.goto(other);
    const sandboxed = await page.evaluate(`new Promise((resolve) => {
      addEventListener("message", ({ data, origin }) => resolve({ data, origin }));
      const frame = document.createElement("iframe");
      frame.sandbox = "allow-scripts";
      frame.srcdoc = "<script>fetch(" + ${JSON.stringify(JSON.stringify(url))} +
        ", { headers: { authorization: 'x' } }).then(() => 'read', String)" +
        ".then((text) => parent.postMessage(text, '*'))</" + "script>";
      document.body.append(frame);
    })`) as { data: string; origin: string };
    assert.deepEqual(sandboxed, { data: "TypeError: Failed to fetch", origin: "null" });
    const kinds = [
      message("tools/list", {}, { authorization }),
      { method: "GET" },
      { method: "POST", body: "{}" },
      { method: "DELETE", headers: { authorization } },
    ];
    for (const init of kinds) {
      const read = await fetchFrom(foreign, url, init);
      assert.deepEqual(read, { error: "TypeError: Failed to fetch" });
    }
    for (const path of ["/healthz", "/mcp/p/none", "/.well-known/oauth-protected-resource"]) {
      const read = await fetchFrom(foreign, new URL(path, url).href, {});
      assert.deepEqual(read, { error: "TypeError: Failed to fetch" }, path);
    }

    let last = await say("tools/list", {});
    for (let count = 0; last.status !== 429 && count < 10; count++) {
      last = await say("tools/list", {});
    }
    assert.deepEqual([last.status, last.headers?.["retry-after"]], [429, "1"], last.error);
  } finally {
    await browser.close();
    await Promise.all(pages.map((each) => each.shutdown()));
  }
});
