/** Tasks (MCP 2026-07-28, `io.modelcontextprotocol/tasks`): background jobs, asked for by their tools. */

import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  type Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { cancelTool, resultTool, statusTool } from "../jobs/jobs.ts";
import { type CallResult, type JobView, textOf } from "../tool/result.ts";
import { paramsOf, tasksExtension } from "./request_validation.ts";

/** Suggested milliseconds between two polls. */
const pollIntervalMs = 2000;

type CallTool = (name: string, args: object, context: ServerContext) => Promise<CallResult>;

/** The task of a call that became `job`, for a client that supports tasks. */
export function begunTask(job: JobView, context: ServerContext): CallToolResult | undefined {
  if (!knowsTasks(context)) return undefined;
  // The SDK does not accept a response to a call without content
  return { resultType: "task", ...taskOf(job), content: [] };
}

/** Registers the handlers of tasks; `toolResult` converts a result to the format of the protocol. */
export function serveTasks(
  server: Server,
  call: CallTool,
  toolResult: (result: CallResult) => object,
): void {
  const ask = async (name: string, id: string, context: ServerContext) => {
    demandTasks(context);
    const result = await call(name, { id }, context);
    if (result.isError && result.job === undefined) {
      const { InternalError, InvalidParams } = ProtocolErrorCode;
      throw new ProtocolError(result.isUnavailable ? InternalError : InvalidParams, textOf(result));
    }
    return result;
  };
  server.setRequestHandler("tasks/get", { params }, async ({ taskId }, context) => {
    const status = await ask(statusTool, taskId, context);
    const job = status.job!;
    if (job.state === "lost") {
      const error = { code: ProtocolErrorCode.InternalError, message: textOf(status) };
      return { ...taskOf(job), statusMessage: textOf(status), error };
    }
    if (job.state !== "finished") return { ...taskOf(job) };
    const result = await call(resultTool, { id: taskId }, context);
    if (result.isUnavailable) {
      throw new ProtocolError(ProtocolErrorCode.InternalError, textOf(result));
    }
    // The result type that the SDK adds elsewhere
    return { ...taskOf(job), result: { resultType: "complete", ...toolResult(result) } };
  });
  server.setRequestHandler("tasks/cancel", { params }, async ({ taskId }, context) => {
    await ask(cancelTool, taskId, context);
    return {};
  });
  // A job has no open requests, so there is nothing to update
  server.setRequestHandler("tasks/update", { params }, async ({ taskId }, context) => {
    await ask(statusTool, taskId, context);
    return {};
  });
}

const statuses = {
  running: "working",
  finished: "completed",
  cancelled: "cancelled",
  lost: "failed",
} as const;

function taskOf({ id, state, beganMs, heardMs, untilMs, lastLine }: JobView) {
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

function knowsTasks({ mcpReq: { envelope } }: ServerContext): boolean {
  const capabilities = (envelope as Record<string, unknown> | undefined)
    ?.[CLIENT_CAPABILITIES_META_KEY] as ClientCapabilities | undefined;
  return capabilities?.extensions?.[tasksExtension] !== undefined;
}

function demandTasks(context: ServerContext): void {
  if (context.mcpReq.envelope === undefined) {
    // Tasks of the revision 2025-11-25 are a different feature
    throw new ProtocolError(ProtocolErrorCode.MethodNotFound, "Method not found");
  }
  if (!knowsTasks(context)) {
    const requiredCapabilities = { extensions: { [tasksExtension]: {} } };
    throw new MissingRequiredClientCapabilityError({ requiredCapabilities });
  }
}

const params = paramsOf((value) => {
  const taskId = (value as { taskId?: unknown } | null)?.taskId;
  return typeof taskId === "string" ? { taskId } : undefined;
}, "'taskId' must be the id of a task");
