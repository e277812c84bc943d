/** Makes the HTTP replies that climax sends without the MCP handler, such as refusals. */

import type { IncomingMessage, ServerResponse } from "node:http";
import { invalidRequest } from "../receive.ts";

/** The rest of a refused request is read for this many milliseconds, so that the client gets the reply. */
const lingerMs = 1000;

export interface HttpReply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Returns a JSON-RPC error without id, as MCP 2026-07-28 has in HTTP error replies. */
export function errorReply(
  status: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): HttpReply {
  const body = JSON.stringify({ jsonrpc: "2.0", id: null, error: { code: -32000, message } });
  return { status, headers: { "content-type": "application/json", ...headers }, body };
}

export function textReply(status: number, text: string): HttpReply {
  return { status, headers: { "content-type": "text/plain; charset=utf-8" }, body: `${text}\n` };
}

export function jsonReply(status: number, value: unknown): HttpReply {
  return { status, headers: { "content-type": "application/json" }, body: JSON.stringify(value) };
}

export function send(res: ServerResponse, { status, headers = {}, body = "" }: HttpReply): void {
  if (res.headersSent || res.destroyed) return;
  res.writeHead(status, {
    ...headers,
    "content-length": String(new TextEncoder().encode(body).length),
  });
  res.end(body);
}

/** Sends a reply before the request is complete, and discards the rest of the request. */
export function refuse(req: IncomingMessage, res: ServerResponse, reply: HttpReply): void {
  if (req.complete || !hasBody(req)) return send(res, reply);
  send(res, { ...reply, headers: { ...reply.headers, connection: "close" } });
  // Most clients read the reply only after they have sent their whole request
  req.resume();
  const { socket } = req;
  Deno.unrefTimer(setTimeout(() => socket.destroy(), lingerMs));
}

/** Returns whether a request announces a body (RFC 9112, section 6.3). */
function hasBody({ headers }: IncomingMessage): boolean {
  return Number(headers["content-length"] ?? 0) !== 0 || headers["transfer-encoding"] !== undefined;
}

/** Returns one reply for missing profiles and for profiles of other clients, so that it tells no names. */
export function unknownProfile(): HttpReply {
  return errorReply(404, "There is no such profile for this client");
}

export function methodNotAllowed(req: IncomingMessage): HttpReply {
  const text = req.method === "GET"
    ? "There is no stream to open: messages are sent only in the answer to a POST"
    : "Only POST is answered here: this client has no session";
  return errorReply(405, text, { allow: "POST" });
}

export function unknownSession(): HttpReply {
  return errorReply(404, "There is no such session: begin another with initialize");
}

export const repeatedId = "Invalid request: the id is that of a request that is not finished";

/** Makes a reply without id: with a repeated id, the client would take it for the answer to the earlier request. */
export function refuseInvalid(message: string): HttpReply {
  return jsonReply(400, { jsonrpc: "2.0", id: null, error: { code: invalidRequest, message } });
}

export function busy(status: number, why: string): HttpReply {
  return errorReply(status, `${why}: try again later`, { "retry-after": "1" });
}

export function replyShuttingDown(): HttpReply {
  return busy(503, "The server is shutting down");
}
