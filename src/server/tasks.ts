/**
 * The protocol's own tasks (MCP 2026-07-28, extension `io.modelcontextprotocol/tasks`): a client that knows
 * them is answered with a task where others are told which tool to ask. Tasks are the jobs, and what is asked
 * of them goes the way of those tools, so that policy and audit log hold it.
 */

import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  type Server,
  type ServerContext,
  type StandardSchemaV1,
} from "@modelcontextprotocol/server";
import { cancelTool, resultTool, statusTool } from "../jobs/jobs.ts";
import { type CallResult, type JobView, textOf } from "../tool/result.ts";
import { tasksExtension } from "./request_validation.ts";

/** Milliseconds between two looks of a client that keeps asking. */
const pollIntervalMs = 2000;

/** Calls one of the tools that look after jobs. */
type CallTool = (name: string, args: object, context: ServerContext) => Promise<CallResult>;

/** The task that `result` tells of, for a client that knows tasks. */
export function begunTask(
  { job }: CallResult,
  context: ServerContext,
): CallToolResult | undefined {
  if (job === undefined || !knowsTasks(context)) return undefined;
  // The SDK takes nothing for the answer to a call that has no content
  return { resultType: "task", ...taskOf(job), content: [] };
}

/** Has `server` answer what clients ask of tasks; `toolResult` is a result as the protocol has it. */
export function serveTasks(
  server: Server,
  call: CallTool,
  toolResult: (result: CallResult) => object,
): void {
  const ask = async (name: string, id: string, context: ServerContext) => {
    demandTasks(context);
    const result = await call(name, { id }, context);
    if (result.isError && result.job === undefined) {
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, textOf(result));
    }
    return result;
  };
  server.setRequestHandler("tasks/get", { params }, async ({ taskId }, context) => {
    const { job } = await ask(statusTool, taskId, context);
    if (job?.state !== "finished") return { ...taskOf(job!) };
    const result = await call(resultTool, { id: taskId }, context);
    // As it would have been, which the SDK sees to elsewhere
    return { ...taskOf(job), result: { resultType: "complete", ...toolResult(result) } };
  });
  server.setRequestHandler("tasks/cancel", { params }, async ({ taskId }, context) => {
    await ask(cancelTool, taskId, context);
    return {};
  });
  // No job asks for anything, so that there is nothing to take
  server.setRequestHandler("tasks/update", { params }, async ({ taskId }, context) => {
    await ask(statusTool, taskId, context);
    return {};
  });
}

/** A job as the protocol has it; what it came to stands beside that. */
function taskOf({ id, state, beganMs, heardMs, untilMs, lastLine }: JobView) {
  const status = state === "running" ? "working" : state === "finished" ? "completed" : state;
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

/** Returns whether this request declares that its client supports tasks. */
function knowsTasks({ mcpReq: { envelope } }: ServerContext): boolean {
  const capabilities = (envelope as Record<string, unknown> | undefined)
    ?.[CLIENT_CAPABILITIES_META_KEY] as ClientCapabilities | undefined;
  return capabilities?.extensions?.[tasksExtension] !== undefined;
}

/** Refuses a request of a client that does not say so, as the extension has it. */
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

/** Params that name a task; a schema of a library for schemas would take longer to load. */
const params: StandardSchemaV1<unknown, { readonly taskId: string }> = {
  "~standard": {
    version: 1,
    vendor: "climax",
    validate(value) {
      const taskId = (value as { taskId?: unknown } | null)?.taskId;
      if (typeof taskId === "string") return { value: { taskId } };
      return { issues: [{ message: "'taskId' must be the id of a task" }] };
    },
  },
};
