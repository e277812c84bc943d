/** Capabilities of a client, in either era of the protocol. */

import {
  type ClientCapabilities,
  LOG_LEVEL_META_KEY,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { isAsSevere, logSeverities } from "../tool/log_message.ts";
import type { CallResult } from "../tool/result.ts";
import type { Answer, Caller, Question } from "../tool/runner.ts";
import type { ClientLogs } from "./client_logs.ts";

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

/** Sends progress to a client that has asked for it with a progress token. */
export function progressOf({ mcpReq }: ServerContext): CallHooks["onProgress"] {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return undefined;
  return (event) => {
    const params = { progressToken, ...event };
    // The client may have disconnected
    mcpReq.notify({ method: "notifications/progress", params }).catch(() => {});
  };
}

/**
 * Sends log messages of a server to the client of the request, from its level on. A client of 2025 has set that
 * beforehand, in `logs`.
 */
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
      // The client may have disconnected
      mcpReq.notify({ method: "notifications/message", params: { ...message } }).catch(() => {});
    },
  };
}
