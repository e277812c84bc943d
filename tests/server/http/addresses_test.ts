import assert from "node:assert/strict";
import type { IncomingMessage } from "node:http";
import { anyone } from "../../../src/server/http/client.ts";
import { route } from "../../../src/server/http/route.ts";
import { nameCheck } from "../../../src/server/http/addresses.ts";

const local = ["localhost:80", "127.0.0.1:80", "[::1]:80"];

/** Addresses to listen on, and the hosts of requests that are answered there. */
const answered: readonly (readonly [listening: string, hosts: readonly string[]])[] = [
  ["127.0.0.1", local],
  ["::1", local],
  ["0.0.0.0", [...local, "0.0.0.0:80"]],
  ["::", [...local, "[::]:80"]],
  ["10.1.2.3", ["10.1.2.3:80"]],
];

for (const [listening, hosts] of answered) {
  Deno.test(`nameCheck() at ${listening} answers its own names and those that are given`, () => {
    const check = nameCheck({ host: listening, port: 80 }, { hosts: ["given"], origins: [] });
    for (const host of [...hosts, "given"]) assert.equal(check(host, undefined), undefined, host);
    const others = ["10.9.9.9:80", "evil.example", ...local].filter((host) =>
      !hosts.includes(host)
    );
    for (const host of others) assert.match(check(host, undefined) ?? "", /--allow-host/, host);
  });
}

Deno.test("nameCheck() takes a host as it is written", () => {
  const check = nameCheck({ host: "127.0.0.1", port: 80 }, { hosts: ["Given"], origins: [] });
  for (const host of ["LOCALHOST", "localhost:8080", "[::1]", "given:1", "GIVEN"]) {
    assert.equal(check(host, undefined), undefined, host);
  }
  const others = [
    ...["user:pw@127.0.0.1", "127.0.0.1/evil", "127.1", "0x7f000001", "2130706433", "127.0.0.1:x"],
    ...["127.0.0.1?x", "127.0.0.1#x", "127.0.0.1 ", "[::1]x", "[::ffff:127.0.0.1]", "localhost:"],
    ...["127.0.0.1\\@evil", "１２７.0.0.1", "%6cocalhost"],
  ];
  for (const host of others) assert.match(check(host, undefined) ?? "", /--allow-host/, host);
});

Deno.test("nameCheck() answers pages of this machine only where no other reaches it", () => {
  const ask = (host: string, origin: string) => {
    return nameCheck({ host, port: 80 }, { hosts: [], origins: [] })("127.0.0.1:80", origin);
  };
  assert.equal(ask("127.0.0.1", "http://localhost:3000"), undefined);
  assert.match(ask("0.0.0.0", "http://localhost:3000") ?? "", /--allow-origin/);
  assert.match(ask("127.0.0.1", "http://evil.example") ?? "", /--allow-origin/);
});

Deno.test("nameCheck() allows hosts and origins by themselves, each time, and names what it refuses", () => {
  const origins = ["app.example", "https://exact.example:8443"];
  const check = nameCheck({ host: "127.0.0.1", port: 80 }, { hosts: ["given"], origins });
  const rows: readonly [host: string | undefined, origin: string | undefined, said?: string][] = [
    [undefined, undefined, "Requests for the host '' are not answered"],
    ["given", undefined],
    // What was allowed last says nothing of another
    ["evil.example", undefined, "Requests for the host 'evil.example' are not answered"],
    [undefined, undefined, "Requests for the host '' are not answered"],
    ["given", "https://app.example:1"],
    ["given", "https://exact.example:8443"],
    ["given", "https://exact.example", "'https://exact.example' are not answered: --allow-origin"],
    ["given", "null", "Requests from pages of 'null' are not answered"],
    ["evil.example", "https://app.example", "Requests for the host 'evil.example'"],
  ];
  for (const [host, origin, said = ""] of rows) {
    const reason = check(host, origin);
    assert.equal(reason === undefined, said === "", reason);
    assert.ok(reason === undefined || reason.includes(said), reason);
    if (origin === "null") assert.ok(!reason!.includes("--allow-origin"));
  }
});

const ready = { isReady: () => true, checkNames: () => undefined, authenticator: anyone };
const at = (url: string) => ({ url, headers: {}, rawHeaders: [] }) as unknown as IncomingMessage;
const store = (condition: string) => ({ state: { store: { condition } } }) as object;

const routes: readonly [url: string, options: object, status: number | undefined, said?: string][] =
  [
    ["/healthz", { isReady: () => false }, 200, "alive"],
    ["/readyz", {}, 200, "ready"],
    ["/readyz?x", store("up"), 200, "ready"],
    ["/readyz", store("down"), 200, "ready, the shared store is down"],
    ["/readyz", { isReady: () => false }, 503, "ending"],
    ["/mcp", { checkNames: () => "no" }, 403, "no"],
    ["/mcp", {}, undefined],
    ["/mcp?a=b", {}, undefined],
    ["/mcp/", {}, 404, "Not found: MCP is served at /mcp"],
    ["/mcp/p/a", {}, 404, "Not found: MCP is served at /mcp"],
    ["/mcp/p/a", { paths: { profiles: true } }, undefined],
    ["/mcp", { paths: { plain: false, profiles: true } }, 404, "MCP is served at /mcp/p/NAME"],
    ["/x", { paths: { profiles: true } }, 404, "MCP is served at /mcp and /mcp/p/NAME"],
    ["/messages", {}, 404, "MCP is served at /mcp, by Streamable HTTP"],
  ];

for (const [url, options, status, said = ""] of routes) {
  Deno.test(`route() of ${url} with ${Object.keys(options)} answers ${status}`, () => {
    const reply = route(at(url), { ...ready, ...options });
    assert.equal(reply?.status, status);
    const body = reply?.body ?? "";
    assert.ok(status === 200 ? body === `${said}\n` : body.includes(said), body);
  });
}

Deno.test("route() refuses several hosts, and answers preflights and requests for metadata", () => {
  const statusOf = (req: object, options: object = {}) => {
    return route({ ...at("/mcp"), ...req } as IncomingMessage, { ...ready, ...options })?.status;
  };
  assert.equal(statusOf({ rawHeaders: ["Host", "host", "X", "host"] }), undefined);
  assert.equal(statusOf({ rawHeaders: ["Host", "a", "X", "b", "host", "a"] }), 400);
  const preflight = { method: "OPTIONS", headers: { origin: "https://a" } };
  assert.equal(statusOf(preflight), 403);
  assert.equal(statusOf(preflight, { mayRead: () => true }), 204);
  const metadata = () => ({ status: 200 });
  assert.equal(statusOf({}, { authenticator: { ...anyone, metadata } }), 200);
});
