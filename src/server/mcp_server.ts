/**
 * A surface behind the MCP SDK: the handlers of `tools/list` and `tools/call`, and nothing that
 * costs anything before they are called.
 *
 * The SDK's registry of typed tools is passed by: the tools and their schemas come from
 * configuration, and their arguments are checked by `call()`, the same for every way in.
 */

import {
  CLIENT_INFO_META_KEY,
  type ContentBlock,
  McpServer,
  type ServerContext,
  SUPPORTED_PROTOCOL_VERSIONS,
  type Tool,
} from "@modelcontextprotocol/server";
import { messageOf } from "../errors.ts";
import { log } from "../log.ts";
import { version } from "../process/version.ts";
import type { ProgressEvent } from "../tool/runner.ts";
import type { Lifetime } from "./lifetime.ts";
import type { Surface } from "./surface.ts";

/**
 * Revisions of the protocol that are spoken: those the SDK lists, and those since per-request
 * envelopes, which it keeps apart.
 */
export const protocolRevisions: readonly string[] = ["2026-07-28", ...SUPPORTED_PROTOCOL_VERSIONS];

/** What a server has to know of how long it serves. */
export type CallLifetime = Pick<Lifetime, "stop" | "hurry" | "track">;

/** A server that shows `surface`. The SDK may ask for more than one for the same connection. */
export function createMcpServer(surface: Surface, lifetime: CallLifetime): McpServer {
  const mcp = new McpServer({ name: "climax", version }, {
    // The catalogue is what it was at the start
    capabilities: { tools: { listChanged: false } },
    instructions: surface.instructions,
  });
  const { server } = mcp;
  server.onerror = (error) => log("debug", `protocol: ${messageOf(error)}`);
  server.setRequestHandler("tools/list", () => ({ tools: surface.list() as Tool[] }));
  server.setRequestHandler("tools/call", async ({ params }, { mcpReq }) => {
    const signal = AbortSignal.any([mcpReq.signal, lifetime.stop]);
    const running = surface.call(params.name, params.arguments, {
      signal,
      hurry: lifetime.hurry,
      client: clientName(mcpReq) ?? server.getClientVersion()?.name,
      onProgress: progressFor(mcpReq),
    });
    lifetime.track(running);
    const { content, structured, isError } = await running;
    return {
      content: content as ContentBlock[],
      ...(structured === undefined ? {} : { structuredContent: structured }),
      isError,
    };
  });
  return mcp;
}

/** Who sends this request, which since 2026-07-28 each request says for itself. */
function clientName({ envelope }: ServerContext["mcpReq"]): string | undefined {
  const info = (envelope as Record<string, unknown> | undefined)?.[CLIENT_INFO_META_KEY];
  const name = (info as { name?: unknown } | undefined)?.name;
  return typeof name === "string" ? name : undefined;
}

/** Reports to the client that asked for it with a progress token; nothing for the others. */
function progressFor(
  mcpReq: ServerContext["mcpReq"],
): ((event: ProgressEvent) => void) | undefined {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return undefined;
  return (event) => {
    const params = { progressToken, ...event };
    mcpReq.notify({ method: "notifications/progress", params }).catch((error) => {
      log("debug", `progress: ${messageOf(error)}`);
    });
  };
}
