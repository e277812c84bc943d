/** Turns requests of clients into calls, and results of calls into answers. */

import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type ClientCapabilities,
  type ContentBlock,
  type InputRequiredResult,
  isInputRequiredResult,
  LOG_LEVEL_META_KEY,
  type McpServer,
  type RequestId,
  type ServerContext,
  TRACEPARENT_META_KEY,
  TRACESTATE_META_KEY,
} from "@modelcontextprotocol/server";
import type { Ticket } from "../call/call_queue.ts";
import type { CallOptions } from "../call/pipeline.ts";
import { messageOf } from "../errors.ts";
import { wellFormed } from "../files/json.ts";
import { isObject } from "../text/own_property.ts";
import { log } from "../log.ts";
import {
  type Answer,
  type Ask,
  type Caller,
  type CallTrace,
  isAsSevere,
  logSeverities,
  type LogSeverity,
} from "../tool/runner.ts";
import type { CallResult, JobView } from "../tool/result.ts";
import type { Lifetime } from "./lifetime.ts";

/** The first revision of MCP in which each request says its client and revision in an envelope (`_meta`). */
export const envelopeRevision = "2026-07-28";

export const tasksExtension = "io.modelcontextprotocol/tasks";

export interface TraceParent {
  readonly traceparent?: string;
  readonly tracestate?: string;
}

interface Asking {
  readonly person: object | undefined;
  ask(call: AskedCall, ...question: Parameters<Ask>): Promise<Answer>;
  serve(call: AskedCall, start: StartCall): Promise<CallResult | InputRequiredResult>;
}

export interface Serving extends Pick<Lifetime, "stop" | "forceEnd" | "track"> {
  /** Makes each call wait until its result fits into memory. @default no call waits */
  readonly mayStart?: (signal: AbortSignal) => Promise<void> | undefined;
  /** Returns when requests were last read (`performance.now()`); changes of configs before apply. @default unknown */
  readonly readAt?: () => number;
  /** Gives a call its turn in the order of the client's requests. @default calls are not ordered */
  readonly enter?: (id: RequestId) => Ticket;
  readonly finished?: (id: RequestId) => void;
  /** The name of the authenticated client, never a name that a client gives itself. */
  readonly client?: string;
  /** The key of the authenticated client, from `identityKey()`, under which its results are stored. */
  readonly owner?: string;
  /** Says in the logs how a client is connected. @default "stdio" */
  readonly via?: "http";
  readonly traced?: (
    name: string,
    parent: TraceParent,
    run: (trace: CallTrace) => Promise<CallResult>,
  ) => Promise<CallResult>;
  readonly listTtlMs: number;
  readonly elicitation: Asking;
}

export interface ClientServing extends Serving {
  readonly logs: ClientLogs;
}

export interface AskedCall extends Pick<CallOptions, "arrivedAt" | "ticket"> {
  readonly name: string;
  readonly args: unknown;
  readonly context: ServerContext;
  readonly mcp?: McpServer | undefined;
  readonly client?: string | undefined;
  readonly logs: ClientLogs;
}

interface CallHooks extends Caller {
  readonly signal: AbortSignal;
  readonly answer?: Answer | undefined;
}

export type StartCall = (hooks: CallHooks) => Promise<CallResult>;

type CallByName = (name: string, args: unknown, options: CallOptions) => Promise<CallResult>;

export async function serveCall(
  call: CallByName,
  serving: Serving,
  asked: Omit<AskedCall, "client">,
): Promise<CallResult | InputRequiredResult> {
  const { owner: client, elicitation } = serving;
  const { context, logs, mcp } = asked;
  const { id, envelope } = context.mcpReq;
  const start = callOf(call, serving, asked);
  const whole = { ...asked, client };
  const canAsk = capabilitiesOf(asked)?.elicitation !== undefined;
  const running = envelope !== undefined && (canAsk || context.mcpReq.requestState() !== undefined)
    ? elicitation.serve(whole, start)
    : start({
      signal: signalOf(context),
      onProgress: progressOf(context),
      ...logOf(context, logs),
      ask: canAsk ? (...question) => elicitation.ask(whole, ...question) : undefined,
      elicitationScope: elicitation.person ?? mcp ?? whole,
    });
  serving.track(running);
  return await running.finally(() => serving.finished?.(id));
}

/** Since 2026-07-28, each request has the capabilities of the client; before, the connection has them. */
export function capabilitiesOf(
  { context: { mcpReq: { envelope } }, mcp }: Pick<AskedCall, "context" | "mcp">,
): ClientCapabilities | undefined {
  if (envelope === undefined) return mcp?.server.getClientCapabilities();
  return (envelope as Record<string, unknown>)[CLIENT_CAPABILITIES_META_KEY] as
    | ClientCapabilities
    | undefined;
}

export type CallAnswer = CallToolResult | InputRequiredResult;

export type AnswerCall = (
  params: { readonly name: string; readonly arguments?: unknown },
  context: ServerContext,
) => Promise<CallAnswer>;

