/** Connects a surface to the MCP SDK, without the SDK's typed tools, because `call()` checks arguments itself. */

import {
  McpServer,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  type Server,
  type ServerContext,
  type ServerOptions,
  type StandardSchemaV1,
  SUPPORTED_PROTOCOL_VERSIONS,
  type Tool,
} from "@modelcontextprotocol/server";
import { version } from "../process/build_info.ts";
import { type CallResult, textOf } from "../tool/result.ts";
import { PlainCalls } from "./plain_calls.ts";
import {
  type AnswerCall,
  answerOf,
  callOf,
  type ClientLogs,
  envelopeRevision,
  knowsTasks,
  logSdkError,
  type Serving,
  taskOf,
  tasksExtension,
  toolResult,
} from "./requests.ts";
import type { ConnectionKind, Surface } from "./surface.ts";
import { sentUnasked } from "../tool/runner.ts";
import { cancelTool, resultTool, statusTool } from "../jobs/jobs.ts";

/** The supported revisions of MCP: those in the SDK's list, and 2026-07-28, which the list lacks. */
export const protocolRevisions: readonly string[] = [
  envelopeRevision,
  ...SUPPORTED_PROTOCOL_VERSIONS,
];

export type ServedMcp = McpServer & { readonly plain: PlainCalls; readonly answer: AnswerCall };

export function createMcpServer(
  surface: Surface,
  serving: Serving,
  connection: ConnectionKind = "request",
  shared?: PlainCalls,
): ServedMcp {
  const logs: ClientLogs = { level: sentUnasked };
  const options = serverOptions(surface, serving, connection);
  const mcp = new McpServer({ name: "climax", version }, options);
  const plain = shared ?? new PlainCalls();
  const answer = answerOf(surface, serving, { logs, mcp });
  const { server } = mcp;
  server.onerror = (error) => logSdkError("protocol", error);
  const stop = surface.onChange(() => {
    server.sendToolListChanged().catch((error) => logSdkError("protocol", error));
  });
  const stopFeatures = surface.features?.serve(surface, mcp, { ...serving, logs, connection });
  server.onclose = () => {
    stop();
    if (shared === undefined) plain.close();
    stopFeatures?.();
  };
  server.setRequestHandler("tools/list", ({ params }) => {
    if (params?.cursor !== undefined) {
      const text = "Invalid params: no such cursor, the list of tools has one page";
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, text);
    }
    return { tools: surface.list() as Tool[] };
  });
  server.setRequestHandler("tools/call", plain.handler(answer));
  serveTasks(server, async (name, args, context) => {
    const asked = { name, args, context, mcp, logs };
    const { signal } = context.mcpReq;
    return await callOf(surface.callTool, serving, asked)({ signal });
  });
  return Object.assign(mcp, { plain, answer });
}

function serverOptions(
  { features, hasJobs, instructions }: Surface,
  { listTtlMs }: Serving,
  connection: ConnectionKind,
): ServerOptions {
  const cacheHint = { ttlMs: listTtlMs, cacheScope: "private" } as const;
  // Prompts and resources change at any time and only subscribers are notified, so clients must not cache them
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

function serveTasks(
  server: Server,
  call: (name: string, args: object, context: ServerContext) => Promise<CallResult>,
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
    return { ...taskOf(job), result: { resultType: "complete", ...toolResult(result) } };
  });
  // A background job asks no questions, so `tasks/update` only checks that there is such a job
  for (const [method, tool] of [["cancel", cancelTool], ["update", statusTool]] as const) {
    server.setRequestHandler(`tasks/${method}`, { params }, async ({ taskId }, context) => {
      await ask(tool, taskId, context);
      return {};
    });
  }
}

function demandTasks(context: ServerContext): void {
  if (context.mcpReq.envelope === undefined) {
    // Clients before 2026-07-28 know other tasks, which climax does not have, so the method is unknown to them
    throw new ProtocolError(ProtocolErrorCode.MethodNotFound, "Method not found");
  }
  if (!knowsTasks(context)) {
    const requiredCapabilities = { extensions: { [tasksExtension]: {} } };
    throw new MissingRequiredClientCapabilityError({ requiredCapabilities });
  }
}

/** A schema (https://standardschema.dev) without zod, which would take a twentieth of a start. */
const params: StandardSchemaV1<unknown, { readonly taskId: string }> = {
  "~standard": {
    version: 1,
    vendor: "climax",
    validate(value) {
      const taskId = (value as { taskId?: unknown } | null)?.taskId;
      return typeof taskId === "string"
        ? { value: { taskId } }
        : { issues: [{ message: "'taskId' must be the id of a task" }] };
    },
  },
};
