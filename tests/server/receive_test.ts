import assert from "node:assert/strict";
import type { JSONRPCRequest } from "@modelcontextprotocol/server";
import { errorAnswer, Inbox, validateRequest } from "../../src/server/receive.ts";

const clientInfo = { name: "a", version: "1" };
const good = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
const claim = (version: unknown) => ({
  _meta: { "io.modelcontextprotocol/protocolVersion": version },
});

const cases: readonly [what: string, method: string, params: object, code: number | undefined][] = [
  ["a handshake", "initialize", good, undefined],
  ["a handshake of an unknown revision", "initialize", {
    ...good,
    protocolVersion: "2099-01-01",
  }, undefined],
  ["a handshake without params", "initialize", {}, -32602],
  ["a revision that is a number", "initialize", { ...good, protocolVersion: 3 }, -32602],
  ["capabilities that are a list", "initialize", { ...good, capabilities: [] }, -32602],
  ["a client without a version", "initialize", { ...good, clientInfo: { name: "a" } }, -32602],
  ["a claim of 2026-07-28", "tools/list", claim("2026-07-28"), undefined],
  ["a claim of an unknown revision", "tools/list", claim("2099-01-01"), -32022],
  ["a claim that is a number", "tools/call", claim(5), -32602],
  ["no claim", "tools/list", {}, undefined],
  ["arguments that are a text", "tools/call", { name: "a", arguments: "{}" }, -32602],
  ["arguments of a call", "tools/call", { name: "a", arguments: {} }, undefined],
];

for (const [what, method, params, code] of cases) {
  Deno.test(`validateRequest() of ${what}: ${code ?? "nothing wrong"}`, () => {
    const message = { jsonrpc: "2.0", id: 1, method, params } as JSONRPCRequest;
    assert.equal(validateRequest(message)?.code, code);
  });
}

Deno.test("Inbox refuses an id that is not exact by its own digits", () => {
  for (const id of ["1735689600123456789", "-9007199254740993"]) {
    const line = new TextEncoder().encode(`{"jsonrpc":"2.0","method":"ping","id": ${id} }`);
    const received = new Inbox(1000).receive(line);
    assert.ok("error" in received);
    assert.match(JSON.stringify(errorAnswer(received)), new RegExp(`"id":${id},"error"`));
  }
});
