/** Checks `Host` and `Origin` against DNS rebinding; allowed pages may read answers, without credentials (CORS). */

import { validateOriginHeader } from "@modelcontextprotocol/server";
import { isIPv6 } from "node:net";
import { type Address, isLoopback } from "../../process/address.ts";
import { quote } from "../../text/excerpt.ts";
import type { IncomingMessage, ServerResponse } from "node:http";
import { errorReply, type HttpReply } from "./answer.ts";

const loopbackNames = ["localhost", "127.0.0.1", "[::1]"];

/** Addresses by which a server listens on all network interfaces. */
const everywhere = ["0.0.0.0", "::"];

export interface Names {
  /** Values of `Host`, without ports, that are allowed besides those of the listening address. */
  readonly hosts: readonly string[];
  /** Values of `Origin` allowed besides loopback names: a name (with any scheme and port) or a whole origin. */
  readonly origins: readonly string[];
}

export type NameCheck = (
  host: string | undefined,
  origin: string | undefined,
) => string | undefined;

export function nameCheck({ host }: Address, { hosts, origins }: Names): NameCheck {
  const own = isLoopback(host) ? loopbackNames : [];
  const literal = isIPv6(host) ? `[${host}]` : host;
  const reached = everywhere.includes(host) ? loopbackNames : own;
  const allowedHosts = [...reached, literal, ...hosts].map((name) => name.toLowerCase());
  const allowedNames = [...own, ...origins];
  return (host = "", origin) => {
    // A pattern reads the host, because a URL parser would also accept other spellings and a user name
    const [, name = host] = /^(\[[\da-f:.]+\]|[\w.-]+)(?::\d{1,5})?$/i.exec(host) ?? [];
    if (!allowedHosts.includes(name.toLowerCase())) {
      return `Requests for the host ${quote(name)} are not answered: --allow-host allows it`;
    }
    if (origins.includes(origin ?? "")) return undefined;
    if (validateOriginHeader(origin, allowedNames).ok) return undefined;
    const remedy = URL.canParse(origin ?? "") ? ": --allow-origin allows them" : "";
    return `Requests from pages of ${quote(origin ?? "")} are not answered${remedy}`;
  };
}

export type PageCheck = (origin: string) => boolean;

/** Returns whether pages of an origin may read answers. Pages of this machine may only if `allowed` lists them. */
export function pageCheck(allowed: readonly string[]): PageCheck {
  const values = new Set(allowed);
  return (origin) => {
    if (values.has(origin)) return true;
    const url = URL.parse(origin);
    // A bare name in `allowed` stands for http and https pages; a whole origin must be spelled as browsers send it
    return url !== null && /^https?:$/.test(url.protocol) && url.origin === origin &&
      values.has(url.hostname);
  };
}

export function allowPage(req: IncomingMessage, res: ServerResponse, mayRead: PageCheck): void {
  const { origin } = req.headers;
  if (origin === undefined || !mayRead(origin)) return;
  res.setHeader("access-control-allow-origin", origin);
  res.setHeader("access-control-expose-headers", "mcp-session-id, www-authenticate, retry-after");
  res.setHeader("vary", "Origin");
}

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

/** Matches the names of headers that repeat arguments of a call (MCP 2026-07-28). */
const parameter = /^mcp-param-[\w-]{1,128}$/;

const requestHeaders = [
  ...["authorization", "content-type", "accept", "last-event-id"],
  ...["mcp-protocol-version", "mcp-session-id", "mcp-method", "mcp-name"],
  ...["traceparent", "tracestate", "baggage"],
];
