/** Asks the person of a client of 2025, which is sent a request. */

import type { McpServer, ServerContext } from "@modelcontextprotocol/server";
import { messageOf } from "../errors.ts";
import type { Answer, Ask } from "../tool/runner.ts";
import { whyNot } from "./_client.ts";

/** `ms` is the time to answer; `stop` aborts when serving ends. */
export function directAsk(
  { context: { mcpReq }, mcp }: { readonly context: ServerContext; readonly mcp: McpServer },
  { ms, stop }: { readonly ms: number; readonly stop: AbortSignal },
): Ask | undefined {
  const capabilities = mcp.server.getClientCapabilities();
  if (capabilities?.elicitation === undefined) return undefined;
  return async (question) => {
    const reason = whyNot(question, capabilities);
    if (reason !== undefined) return { action: "unasked", reason };
    try {
      const params = question.mode === "url"
        ? { ...question, elicitationId: crypto.randomUUID() }
        : question;
      const options = { timeout: ms, signal: AbortSignal.any([mcpReq.signal, stop]) };
      return await mcpReq.send(
        { method: "elicitation/create", params: { ...params } },
        options,
      ) as Answer;
    } catch (error) {
      return { action: "unasked", reason: `the request failed: ${messageOf(error)}` };
    }
  };
}
