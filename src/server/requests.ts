/** Connects the requests of clients with calls: what serving gives to each request, the call that it starts, and its answer. */

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
  type StandardSchemaV1,
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
  type Caller,
  type CallTrace,
  isAsSevere,
  logSeverities,
  type LogSeverity,
} from "../tool/runner.ts";
import type { CallResult, JobView } from "../tool/result.ts";
import type { Lifetime } from "./lifetime.ts";

/** The first revision with an envelope in each request. */
export const envelopeRevision = "2026-07-28";

/** The name of the tasks extension. */
export const tasksExtension = "io.modelcontextprotocol/tasks";

/** The parent span of a request (W3C Trace Context). */
export interface TraceParent {
  readonly traceparent?: string;
  readonly tracestate?: string;
}

/** Asks the person behind a call, in the way of the client's revision. */
interface Asking {
  /** Runs a call, or resumes one that waits for the answer in `call`. */
  serve(call: AskedCall, start: StartCall): Promise<CallResult | InputRequiredResult>;
}

export interface Serving extends Pick<Lifetime, "stop" | "forceEnd" | "track"> {
  /** Each call awaits this before it runs; absent if calls never wait. */
  readonly mayStart?: (signal: AbortSignal) => Promise<void> | undefined;
  /** Returns a time from `performance.now()` before which all requests were read; absent if it is not known. */
  readonly readAt?: () => number;
  /** Takes the place of a call; absent if calls keep no order. */
  readonly enter?: (id: RequestId) => Ticket;
  /** Called when a call has ended, even if its request was cancelled. */
  readonly finished?: (id: RequestId) => void;
  /** The authenticated client; a name that a client gives itself does not count. */
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
  readonly elicitation: Asking;
}

/** Serving for one server of the SDK. */
export interface ClientServing extends Serving {
  readonly logs: ClientLogs;
}

/** A `tools/call` and its request. */
export interface AskedCall extends Pick<CallOptions, "arrivedAt" | "ticket"> {
  readonly name: string;
  readonly args: unknown;
  readonly context: ServerContext;
  /** Absent for a client that has not introduced itself. */
  readonly mcp?: McpServer | undefined;
  /** The authenticated client; answers of others do not count. */
  readonly client?: string | undefined;
  readonly logs: ClientLogs;
}

/** The client of one request, with the answer that it sent. */
export interface CallHooks extends Caller {
  readonly signal: AbortSignal;
  /** The answer with which the call comes again. */
  readonly answer?: Answer | undefined;
}

export type StartCall = (hooks: CallHooks) => Promise<CallResult>;

type CallByName = (name: string, args: unknown, options: CallOptions) => Promise<CallResult>;

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

/** The answer to a `tools/call`. */
export type CallAnswer = CallToolResult | InputRequiredResult;

/** Carries out a call for the SDK, or beside it. */
export type AnswerCall = (
  params: { readonly name: string; readonly arguments?: unknown },
  context: ServerContext,
) => Promise<CallAnswer>;

/** Returns the function that carries out the calls of one client. */
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

/** Returns the function that starts the call `asked`. */
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
    // The call may outlast its request
    serving.track(running);
    return running;
  };
}

/** A client of 2025 refuses a result whose structured content is no object. */
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

/** Returns the task of a call that became `job`, if the client supports tasks. */
function begunTask(job: JobView, context: ServerContext): CallToolResult | undefined {
  if (!knowsTasks(context)) return undefined;
  // The SDK does not accept a response to a call without content
  return { resultType: "task", ...taskOf(job), content: [] };
}

/** Suggested milliseconds between two polls. */
const pollIntervalMs = 2000;

const statuses = {
  running: "working",
  finished: "completed",
  cancelled: "cancelled",
  lost: "failed",
} as const;

/** Returns `job` as a task of the protocol. */
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

/** Returns whether the client of a request supports tasks. */
export function knowsTasks({ mcpReq: { envelope } }: ServerContext): boolean {
  const capabilities = (envelope as Record<string, unknown> | undefined)
    ?.[CLIENT_CAPABILITIES_META_KEY] as ClientCapabilities | undefined;
  return capabilities?.extensions?.[tasksExtension] !== undefined;
}

/** Returns the span of the request, or else that of its HTTP request. */
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

/** Returns the trace that a request belongs to (W3C Trace Context, section 3.2.2). */
function traceOf({ traceparent }: TraceParent): CallTrace | undefined {
  if (traceparent === undefined) return undefined;
  const [, traceId] = /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-/.exec(traceparent) ?? [];
  return traceId === undefined || /^0+$/.test(traceId) ? undefined : { traceId };
}

/** Returns the name that the client has given itself in the request, as each does since 2026-07-28. */
function clientName({ envelope }: ServerContext["mcpReq"]): string | undefined {
  const info = (envelope as Record<string, unknown> | undefined)?.[CLIENT_INFO_META_KEY];
  const name = (info as { name?: unknown } | undefined)?.name;
  return typeof name === "string" ? name : undefined;
}

/** Returns why a request was cancelled: what closed its connection, if that was it. */
export function abortReason({ mcpReq: { signal }, http }: ServerContext): unknown {
  const connection = http?.req?.signal;
  return connection?.aborted ? connection.reason : signal.reason;
}

/** Sends progress to a client that has asked for it with a progress token. */
export function progressOf({ mcpReq }: ServerContext): CallHooks["onProgress"] {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return undefined;
  return (event) => {
    const params = { progressToken, ...event };
    notify(mcpReq, { method: "notifications/progress", params });
  };
}

/** Sends log messages of a server to the client of the request; one of 2025 has set its level in `logs`. */
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

/** Notifies the client of a request, unless that was cancelled: another request may have its id by now. */
function notify(
  { signal, notify }: ServerContext["mcpReq"],
  notification: Parameters<ServerContext["mcpReq"]["notify"]>[0],
): void {
  // The client may have disconnected
  if (!signal.aborted) notify(notification).catch(() => {});
}

/** The least severe log messages that a client of 2025 wants, which it may change; others say it in each request. */
export interface ClientLogs {
  level: LogSeverity;
}

/** Makes a schema of the parameters that `read` takes. A schema library would take longer to load. */
export function paramsOf<Params>(
  read: (value: unknown) => Params | undefined,
  message: string,
): StandardSchemaV1<unknown, Params> {
  return {
    "~standard": {
      version: 1,
      vendor: "climax",
      validate(value) {
        const params = read(value);
        return params === undefined ? { issues: [{ message }] } : { value: params };
      },
    },
  };
}

/** Logs an error of the SDK without what it may quote of a message, which may have secrets. */
export function logSdkError(where: string, error: unknown): void {
  log("debug", `${where}: ${messageOf(error).replace(/[{["'`][^]*$/, "…")}`);
}
