/** What a server may answer to the call of a tool, in either era. */

import assert from "node:assert/strict";
import { Client, type JSONRPCMessage, type Transport } from "@modelcontextprotocol/client";
import { readMessage } from "../../../src/sources/upstream/_read_message.ts";
import { callTool } from "../../../src/sources/upstream/_tool_calls.ts";

/** A server that answers each call with `result`. */
function answering(result: unknown): Transport {
  const transport: Transport = {
    start: () => Promise.resolve(),
    close: () => Promise.resolve(),
    send(message) {
      if (!("id" in message) || !("method" in message)) return Promise.resolve();
      const { id, params, method } = message;
      const handshake = {
        protocolVersion: (params as { protocolVersion?: string } | undefined)?.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: "test", version: "1" },
      };
      const answer = { jsonrpc: "2.0", id, result: method === "initialize" ? handshake : result };
      queueMicrotask(() => transport.onmessage?.(readMessage(answer) as JSONRPCMessage));
      return Promise.resolve();
    },
  };
  return transport;
}

const supportedVersions = ["2026-07-28"];
const discover = { supportedVersions, capabilities: { tools: {} }, resultType: "complete" };

async function answerOf(era: "legacy" | "modern", result: unknown): Promise<unknown> {
  const client = new Client({ name: "test", version: "1" });
  const meta = { "io.modelcontextprotocol/serverInfo": { name: "test", version: "1" } };
  const prior = era === "legacy"
    ? { kind: "legacy" as const }
    : { kind: "modern" as const, discover: { ...discover, _meta: meta } };
  await client.connect(answering(result), { prior } as Parameters<Client["connect"]>[1]);
  assert.equal(client.getProtocolEra(), era);
  const definition = { name: "x", inputSchema: { type: "object" } as const };
  const params = { arguments: {} };
  return await callTool({ client }, { definition, params }, { allowInputRequired: true });
}

const text = { type: "text", text: "hi" };

const accepted: readonly (readonly [what: string, result: object, answer: object])[] = [
  ["texts", { content: [text, text], isError: true }, { content: [text, text], isError: true }],
  ["nothing", { content: [] }, { content: [] }],
  [
    "an unknown key of a block, which goes",
    { content: [{ ...text, more: 1 }] },
    { content: [text] },
  ],
  [
    "an object beside its text",
    { content: [text], structuredContent: { a: 1 } },
    { content: [text], structuredContent: { a: 1 } },
  ],
  ["a list beside its text", { content: [text], structuredContent: [1] }, {
    content: [text],
    structuredContent: [1],
  }],
  ["a number as text", { content: [{ type: "text", text: 1 }] }, {
    content: [{ ...text, text: "1" }],
  }],
  ["an unknown type with a text", { content: [{ type: "smell", text: "hi" }] }, {
    content: [text],
  }],
  ["a word as isError", { content: [text], isError: "no" }, { content: [text], isError: false }],
];

for (const era of ["legacy", "modern"] as const) {
  const complete = era === "modern" ? { resultType: "complete" } : {};
  for (const [what, result, answer] of accepted) {
    Deno.test(`callTool() takes ${what} (${era})`, async () => {
      assert.deepEqual(await answerOf(era, { ...result, ...complete }), answer);
    });
  }
}
