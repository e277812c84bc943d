/** Answers of our own, beside those of the MCP handler. */

import type { IncomingMessage, ServerResponse } from "node:http";

/** Milliseconds that the rest of a refused request is read, so that its sender sees the reply. */
const lingerMs = 1000;

/** An answer that needs no stream. */
export interface HttpReply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A JSON-RPC error that answers no request in particular, as MCP 2026-07-28 has HTTP errors. */
export function errorReply(
  status: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): HttpReply {
  const body = JSON.stringify({ jsonrpc: "2.0", id: null, error: { code: -32000, message } });
  return { status, headers: { "content-type": "application/json", ...headers }, body };
}

/** A reply for people and probes. */
export function textReply(status: number, text: string): HttpReply {
  return { status, headers: { "content-type": "text/plain; charset=utf-8" }, body: `${text}\n` };
}

/** A reply for programs. */
export function jsonReply(status: number, value: unknown): HttpReply {
  return { status, headers: { "content-type": "application/json" }, body: JSON.stringify(value) };
}

/** Sends `reply`. */
export function send(res: ServerResponse, { status, headers = {}, body = "" }: HttpReply): void {
  if (res.headersSent || res.destroyed) return;
  res.writeHead(status, {
    ...headers,
    "content-length": String(new TextEncoder().encode(body).length),
  });
  res.end(body);
}

/** Sends a reply that may come before its request has; what is still to come is thrown away. */
export function refuse(req: IncomingMessage, res: ServerResponse, reply: HttpReply): void {
  if (req.complete || !hasBody(req)) return send(res, reply);
  send(res, { ...reply, headers: { ...reply.headers, connection: "close" } });
  // The client reads the reply only if it may finish writing, but not for ever
  req.resume();
  const { socket } = req;
  Deno.unrefTimer(setTimeout(() => socket.destroy(), lingerMs));
}

/** Returns whether a request announces a body (RFC 9112, section 6.3). */
function hasBody({ headers }: IncomingMessage): boolean {
  return Number(headers["content-length"] ?? 0) !== 0 || headers["transfer-encoding"] !== undefined;
}
