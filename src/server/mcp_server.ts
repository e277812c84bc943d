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
  type InputRequiredResult,
  McpServer,
  type ServerContext,
  SUPPORTED_PROTOCOL_VERSIONS,
  type Tool,
} from "@modelcontextprotocol/server";
import { messageOf } from "../errors.ts";
import { log } from "../log.ts";
import { version } from "../process/version.ts";
import type { Asking } from "./asking.ts";
import type { Lifetime } from "./lifetime.ts";
import type { Surface } from "./surface.ts";

/**
 * Revisions of the protocol that are spoken: those the SDK lists, and those since per-request
 * envelopes, which it keeps apart.
 */
export const protocolRevisions: readonly string[] = ["2026-07-28", ...SUPPORTED_PROTOCOL_VERSIONS];

/** What a server has to know of how long it serves. */
export type CallLifetime = Pick<Lifetime, "stop" | "hurry" | "track">;

/**
 * A server that shows `surface`. The SDK may ask for more than one for the same connection, so what lasts
 * from one request to another is in `asking`.
 */
export function createMcpServer(
  surface: Surface,
  lifetime: CallLifetime,
  asking: Asking,
): McpServer {
  const mcp = new McpServer({ name: "climax", version }, {
    capabilities: { tools: { listChanged: true } },
    instructions: surface.instructions,
  });
  const { server } = mcp;
  server.onerror = (error) => log("debug", `protocol: ${messageOf(error)}`);
  const unlisten = surface.onChange(() => {
    // Before the client has said hello, or after it has gone, there is nobody to tell
    server.sendToolListChanged().catch((error) => log("debug", `protocol: ${messageOf(error)}`));
  });
  server.onclose = unlisten;
  server.setRequestHandler("tools/list", () => ({ tools: surface.list() as Tool[] }));
  server.setRequestHandler("tools/call", async ({ params }, context) => {
    const client = clientName(context.mcpReq) ?? server.getClientVersion()?.name;
    const request = { name: params.name, args: params.arguments, context, mcp };
    const result = await asking.serve(request, (hooks) => {
      const running = surface.call(params.name, params.arguments, {
        ...hooks,
        signal: AbortSignal.any([hooks.signal!, lifetime.stop]),
        hurry: lifetime.hurry,
        client,
      });
      lifetime.track(running);
      return running;
    });
    if ("resultType" in result) return result as InputRequiredResult;
    const { content, structured, isError } = result;
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
