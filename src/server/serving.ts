/** What serving gives to each request of a client, and the call that a request starts. */

import {
  CLIENT_INFO_META_KEY,
  type InputRequiredResult,
  type RequestId,
  type ServerContext,
  TRACEPARENT_META_KEY,
  TRACESTATE_META_KEY,
} from "@modelcontextprotocol/server";
import type { CallOptions } from "../call/pipeline.ts";
import type { CallResult } from "../tool/result.ts";
import type { CallTrace } from "../tool/runner.ts";
import type { AskedCall, ClientLogs, StartCall } from "./_client.ts";
import type { Elicitation } from "./elicitation.ts";
import type { Lifetime } from "./lifetime.ts";
import type { PlainCalls } from "./plain_calls.ts";
import { messageOf } from "../errors.ts";
import { log } from "../log.ts";

type CallByName = (name: string, args: unknown, options: CallOptions) => Promise<CallResult>;

/** The parent span of a request (W3C Trace Context). */
export interface TraceParent {
  readonly traceparent?: string;
  readonly tracestate?: string;
}

export interface Serving extends Pick<Lifetime, "stop" | "forceEnd" | "track"> {
  /** Awaited in front of each call; absent: calls never wait. */
  readonly mayStart?: (signal: AbortSignal) => Promise<void> | undefined;
  /** From `performance.now()`: every request that is here had been read by then. Absent: not known. */
  readonly readAt?: () => number;
  /** Called when a call has ended, even if its request was cancelled. */
  readonly finished?: (id: RequestId) => void;
  /** The authenticated client; what a client says of itself does not count. */
  readonly client?: string;
  /** See `identityKey()`. Absent without authentication. */
  readonly owner?: string;
  /** How clients are connected that only say who they are. @default "stdio" */
  readonly via?: "http";
  /** Runs each call in a child span of its request; absent: no tracing. */
  readonly traced?: (
    name: string,
    parent: TraceParent,
    run: (trace: CallTrace) => Promise<CallResult>,
  ) => Promise<CallResult>;
  /** Milliseconds that a client may cache the list of tools, since 2026-07-28. */
  readonly listTtlMs: number;
  readonly elicitation: Elicitation;
  /** The plain calls of requests that have a server of the SDK each. @default those of one server */
  readonly plain?: PlainCalls;
}

/** For one server of the SDK. */
export interface ClientServing extends Serving {
  readonly logs: ClientLogs;
}

/** Carries out the call `asked`, with its questions. */
export async function serveCall(
  call: CallByName,
  serving: Serving,
  asked: Omit<AskedCall, "client">,
): Promise<CallResult | InputRequiredResult> {
  const { owner: client, elicitation } = serving;
  const running = elicitation.serve({ ...asked, client }, callOf(call, serving, asked));
  serving.track(running);
  return await running.finally(() => serving.finished?.(asked.context.mcpReq.id));
}

/** Returns the function that starts the call `asked`. */
export function callOf(
  call: CallByName,
  serving: Serving,
  { name, args, context: { mcpReq, http }, mcp, arrivedAt }: Omit<AskedCall, "client">,
): StartCall {
  const client = serving.client ?? clientName(mcpReq) ?? mcp?.server.getClientVersion()?.name;
  return (hooks) => {
    const following = serving.stop.linkSignal(hooks.signal);
    const { signal } = following;
    const parent = traceParentOf(mcpReq, http?.req);
    const run = (trace = traceOf(parent)) => {
      return call(name, args, {
        ...hooks,
        trace,
        arrivedAt,
        signal,
        forceSignal: serving.forceEnd,
        client,
        owner: serving.owner,
        via: serving.via ?? "stdio",
        mayStart: () => serving.mayStart?.(signal),
      });
    };
    const called = serving.traced === undefined ? run() : serving.traced(name, parent, run);
    const running = called.finally(() => following.unfollow());
    // It may outlast its request
    serving.track(running);
    return running;
  };
}

/** The span of the request, or else that of its HTTP request. */
function traceParentOf({ _meta }: ServerContext["mcpReq"], req: Request | undefined): TraceParent {
  const own = _meta?.[TRACEPARENT_META_KEY];
  const [traceparent, tracestate] = typeof own === "string"
    ? [own, _meta?.[TRACESTATE_META_KEY]]
    : [req?.headers.get("traceparent"), req?.headers.get("tracestate")];
  return {
    ...(typeof traceparent === "string" ? { traceparent } : {}),
    ...(typeof tracestate === "string" ? { tracestate } : {}),
  };
}

/** The trace that a request belongs to (W3C Trace Context, section 3.2.2). */
function traceOf({ traceparent }: TraceParent): CallTrace | undefined {
  if (traceparent === undefined) return undefined;
  const [, traceId] = /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-/.exec(traceparent) ?? [];
  return traceId === undefined || /^0+$/.test(traceId) ? undefined : { traceId };
}

/** The client names itself in each request since 2026-07-28. */
function clientName({ envelope }: ServerContext["mcpReq"]): string | undefined {
  const info = (envelope as Record<string, unknown> | undefined)?.[CLIENT_INFO_META_KEY];
  const name = (info as { name?: unknown } | undefined)?.name;
  return typeof name === "string" ? name : undefined;
}

/** Omits what `error` may quote of a message: it may have secrets. */
export function logSdkError(where: string, error: unknown): void {
  log("debug", `${where}: ${messageOf(error).replace(/[{["'`][^]*$/, "…")}`);
}
