/**
 * A surface behind the MCP SDK: the handlers of `tools/list` and `tools/call`, and nothing that
 * costs anything before they are called.
 *
 * The SDK's registry of typed tools is passed by: the tools and their schemas come from
 * configuration, and their arguments are checked by `call()`, the same for every way in.
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
 * Revisions of the protocol that are spoken: those the SDK lists, and those since per-request
 * envelopes, which it keeps apart.
 */
export const protocolRevisions: readonly string[] = [
  envelopeRevision,
  ...SUPPORTED_PROTOCOL_VERSIONS,
];

/** The span that a request belongs to (W3C, Trace Context). */
export interface TraceParent {
  readonly traceparent?: string;
  readonly tracestate?: string;
}

/** The connection that a server serves. */
export interface Serving extends Pick<Lifetime, "stop" | "hurry" | "track"> {
  /** Awaited before each call; absent where nothing is to be waited for. */
  readonly mayStart?: (signal: AbortSignal) => Promise<void>;
  /** Told when a call has ended, whether or not its request was cancelled. */
  readonly finished?: (id: RequestId) => void;
  /** The authenticated client; what a client says of itself does not count. */
  readonly client?: string;
  /** Runs each call below the span of its request; absent: no tracing. */
  readonly traced?: (
    name: string,
    parent: TraceParent,
    run: () => Promise<CallResult>,
  ) => Promise<CallResult>;
  /** Milliseconds that a client may go by the list of tools, since 2026-07-28. */
  readonly listTtlMs: number;
  /** Asks the person, and keeps the calls that wait for an answer. */
  readonly asking: Elicitation;
}

/**
 * A server that shows `surface`. The SDK may ask for more than one for the same connection, so what lasts
 * from one request to another is in `serving`.
 */
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
    // Before initialization and after the client has left, no message can be sent
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
    const running = serving.asking.serve(asked, callOf(surface.call, serving, asked));
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

/** A result as the protocol has it. */
function toolResult({ content, structured, isError }: CallResult): CallToolResult {
  return {
    content: content as ContentBlock[],
    ...(structured === undefined ? {} : { structuredContent: structured }),
    isError,
  };
}

/** How the call that `asked` is for is made, once what it may ask is known. */
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
    // It may outlast the request that it began with
    serving.track(running);
    return running;
  };
}

/** A request's own word before that of the HTTP request it came in. */
function traceParentOf({ _meta }: ServerContext["mcpReq"], req: Request | undefined): TraceParent {
  const own = _meta?.[TRACEPARENT_META_KEY];
  const from = typeof own === "string"
    ? { traceparent: own, tracestate: _meta?.[TRACESTATE_META_KEY] }
    : { traceparent: req?.headers.get("traceparent"), tracestate: req?.headers.get("tracestate") };
  const given = Object.entries(from).filter(([, value]) => typeof value === "string");
  return Object.fromEntries(given);
}

/** Returns the client of this request, which since 2026-07-28 each request names itself. */
function clientName({ envelope }: ServerContext["mcpReq"]): string | undefined {
  const info = (envelope as Record<string, unknown> | undefined)?.[CLIENT_INFO_META_KEY];
  const name = (info as { name?: unknown } | undefined)?.name;
  return typeof name === "string" ? name : undefined;
}
