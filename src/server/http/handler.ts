/**
 * START HERE for one HTTP request: path → names → client → bounds → body → the handler of the SDK, which serves both
 * eras of the protocol and has no state between requests.
 */

import type { IncomingMessage, ServerResponse } from "node:http";
import { createMcpHandler, type McpHttpHandler } from "@modelcontextprotocol/server";
import { messageOf } from "../../errors.ts";
import { log } from "../../log.ts";
import { logSdkError } from "../_sdk_error.ts";
import { createMcpServer } from "../mcp_server.ts";
import type { Serving } from "../serving.ts";
import type { Surface } from "../surface.ts";
import type { NameCheck } from "./addresses.ts";
import { validateSubscription } from "../request_validation.ts";
import type { ResourceSubscriptions } from "../resource_subscriptions.ts";
import { errorReply, type HttpReply, jsonReply, refuse, textReply } from "./answer.ts";
import { readBody } from "./body.ts";
import type { Authenticator, HttpClientIdentity, Refused } from "./client.ts";
import { sendResponse, webRequest } from "./exchange.ts";
import { type HttpLimits, Ledger } from "./limits.ts";

export const mcpPath = "/mcp";

export interface HandlerOptions {
  /** The surface for a client; nothing for a client without one. */
  readonly surfaceFor: (client: HttpClientIdentity) => Surface | undefined;
  readonly authenticator: Authenticator;
  readonly checkNames: NameCheck;
  readonly limits: HttpLimits;
  readonly serving: Omit<Serving, "client">;
  /** New requests are accepted. */
  readonly isReady: () => boolean;
  /** Called after each request. */
  readonly onAnswered?: (status: number, ms: number) => void;
}

export interface Handler {
  handle(req: IncomingMessage, res: ServerResponse): Promise<void>;
  /** Ends subscriptions; resolves when no request is running. */
  idle(): Promise<void>;
  /** Ends open exchanges. */
  close(): Promise<void>;
}

export function createHandler(options: HandlerOptions): Handler {
  const { limits } = options;
  const ledger = new Ledger(limits);
  const exchanges = new Set<Promise<void>>();
  const ending = new AbortController();
  const handlers = new Map<Surface, McpHttpHandler>();
  const subscriptions = new Map<Surface, ResourceSubscriptions>();

  /** Clients with the same surface get the same notifications, and no others. */
  function handlerOf(surface: Surface): McpHttpHandler {
    const known = handlers.get(surface);
    if (known !== undefined) return known;
    const handler = createMcpHandler(({ authInfo, era }) => {
      const name = (authInfo?.extra?.["client"] as HttpClientIdentity).name;
      const serving = name === undefined ? options.serving : { ...options.serving, client: name };
      return createMcpServer(surface, serving, era === "modern" ? "streams" : "request");
    }, {
      maxRequestBodySize: limits.bodyBytes,
      onerror: (error) => logSdkError("http", error),
    });
    surface.onChange(() => handler.notify.toolsChanged());
    const following = surface.features?.subscriptions((uri) => handler.notify.resourceUpdated(uri));
    if (following !== undefined) subscriptions.set(surface, following);
    surface.features?.onChange(({ prompts, resources }) => {
      if (prompts) handler.notify.promptsChanged();
      if (resources) handler.notify.resourcesChanged();
    });
    handlers.set(surface, handler);
    return handler;
  }

  async function serveMcp(req: IncomingMessage, res: ServerResponse): Promise<Refused | undefined> {
    const client = await options.authenticator.authenticate(req);
    if ("reply" in client) return client;
    const surface = options.surfaceFor(client);
    if (surface === undefined) {
      const who = client.name === undefined ? "This client" : `Client '${client.name}'`;
      const headers = options.authenticator.challenge?.(req) ?? {};
      return { reply: errorReply(403, `${who} has no policy assigned`, headers) };
    }
    if (req.method !== "POST") return { reply: methodNotAllowed(req) };
    if (!options.isReady()) return { reply: busy(503, "The server is shutting down") };

    const key = client.name ?? req.socket.remoteAddress ?? "";
    const leave = ledger.enter(key);
    if (typeof leave === "number") return { reply: busy(leave, "Too many requests at once") };
    try {
      const body = await readBody(req, { ledger, limits, client: key });
      if ("reply" in body) return body;
      let stopFollowing: (() => void) | undefined;
      try {
        const wrong = refusedSubscription(body.value);
        if (wrong !== undefined) return { reply: wrong };
        // Subscriptions end with the server; calls are awaited
        const until = isSubscription(body.value) ? ending.signal : undefined;
        const handler = handlerOf(surface);
        stopFollowing = follow(subscriptions.get(surface), body.value, client.name);
        const response = await handler.fetch(webRequest(req, res, until), {
          parsedBody: body.value,
          authInfo: {
            token: "",
            clientId: client.name ?? "",
            scopes: [...client.scopes],
            extra: { client },
          },
        });
        await sendResponse(res, response, (bytes) => ledger.unsent(key, bytes));
      } finally {
        stopFollowing?.();
        ledger.release(key, body.bytes);
      }
    } finally {
      leave();
    }
    return undefined;
  }

  async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const started = performance.now();
    try {
      const reply = routed(req, options) ?? (await serveMcp(req, res))?.reply;
      if (reply !== undefined) refuse(req, res, reply);
    } catch (error) {
      log("error", `http: ${messageOf(error)}`);
      refuse(req, res, errorReply(500, "Internal server error"));
    }
    options.onAnswered?.(res.statusCode, performance.now() - started);
  }

  return {
    async handle(req, res) {
      const exchange = answer(req, res);
      exchanges.add(exchange);
      await exchange;
      exchanges.delete(exchange);
    },
    async idle() {
      ending.abort();
      while (exchanges.size > 0) await Promise.all(exchanges);
    },
    async close() {
      await Promise.all(handlers.values().map((handler) => handler.close()).toArray());
    },
  };
}

