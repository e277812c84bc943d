/** Plain calls over HTTP: whether their headers are as plain, and the answers as the SDK gives them. */

import type { IncomingMessage, ServerResponse } from "node:http";
import { type ServerContext, SUPPORTED_PROTOCOL_VERSIONS } from "@modelcontextprotocol/server";
import { type PlainCall, type PlainRequest, plainRequest } from "../plain_calls.ts";
import { envelopeRevision } from "../request_validation.ts";
import { sendBytes, type Unsent } from "./exchange.ts";

/** The plain call in `body`, if the SDK would find nothing wrong with it and its headers. */
export function plainHttpRequest(
  { headers }: IncomingMessage,
  body: unknown,
): PlainRequest | undefined {
  const request = plainRequest(body);
  if (request === undefined) return undefined;
  if (!/^application\/json(?:; ?charset=utf-8)?$/i.test(headers["content-type"] ?? "")) {
    return undefined;
  }
  const revision = headers["mcp-protocol-version"]?.toString();
  if (request.envelope === undefined) {
    const { accept = "" } = headers;
    return (revision === undefined || SUPPORTED_PROTOCOL_VERSIONS.includes(revision)) &&
        accept.includes("application/json") && accept.includes("text/event-stream")
      ? request
      : undefined;
  }
  const { params: { name } } = request;
  const isPlain = revision === envelopeRevision && headers["mcp-method"] === "tools/call" &&
    headers["mcp-name"] === name && /^[\w./-]+$/.test(name);
  return isPlain ? request : undefined;
}

/** What a call may read of its HTTP request. */
export function httpContext({ headers }: IncomingMessage): ServerContext["http"] {
  const { traceparent, tracestate } = headers;
  if (traceparent === undefined) return undefined;
  const own = { traceparent, ...(tracestate === undefined ? {} : { tracestate }) };
  return { req: new Request("http://localhost", { headers: own as Record<string, string> }) };
}

const eventHeaders = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache, no-transform",
  "x-accel-buffering": "no",
};

const jsonHeaders = { "content-type": "application/json" };

/** Sends the answer of `call`; returns false if the SDK shall. */
export async function answerPlain(
  call: PlainCall,
  res: ServerResponse,
  { session, unsent }: { readonly session: string | undefined; readonly unsent: Unsent },
): Promise<boolean> {
  const { envelope } = call.request;
  const onClose = () => {
    if (!res.writableFinished) call.cancel("the client has disconnected");
  };
  res.once("close", onClose);
  const answered = await call.answer();
  if (answered === undefined) {
    res.off("close", onClose);
    if (res.destroyed) call.cancel();
    return false;
  }
  if (res.destroyed) return true;
  const { text } = answered;
  if (envelope !== undefined) await sendBytes(res, jsonHeaders, text ?? "", unsent);
  else {
    const headers = session === undefined
      ? eventHeaders
      : { ...eventHeaders, "mcp-session-id": session };
    const event = text === undefined ? "" : `event: message\ndata: ${text}\n\n`;
    await sendBytes(res, headers, event, unsent);
  }
  return true;
}
