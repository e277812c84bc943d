/** Small servers that say what they are told to, valid or not, and the official client of version 1 in front of climax. */

import { InMemoryTransport } from "@modelcontextprotocol/client";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { classicSurface } from "../../src/server/classic.ts";
import { createMcpServer } from "../../src/server/mcp_server.ts";
import type { Session } from "../../src/session/session.ts";
import { testServing } from "../server/_serving.ts";
import type { ServerSketch } from "../_upstream.ts";

/** A request as it came in. */
export interface Asked {
  readonly id: number;
  readonly method: string;
  readonly params: { readonly arguments?: Record<string, unknown>; readonly cursor?: unknown };
  readonly session: string | null;
}

/** Members of the answer beside `jsonrpc` and `id`, or the whole answer; nothing: the usual one. */
export type Say = (asked: Asked) => object | Response | undefined;

export const good = { name: "good", inputSchema: { type: "object" } };

/** Serves MCP of 2025 over HTTP. What `say` leaves open is answered as a server with one tool, `good`, would. */
export function fieldServer(say: Say): AsyncDisposable & { readonly sketch: ServerSketch } {
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, async (request) => {
    if (request.method !== "POST") return new Response(null, { status: 405 });
    const { id, method, params = {} } = await request.json();
    if (id === undefined) return new Response(null, { status: 202 });
    const session = request.headers.get("mcp-session-id");
    const said = say({ id, method, params, session }) ?? usual(method, params);
    if (said instanceof Response) return said;
    return Response.json({ jsonrpc: "2.0", id, ...said });
  });
  const url = `http://127.0.0.1:${server.addr.port}/mcp`;
  return {
    sketch: { name: "s", transport: "http", url },
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

function usual(method: string, { protocolVersion }: { protocolVersion?: string }): object {
  const serverInfo = { name: "field", version: "1" };
  switch (method) {
    case "initialize":
      return { result: { protocolVersion, capabilities: { tools: {} }, serverInfo } };
    case "tools/list":
      return { result: { tools: [good] } };
    case "tools/call":
      return { result: { content: [{ type: "text", text: "done" }] } };
    default:
      return { error: { code: -32601, message: "Method not found" } };
  }
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