export function answerOf(
  surface: { readonly call: CallByName },
  serving: Serving,
  { logs, mcp }: Pick<AskedCall, "logs" | "mcp">,
): AnswerCall {
  return async ({ name, arguments: args }, context) => {
    const ticket = serving.enter?.(context.mcpReq.id);
    const asked = { name, args, context, mcp, logs, ticket, arrivedAt: serving.readAt?.() };
    const result = await serveCall(surface.call, serving, asked).finally(() => ticket?.leave());
    if (isInputRequiredResult(result)) return result;
    return (result.job && begunTask(result.job, context)) ??
      toolResult(result, context.mcpReq.envelope !== undefined);
  };
}

export function callOf(
  call: CallByName,
  serving: Serving,
  { name, args, context: { mcpReq, http }, mcp, arrivedAt, ticket }: Omit<AskedCall, "client">,
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
        ticket,
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
    // A call may run on after its request has ended, and serving must not end before the call
    serving.track(running);
    return running;
  };
}

/** Returns a result for a client. Clients of 2025 refuse structured content that is no object. */
export function toolResult(
  { content, structured, isError, meta }: CallResult,
  isModern = true,
): CallToolResult {
  return wellFormed({
    ...(meta === undefined ? {} : { _meta: meta }),
    content: content as ContentBlock[],
    ...(structured === undefined || !(isModern || isObject(structured))
      ? {}
      : { structuredContent: structured }),
    isError,
  });
}

function begunTask(job: JobView, context: ServerContext): CallToolResult | undefined {
  if (!knowsTasks(context)) return undefined;
  return { resultType: "task", ...taskOf(job), content: [] };
}

/** Milliseconds between two polls of a task, as suggested to clients. */
const pollIntervalMs = 2000;

const statuses = {
  running: "working",
  finished: "completed",
  cancelled: "cancelled",
  lost: "failed",
} as const;

export function taskOf({ id, state, beganMs, heardMs, untilMs, lastLine }: JobView) {
  const status = statuses[state];
  return {
    taskId: id,
    status,
    ...(lastLine === undefined ? {} : { statusMessage: lastLine }),
    createdAt: new Date(beganMs).toISOString(),
    lastUpdatedAt: new Date(heardMs).toISOString(),
    ttlMs: untilMs - beganMs,
    pollIntervalMs,
  };
}

export function knowsTasks(context: ServerContext): boolean {
  return capabilitiesOf({ context })?.extensions?.[tasksExtension] !== undefined;
}

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

function traceOf({ traceparent }: TraceParent): CallTrace | undefined {
  if (traceparent === undefined) return undefined;
  const [, traceId] = /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-/.exec(traceparent) ?? [];
  return traceId === undefined || /^0+$/.test(traceId) ? undefined : { traceId };
}

function clientName({ envelope }: ServerContext["mcpReq"]): string | undefined {
  const info = (envelope as Record<string, unknown> | undefined)?.[CLIENT_INFO_META_KEY];
  const name = (info as { name?: unknown } | undefined)?.name;
  return typeof name === "string" ? name : undefined;
}

/** Returns the signal of a request. Its reason says why the connection was closed, if that ended the request. */
export function signalOf({ mcpReq: { signal }, http }: ServerContext): AbortSignal {
  return http?.req === undefined ? signal : AbortSignal.any([http.req.signal, signal]);
}

export function progressOf({ mcpReq }: ServerContext): CallHooks["onProgress"] {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return undefined;
  return (event) => {
    const params = { progressToken, ...event };
    notify(mcpReq, { method: "notifications/progress", params });
  };
}

export function logOf(
  { mcpReq }: ServerContext,
  logs: ClientLogs,
): Pick<Caller, "onLog" | "logLevel"> {
  const envelope = mcpReq.envelope as Record<string, unknown> | undefined;
  const asked = logSeverities.find((level) => level === envelope?.[LOG_LEVEL_META_KEY]);
  if (envelope !== undefined && asked === undefined) return {};
  const least = () => asked ?? logs.level;
  return {
    logLevel: least(),
    onLog: (message) => {
      if (!isAsSevere(message.level, least())) return;
      notify(mcpReq, { method: "notifications/message", params: { ...message } });
    },
  };
}

/** Notifies the client of a request, unless it was cancelled: its id may belong to a new request by now. */
function notify(
  { signal, notify }: ServerContext["mcpReq"],
  notification: Parameters<ServerContext["mcpReq"]["notify"]>[0],
): void {
  if (!signal.aborted) notify(notification).catch(() => {});
}

/** The level of log messages that a client of 2025 has set; later clients send the level with each request. */
export interface ClientLogs {
  level: LogSeverity;
}

/** Logs an error of the SDK without the quoted parts of messages, which may have secrets. */
export function logSdkError(where: string, error: unknown): void {
  log("debug", `${where}: ${messageOf(error).replace(/[{["'`][^]*$/, "…")}`);
}
