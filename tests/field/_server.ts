/** Small servers that say what they are told to, valid or not, and the official client of version 1 in front of climax. */

import { InMemoryTransport } from "@modelcontextprotocol/client";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { classicSurface } from "../../src/server/surface.ts";
import { createMcpServer } from "../../src/server/mcp_server.ts";
import type { Session } from "../../src/session/session.ts";
import { testServing } from "../server/_serving.ts";
import { type FarRequest, farServer } from "../sources/upstream/_far.ts";
import type { ServerSketch } from "../_upstream.ts";

/** Members of the answer beside `jsonrpc` and `id`, or the whole answer; nothing: the usual one. */
export type Say = (asked: FarRequest) => object | Response | undefined;

export const good = { name: "good", inputSchema: { type: "object" } };

const usual: Readonly<Record<string, object>> = {
  "tools/list": { result: { tools: [good] } },
  "tools/call": { result: { content: [{ type: "text", text: "done" }] } },
};

/** Serves MCP of 2025 over HTTP. What `say` leaves open is answered as a server with one tool, `good`, would. */
export function fieldServer(say: Say, options: Parameters<typeof farServer>[1] = {}) {
  const far = farServer((asked) => {
    const { id, method } = asked;
    const said = id === undefined ? undefined : say(asked) ?? usual[method];
    if (said === undefined || said instanceof Response) return said;
    return Response.json({ jsonrpc: "2.0", id, ...said });
  }, options);
  const sketch: ServerSketch = { name: "s", transport: "http", url: far.url };
  return { sketch, [Symbol.asyncDispose]: () => far[Symbol.asyncDispose]() };
}

/** Joins the official client of version 1 to `session` in classic mode; it refuses what is not valid. */
export async function strictClient(session: Session) {
  const [clientSide, transport] = InMemoryTransport.createLinkedPair();
  const surface = classicSurface(session);
  const handle = serveStdio(() => createMcpServer(surface, testServing()), { transport });
  const client = new Client({ name: "strict", version: "1" });
  await client.connect(clientSide as unknown as Parameters<Client["connect"]>[0]);
  return Object.assign(client, {
    async [Symbol.asyncDispose]() {
      await client.close();
      await handle.close();
    },
  });
}
