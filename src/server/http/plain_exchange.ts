/** Plain calls over HTTP: whether their headers are as plain, and the answers as the SDK gives them. */

import type { IncomingMessage, ServerResponse } from "node:http";
import { SUPPORTED_PROTOCOL_VERSIONS } from "@modelcontextprotocol/server";
import { type PlainCall, type PlainRequest, plainRequest } from "../plain_calls.ts";
import { envelopeRevision } from "../request_validation.ts";
import { closeReason, sendBytes, type Unsent } from "./exchange.ts";

/** The plain call in `body`, if the SDK would find nothing wrong with it and its headers. */
export function plainHttpRequest(
  { headers }: IncomingMessage,
  body: unknown,
): PlainRequest | undefined {
  const request = plainRequest(body);
  // The SDK's servers read the span from the headers
  if (request === undefined || headers["traceparent"] !== undefined) return undefined;
  const { "content-type": type = "" } = headers;
  if (!/^application\/json(?:; ?charset=utf-8)?$/i.test(type)) return undefined;
  const revision = headers["mcp-protocol-version"]?.toString();
  const { params: { name }, envelope } = request;
  const { accept = "" } = headers;
  const isPlain = envelope === undefined
    ? (revision === undefined || SUPPORTED_PROTOCOL_VERSIONS.includes(revision)) &&
      accept.includes("application/json") && accept.includes("text/event-stream")
    : revision === envelopeRevision && headers["mcp-method"] === "tools/call" &&
      headers["mcp-name"] === name && /^[\w./-]+$/.test(name);
  return isPlain ? request : undefined;
}

const eventHeaders = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache, no-transform",
  "x-accel-buffering": "no",
};

/** Sends the answer of `call`; returns false if the SDK shall. */
export async function answerPlain(
  call: PlainCall,
  res: ServerResponse,
  { session, unsent, onAnswer }: {
    readonly session: string | undefined;
    readonly unsent: Unsent;
    /** Called in front of the answer. */
    readonly onAnswer: () => void;
  },
): Promise<boolean> {
  const { envelope } = call.request;
  const onClose = () => {
    if (!res.writableFinished) call.cancel(closeReason(res));
  };
  res.once("close", onClose);
  const answer = await call.answer();
  res.off("close", onClose);
  if (answer === "handed over") {
    if (res.destroyed) call.cancel(closeReason(res));
    return false;
  }
  onAnswer();
  if (res.destroyed) return true;
  const text = answer === "cancelled" ? "" : JSON.stringify(answer);
  const event = text === "" ? "" : `event: message\ndata: ${text}\n\n`;
  const own = session === undefined ? {} : { "mcp-session-id": session };
  await (envelope === undefined
    ? sendBytes(res, { ...eventHeaders, ...own }, event, unsent)
    : sendBytes(res, { "content-type": "application/json" }, text, unsent));
  return true;
}
