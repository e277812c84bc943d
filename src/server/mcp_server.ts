/**
 * A surface behind the MCP SDK: the handlers of `tools/list` and `tools/call`, and nothing that
 * costs anything before they are called.
 *
 * The SDK's registry of typed tools is passed by: the tools and their schemas come from
 * configuration, and their arguments are checked by `call()`, the same for every way in.
 */

import { McpServer, type Tool } from "@modelcontextprotocol/server";
import { messageOf } from "../errors.ts";
import { log } from "../log.ts";
import { version } from "../version.ts";
import type { Surface } from "./surface.ts";

/** Settings of {@linkcode createMcpServer}. */
export interface McpServerSettings {
  /** Ends every call when it aborts. */
  readonly signal: AbortSignal;
  /** Told of each call, so that the end of serving can wait for it. */
  readonly track: (running: Promise<unknown>) => void;
}

/** A server that shows `surface`. The SDK may ask for more than one for the same connection. */
export function createMcpServer(surface: Surface, settings: McpServerSettings): McpServer {
  const mcp = new McpServer({ name: "climax", version }, {
    capabilities: { tools: {} },
    instructions: surface.instructions,
  });
  const { server } = mcp;
  server.onerror = (error) => log("debug", `protocol: ${messageOf(error)}`);
  server.setRequestHandler("tools/list", () => ({ tools: surface.list() as Tool[] }));
  server.setRequestHandler("tools/call", async ({ params }, { mcpReq }) => {
    const signal = AbortSignal.any([mcpReq.signal, settings.signal]);
    const running = surface.call(params.name, params.arguments, { signal });
    settings.track(running);
    const { text, isError } = await running;
    return { content: [{ type: "text", text }], isError };
  });
  return mcp;
}
