/**
 * Connects a surface to the MCP SDK: the handlers of `tools/list` and `tools/call`, without cost before they are
 * called.
 *
 * Does not use the typed tools of the SDK: tools and schemas come from configs, and `call()` checks the arguments, the
 * same for every transport.
 */

import {
  type CallToolResult,
  CLIENT_INFO_META_KEY,
  type ContentBlock,
  type InputRequiredResult,
  McpServer,
  ProtocolError,
  ProtocolErrorCode,
  type RequestId,
  type ServerContext,
  SUPPORTED_PROTOCOL_VERSIONS,
  type Tool,
  TRACEPARENT_META_KEY,
  TRACESTATE_META_KEY,
} from "@modelcontextprotocol/server";
import { version } from "../process/version.ts";
import type { AskedCall, Elicitation } from "./elicitation.ts";
import type { StartCall } from "./_client.ts";
import { logSdkError } from "./_sdk_error.ts";
import type { Lifetime } from "./lifetime.ts";
import type { CallResult } from "../tool/result.ts";
import { envelopeRevision, tasksExtension } from "./request_validation.ts";
import type { Surface } from "./surface.ts";
import { begunTask, serveTasks } from "./tasks.ts";

/**
 * Supported protocol revisions: those that the SDK lists, and those with envelopes in each request, which it lists
 * elsewhere.
 */
export const protocolRevisions: readonly string[] = [
  envelopeRevision,
  ...SUPPORTED_PROTOCOL_VERSIONS,
];

/** The parent span of a request (W3C Trace Context). */
export interface TraceParent {
  readonly traceparent?: string;
  readonly tracestate?: string;
}

export interface Serving extends Pick<Lifetime, "stop" | "hurry" | "track"> {
  /** Awaited in front of each call; absent: calls never wait. */
  readonly mayStart?: (signal: AbortSignal) => Promise<void>;
  /** Called when a call has ended, even if its request was cancelled. */
  readonly finished?: (id: RequestId) => void;
  /** The authenticated client; what a client says of itself does not count. */
  readonly client?: string;
  /** Runs each call in a child span of its request; absent: no tracing. */
  readonly traced?: (
    name: string,
    parent: TraceParent,
    run: () => Promise<CallResult>,
  ) => Promise<CallResult>;
  /** Milliseconds that a client may cache the list of tools, since 2026-07-28. */
  readonly listTtlMs: number;
  readonly elicitation: Elicitation;
}

/** A server for `surface`. The SDK may need several for the same connection, so state across requests is in `serving`. */
export function createMcpServer(surface: Surface, serving: Serving): McpServer {
  const cacheHint = { ttlMs: serving.listTtlMs, cacheScope: "private" } as const;
  const mcp = new McpServer({ name: "climax", version }, {
    capabilities: {
      tools: { listChanged: true },
      ...(surface.hasJobs ? { extensions: { [tasksExtension]: {} } } : {}),
    },
    instructions: surface.instructions,
    cacheHints: { "tools/list": cacheHint, "server/discover": cacheHint },
  });
  const { server } = mcp;
  server.onerror = (error) => logSdkError("protocol", error);
  server.onclose = surface.onChange(() => {
    // No message can be sent before initialization or after the client has left
    server.sendToolListChanged().catch((error) => logSdkError("protocol", error));
  });
  server.setRequestHandler("tools/list", ({ params }) => {
    if (params?.cursor !== undefined) {
      const text = "Invalid params: no such cursor, the list of tools has one page";
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, text);
    }
    return { tools: surface.list() as Tool[] };
  });
  server.setRequestHandler("tools/call", async ({ params }, context) => {
    const { client } = serving;
    const asked = {
      name: params.name,
      args: params.arguments,
      context,
      mcp,
      ...(client === undefined ? {} : { client }),
    };
    const running = serving.elicitation.serve(asked, callOf(surface.call, serving, asked));
    serving.track(running);
    const result = await running.finally(() => serving.finished?.(context.mcpReq.id));
    if ("resultType" in result) return result as InputRequiredResult;
    return begunTask(result, context) ?? toolResult(result);
  });
  serveTasks(server, async (name, args, context) => {
    const asked = { name, args, context, mcp };
    const { signal } = context.mcpReq;
    return await callOf(surface.callTool, serving, asked)({ signal, onProgress: () => {} });
  }, toolResult);
  return mcp;
}

function toolResult({ content, structured, isError }: CallResult): CallToolResult {
  return {
    content: content as ContentBlock[],
    ...(structured === undefined ? {} : { structuredContent: structured }),
    isError,
  };
}

/** Returns the function that starts the call `asked`. */
function callOf(
  call: Surface["call"],
  serving: Serving,
  { name, args, context: { mcpReq, http }, mcp }: AskedCall,
): StartCall {
  const client = serving.client ?? clientName(mcpReq) ?? mcp.server.getClientVersion()?.name;
  return (hooks) => {
    const signal = AbortSignal.any([hooks.signal, serving.stop]);
    const run = () => {
      return call(name, args, {
        ...hooks,
        signal,
        forceSignal: serving.hurry,
        client,
        owner: serving.client,
        mayStart: () => serving.mayStart?.(signal),
      });
    };
    const running = serving.traced === undefined
      ? run()
      : serving.traced(name, traceParentOf(mcpReq, http?.req), run);
    // It may outlast its request
    serving.track(running);
    return running;
  };
}

/** The span of the request, or else that of its HTTP request. */
function traceParentOf({ _meta }: ServerContext["mcpReq"], req: Request | undefined): TraceParent {
  const own = _meta?.[TRACEPARENT_META_KEY];
  const from = typeof own === "string"
    ? { traceparent: own, tracestate: _meta?.[TRACESTATE_META_KEY] }
    : { traceparent: req?.headers.get("traceparent"), tracestate: req?.headers.get("tracestate") };
  const present = Object.entries(from).filter(([, value]) => typeof value === "string");
  return Object.fromEntries(present);
}

/** The client names itself in each request since 2026-07-28. */
function clientName({ envelope }: ServerContext["mcpReq"]): string | undefined {
  const info = (envelope as Record<string, unknown> | undefined)?.[CLIENT_INFO_META_KEY];
  const name = (info as { name?: unknown } | undefined)?.name;
  return typeof name === "string" ? name : undefined;
}
