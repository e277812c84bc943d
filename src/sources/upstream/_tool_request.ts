/** A call of a tool as a request to its server. */

import type { CallToolResult, StandardSchemaV1, Tool } from "@modelcontextprotocol/client";
import { isObject } from "../../text/own_property.ts";
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
      const isModern = client.getProtocolEra() === "modern";
      // Over HTTP, some arguments are headers too since 2026-07-28, which only `callTool` sends
      if (isModern && client.transport?.hasPerRequestStream) {
        return client.callTool(params, { ...options, toolDefinition: definition as Tool });
      }
      return client.request({ method: "tools/call", params }, answerSchema(isModern), options);
    },
  };
}

/** The form of an answer. Without a schema, the SDK parses each answer twice, and `undefined` before each request. */
function answerSchema(isModern: boolean): StandardSchemaV1<unknown, CallToolResult> {
  const validate = (value: unknown) => isTextAnswer(value) ? { value } : validated(value, isModern);
  return { "~standard": { version: 1, vendor: "climax", validate } };
}

/** True for an answer of nothing but texts, which most are. */
function isTextAnswer(value: unknown): value is CallToolResult {
  if (!isObject(value) || !Array.isArray(value["content"])) return false;
  for (const key in value) {
    if (key !== "content" && key !== "isError") return false;
  }
  const { content, isError } = value;
  return (isError === undefined || typeof isError === "boolean") && content.every(isText);
}

function isText(block: unknown): boolean {
  if (!isObject(block) || block["type"] !== "text" || typeof block["text"] !== "string") {
    return false;
  }
  for (const key in block) if (key !== "type" && key !== "text") return false;
  return true;
}

/** The schema of the SDK is that of all revisions together. */
async function validated(
  value: unknown,
  isModern: boolean,
): Promise<StandardSchemaV1.Result<CallToolResult>> {
  const { content, structuredContent } = isObject(value) ? value : {};
  if (content === undefined) return invalid("content", "expected a list");
  if (!isModern && structuredContent !== undefined && !isObject(structuredContent)) {
    return invalid("structuredContent", "expected an object");
  }
  const { specTypeSchemas } = await import("@modelcontextprotocol/client");
  return await specTypeSchemas.CallToolResult["~standard"].validate(value);
}

function invalid(key: string, message: string): StandardSchemaV1.FailureResult {
  return { issues: [{ message, path: [key] }] };
}
