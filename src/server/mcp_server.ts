/** Connects a surface to the MCP SDK. Does not use its typed tools: `call()` checks all arguments itself. */

import {
  type CallToolResult,
  type ContentBlock,
  isInputRequiredResult,
  McpServer,
  ProtocolError,
  ProtocolErrorCode,
  type ServerOptions,
  SUPPORTED_PROTOCOL_VERSIONS,
  type Tool,
} from "@modelcontextprotocol/server";
import { version } from "../process/version.ts";
import { callOf, logSdkError, serveCall, type Serving } from "./serving.ts";
import type { CallResult } from "../tool/result.ts";
import { ClientLogs } from "./_client.ts";
import { envelopeRevision, tasksExtension } from "./request_validation.ts";
import type { ConnectionKind, Surface } from "./surface.ts";
import { begunTask, serveTasks } from "./tasks.ts";

/** The protocol revisions that the SDK lists, and those with envelopes, which it lists elsewhere. */
export const protocolRevisions: readonly string[] = [
  envelopeRevision,
  ...SUPPORTED_PROTOCOL_VERSIONS,
];

/** A server for `surface`. The SDK may need several for the same connection, so state across requests is in `serving`. */
export function createMcpServer(
  surface: Surface,
  serving: Serving,
  connection: ConnectionKind = "request",
): McpServer {
  const mcp = new McpServer(
    { name: "climax", version },
    serverOptions(surface, serving, connection),
  );
  const { server } = mcp;
  const logs = new ClientLogs();
  server.onerror = (error) => logSdkError("protocol", error);
  const stop = surface.onChange(() => {
    // No message can be sent before initialization or after the client has left
    server.sendToolListChanged().catch((error) => logSdkError("protocol", error));
  });
  const stopFeatures = surface.features?.serve(surface, mcp, { ...serving, logs, connection });
  server.onclose = () => {
    stop();
    stopFeatures?.();
  };
  server.setRequestHandler("tools/list", ({ params }) => {
    if (params?.cursor !== undefined) {
      const text = "Invalid params: no such cursor, the list of tools has one page";
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, text);
    }
    return { tools: surface.list() as Tool[] };
  });
  server.setRequestHandler("tools/call", async ({ params: { name, arguments: args } }, context) => {
    const asked = { name, args, context, mcp, logs, arrivedAt: serving.readAt?.() };
    const result = await serveCall(surface.call, serving, asked);
    if (isInputRequiredResult(result)) return result;
    return (result.job && begunTask(result.job, context)) ?? toolResult(result);
  });
  serveTasks(server, async (name, args, context) => {
    const asked = { name, args, context, mcp, logs };
    const { signal } = context.mcpReq;
    return await callOf(surface.callTool, serving, asked)({ signal });
  }, toolResult);
  return mcp;
}

function serverOptions(
  { features, hasJobs, instructions }: Surface,
  { listTtlMs }: Serving,
  connection: ConnectionKind,
): ServerOptions {
  const cacheHint = { ttlMs: listTtlMs, cacheScope: "private" } as const;
  // Those of MCP servers change at any time, and only clients that listen hear of it
  const featureHint = { ...cacheHint, ttlMs: 0 };
  const capabilities = features?.capabilities(connection);
  const extensions = { ...capabilities?.extensions, ...(hasJobs ? { [tasksExtension]: {} } : {}) };
  return {
    capabilities: {
      tools: { listChanged: true },
      ...capabilities,
      ...(Object.keys(extensions).length > 0 ? { extensions } : {}),
    },
    instructions,
    cacheHints: {
      "tools/list": cacheHint,
      "prompts/list": featureHint,
      "resources/list": featureHint,
      "resources/templates/list": featureHint,
      "server/discover": cacheHint,
    },
  };
}

function toolResult({ content, structured, isError, meta }: CallResult): CallToolResult {
  return {
    ...(meta === undefined ? {} : { _meta: meta }),
    content: content as ContentBlock[],
    ...(structured === undefined ? {} : { structuredContent: structured }),
    isError,
  };
}
