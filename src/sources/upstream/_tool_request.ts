/** A call of a tool as a request to its server. */

import type { CallToolResult, Tool } from "@modelcontextprotocol/client";
import type { UpstreamRequest } from "./_running_calls.ts";
import type { Definition } from "./definition.ts";

export interface UpstreamCall extends Omit<UpstreamRequest, "subject" | "send"> {
  /** The name is that of the server. */
  readonly definition: Pick<Definition, "name" | "inputSchema">;
  readonly args: Readonly<Record<string, unknown>>;
}

export function toolRequest(
  { definition, args, ...rest }: UpstreamCall,
): UpstreamRequest<CallToolResult> {
  const { name } = definition;
  return {
    ...rest,
    subject: `Tool '${name}'`,
    send: (client, options, responses) => {
      const params = { name, arguments: args, ...responses };
      return client.callTool(params, { ...options, toolDefinition: definition as Tool });
    },
  };
}
