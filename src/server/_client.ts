/** The client of a call, in either era of the protocol: what it can be asked, and what it wants to be told. */

import {
  type ClientCapabilities,
  LOG_LEVEL_META_KEY,
  type McpServer,
  type ServerContext,
} from "@modelcontextprotocol/server";
import {
  isAsSevere,
  type LogListener,
  logSeverities,
  type LogSeverity,
  sentUnasked,
} from "../tool/log_message.ts";
import type { CallResult } from "../tool/result.ts";
import type { Answer, Caller, Question } from "../tool/runner.ts";
import type { CallOptions } from "../call/pipeline.ts";

/** Milliseconds to answer a question: ten minutes. */
export const answerMs = 10 * 60 * 1000;

/** The client of one request, with the answer that it sent. */
export interface CallHooks extends Caller {
  readonly signal: AbortSignal;
  /** The answer with which the call comes again. */
  readonly answer?: Answer | undefined;
}

export type StartCall = (hooks: CallHooks) => Promise<CallResult>;

/** Returns why this client cannot ask its user this question, if it cannot. */
export function whyNot(
  { mode }: Question,
  capabilities: ClientCapabilities | undefined,
): string | undefined {
  const elicitation = capabilities?.elicitation;
  if (elicitation === undefined) return "the client does not support elicitation";
  const { form, url } = elicitation;
  const takesForms = form !== undefined || url === undefined;
  const can = mode === "url" ? url !== undefined : takesForms;
  return can ? undefined : `the client does not support elicitation by ${mode}`;
}

/** Why a request has been cancelled: what closed its connection, where that was it. */
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

/** Tells the client of a request, unless that was cancelled: another request may have its id by now. */
function notify(
  { signal, notify }: ServerContext["mcpReq"],
  notification: Parameters<ServerContext["mcpReq"]["notify"]>[0],
): void {
  // The client may have disconnected
  if (!signal.aborted) notify(notification).catch(() => {});
}

export class ClientLogs {
  /** Adds a client for which servers are asked for a level; absent: there are no servers. */
  listen: (() => LogListener) | undefined;
  /** Of the connection of a client of 2025. */
  listener: LogListener | undefined;
  #level: LogSeverity | undefined;

  get level(): LogSeverity {
    return this.#level ?? sentUnasked;
  }

  setLevel(level: LogSeverity): void {
    this.#level = level;
    this.listener?.setLevel(level);
  }

  /** Asks servers for the level of one request, until the returned function is called. */
  during(level: LogSeverity | undefined): () => void {
    const listener = level === undefined ? undefined : this.listen?.();
    if (level !== undefined) listener?.setLevel(level);
    return () => listener?.stop();
  }
}

/** A `tools/call` and its request. */
export interface AskedCall extends Pick<CallOptions, "arrivedAt"> {
  readonly name: string;
  readonly args: unknown;
  readonly context: ServerContext;
  /** Absent for a client that has said nothing of itself. */
  readonly mcp?: McpServer | undefined;
  /** The authenticated client; answers of others do not count. */
  readonly client?: string | undefined;
  readonly logs: ClientLogs;
}