/** Uses the raw headers, without the copy that Node makes. */
function namesSeveralHosts({ rawHeaders }: IncomingMessage): boolean {
  const isHost = (word: string, at: number) => at % 2 === 0 && /^host$/i.test(word);
  return rawHeaders.findIndex(isHost) !== rawHeaders.findLastIndex(isHost);
}

/** The reply to a request outside of MCP; nothing for others. */
function routed(req: IncomingMessage, options: HandlerOptions): HttpReply | undefined {
  const path = (req.url ?? "").replace(/[?#].*$/, "");
  // Probes use the address, whatever names are allowed
  if (path === "/healthz") return textReply(200, "alive");
  if (path === "/readyz") {
    return options.isReady() ? textReply(200, "ready") : textReply(503, "ending");
  }
  // RFC 9112, section 3.2: a proxy may have used the other one
  if (namesSeveralHosts(req)) {
    return errorReply(400, "The request names several hosts");
  }
  const { host, origin } = req.headers;
  const wrong = options.checkNames(host, origin);
  if (wrong !== undefined) return errorReply(403, wrong);
  if (req.method === "OPTIONS" && origin !== undefined) return { status: 204, headers: preflight };
  const metadata = options.authenticator.metadata?.(path, req);
  if (metadata !== undefined) return metadata;
  if (path === mcpPath) return undefined;
  if (path === "/sse" || path === "/messages") {
    const text =
      `The HTTP+SSE transport of 2024-11-05 is not served: Streamable HTTP is, at ${mcpPath}`;
    return errorReply(404, text);
  }
  return errorReply(404, `Not found: MCP is served at ${mcpPath}`);
}

function isSubscription(body: unknown): boolean {
  return (body as { method?: unknown } | null)?.method === "subscriptions/listen";
}

/** Follows the resources of a subscription while it is open. */
function follow(
  subscriptions: ResourceSubscriptions | undefined,
  body: unknown,
  owner: string | undefined,
): (() => void) | undefined {
  if (subscriptions === undefined || !isSubscription(body)) return undefined;
  return subscriptions.followAll((body as { params?: unknown }).params, owner);
}

/** Refuses a subscription that the SDK would accept. */
function refusedSubscription(body: unknown): HttpReply | undefined {
  if (!isSubscription(body)) return undefined;
  const { id = null, ...message } = body as { id?: unknown; method: string };
  const error = validateSubscription(message);
  return error && jsonReply(400, { jsonrpc: "2.0", id, error });
}

/** Headers that allowed pages may send (Fetch, CORS). */
const preflight = {
  "access-control-allow-methods": "POST, OPTIONS",
  "access-control-allow-headers":
    "authorization, content-type, accept, mcp-protocol-version, mcp-method, mcp-name, traceparent",
  "access-control-max-age": "3600",
};

function methodNotAllowed(req: IncomingMessage): HttpReply {
  const text = req.method === "GET"
    ? "There is no stream to open: messages are sent only in the answer to a POST"
    : "Only POST is answered here: there are no sessions";
  return errorReply(405, text, { allow: "POST" });
}

function busy(status: number, why: string): HttpReply {
  return errorReply(status, `${why}: try again later`, { "retry-after": "1" });
}
