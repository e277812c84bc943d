/** A call of a client as its request has it. */

import type { McpServer, ServerContext } from "@modelcontextprotocol/server";
import type { CallOptions } from "../call/pipeline.ts";
import type { ClientLogs } from "./client_logs.ts";

/** A `tools/call` and its request. */
export interface AskedCall extends Pick<CallOptions, "arrivedAt"> {
  readonly name: string;
  readonly args: unknown;
  readonly context: ServerContext;
  readonly mcp: McpServer;
  /** The authenticated client; answers of others do not count. */
  readonly client?: string;
  readonly logs: ClientLogs;
}
