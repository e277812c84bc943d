/** Makes the HTTP replies that climax sends without the SDK, such as refusals. */

import { Buffer } from "node:buffer";
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
  code = -32000,
): HttpReply {
  return jsonReply(status, { jsonrpc: "2.0", id: null, error: { code, message } }, headers);
}

export function textReply(status: number, text: string): HttpReply {
  return { status, headers: { "content-type": "text/plain; charset=utf-8" }, body: `${text}\n` };
}

export function jsonReply(status: number, value: unknown, headers = {}): HttpReply {
  const json = { "content-type": "application/json", ...headers };
  return { status, headers: json, body: JSON.stringify(value) };
}

export function send(res: ServerResponse, { status, headers = {}, body = "" }: HttpReply): void {
  if (res.headersSent || res.destroyed) return;
  res.writeHead(status, { ...headers, "content-length": String(Buffer.byteLength(body)) });
  res.end(body);
}

export function refuse(req: IncomingMessage, res: ServerResponse, reply: HttpReply): void {
  // A request with a body has `Content-Length` or `Transfer-Encoding` (RFC 9112, section 6.3)
  const { "content-length": length = 0, "transfer-encoding": encoding } = req.headers;
  const hasBody = Number(length) !== 0 || encoding !== undefined;
  if (req.complete || !hasBody) return send(res, reply);
  send(res, { ...reply, headers: { ...reply.headers, connection: "close" } });
  // The body is read to its end, because most clients read a reply only after they have sent their whole request
  req.resume();
  const { socket } = req;
  Deno.unrefTimer(setTimeout(() => socket.destroy(), lingerMs));
}

/** The same reply for missing profiles and for those of other clients, so that the reply tells no names. */
export const unknownProfile = errorReply(404, "There is no such profile for this client");

export const methodNotAllowed = errorReply(
  405,
  "Only POST is answered here: this client has no session, and so no stream to open",
  { allow: "POST" },
);

export const unknownSession = errorReply(
  404,
  "There is no such session: begin another with initialize",
);

/** A client would take a reply with a repeated id for the answer to the earlier request, so this error has no id. */
export const repeatedId = refuseInvalid(
  "Invalid request: the id is that of a request that is not finished",
);

export const shuttingDown = busy(503, "The server is shutting down");

export function refuseInvalid(message: string): HttpReply {
  return errorReply(400, message, {}, invalidRequest);
}

export function busy(status: number, why: string): HttpReply {
  return errorReply(status, `${why}: try again later`, { "retry-after": "1" });
}
