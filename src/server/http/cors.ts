/**
 * Lets pages of allowed origins read answers (Fetch, CORS). A browser keeps them from all others, which get no header of
 * these. No page gets to use what a browser knows of a user: there is nothing about credentials.
 */

import type { IncomingMessage, ServerResponse } from "node:http";
import { quote } from "../../text/excerpt.ts";
import { errorReply, type HttpReply } from "./answer.ts";

/** Whether pages of `origin` may read answers. */
export type PageCheck = (origin: string) => boolean;

/** The check for the values of `--allow-origin`; pages of this machine are no exception. */
export function pageCheck(allowed: readonly string[]): PageCheck {
  const values = new Set(allowed);
  return (origin) => {
    if (values.has(origin)) return true;
    const url = URL.parse(origin);
    // A name stands for web pages, and only for an origin that a browser has written
    return url !== null && /^https?:$/.test(url.protocol) && url.origin === origin &&
      values.has(url.hostname);
  };
}

/** Adds to each answer to `req` that its page may read it, if that is allowed. */
export function allowPage(req: IncomingMessage, res: ServerResponse, mayRead: PageCheck): void {
  const { origin } = req.headers;
  if (origin === undefined || !mayRead(origin)) return;
  res.setHeader("access-control-allow-origin", origin);
  res.setHeader("access-control-expose-headers", "mcp-session-id, www-authenticate, retry-after");
  res.setHeader("vary", "Origin");
}

/** The reply to the request with which a browser asks whether a page may send another; nothing for other requests. */
export function preflightReply(
  { method, headers }: Pick<IncomingMessage, "method" | "headers">,
  mayRead: PageCheck,
): HttpReply | undefined {
  const { origin } = headers;
  if (method !== "OPTIONS" || origin === undefined) return undefined;
  if (!mayRead(origin)) {
    const text = `Pages of ${quote(origin)} may not read answers: --allow-origin allows it`;
    return errorReply(403, text);
  }
  const wanted = (headers["access-control-request-headers"] ?? "").toString().toLowerCase()
    .split(",").map((name) => name.trim()).filter((name) => parameter.test(name));
  return {
    status: 204,
    headers: {
      "access-control-allow-methods": "GET, POST, DELETE",
      "access-control-allow-headers": [...requestHeaders, ...wanted].join(", "),
      "access-control-max-age": "3600",
    },
  };
}

/** The header of an argument, of which there are as many as tools have arguments. */
const parameter = /^mcp-param-[\w-]{1,128}$/;

/** The headers that clients of MCP send. */
const requestHeaders = [
  ...["authorization", "content-type", "accept", "last-event-id"],
  ...["mcp-protocol-version", "mcp-session-id", "mcp-method", "mcp-name"],
  ...["traceparent", "tracestate", "baggage"],
];
