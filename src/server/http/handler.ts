/**
 * START HERE for one HTTP request: path → names → client → bounds → body → the handler of the SDK, which serves both
 * eras of the protocol and has no state between requests; or the session of a client of 2025.
 */

import type { IncomingMessage, ServerResponse } from "node:http";
import {
  createMcpHandler,
  type McpHttpHandler,
  type McpServer,
} from "@modelcontextprotocol/server";
import { messageOf } from "../../errors.ts";
import { log } from "../../log.ts";
import { logSdkError } from "../_sdk_error.ts";
import type { Clock } from "../../async/clock.ts";
import type { SharedState } from "../../state/shared_state.ts";
import { createMcpServer } from "../mcp_server.ts";
import type { Serving } from "../serving.ts";
import type { ConnectionKind, Surface } from "../surface.ts";
import type { NameCheck } from "./addresses.ts";
import { validateSubscription } from "../request_validation.ts";
import type { ResourceSubscriptions } from "../resource_subscriptions.ts";
import { errorReply, type HttpReply, jsonReply, refuse } from "./answer.ts";
import { readBody } from "./body.ts";
import type { Authenticator, HttpClientIdentity, Refused } from "./client.ts";
import { sendResponse, webRequest } from "./exchange.ts";
import { type HttpLimits, Ledger } from "./limits.ts";
import { routed } from "./route.ts";
import {
  HttpSessions,
  needsSession,
  sessionHeader,
  type SessionRequest,
  sessionResponse,
} from "./sessions.ts";

export interface HandlerOptions {
  /** The surface for a client; nothing for a client without one. */
  readonly surfaceFor: (client: HttpClientIdentity) => Surface | undefined;
  readonly authenticator: Authenticator;
  readonly checkNames: NameCheck;
  readonly limits: HttpLimits;
  readonly serving: Omit<Serving, "client">;
  /** New requests are accepted. */
  readonly isReady: () => boolean;
  /** What this instance shares with others. */
  readonly state?: SharedState | undefined;
  /** For the end of idle sessions. @default that of the process */
  readonly clock?: Clock | undefined;
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

interface ReadRequest {
  readonly client: HttpClientIdentity;
  readonly asked: SessionRequest;
  readonly body: unknown;
}

export function createHandler(options: HandlerOptions): Handler {
  const { limits } = options;
  const ledger = new Ledger(limits, { state: options.state, clock: options.clock });
  const exchanges = new Set<Promise<void>>();
  const ending = new AbortController();
  const handlers = new Map<Surface, McpHttpHandler>();
  const subscriptions = new Map<Surface, ResourceSubscriptions>();

  const sessions = new HttpSessions({
    createServer: (surface, client) => newServer(surface, client, "connection"),
    clock: options.clock,
  });

  function newServer(
    surface: Surface,
    client: string | undefined,
    connection: ConnectionKind,
  ): McpServer {
    const serving = client === undefined ? options.serving : { ...options.serving, client };
    return createMcpServer(surface, serving, connection);
  }

  /** Clients with the same surface get the same notifications, and no others. */
  function handlerOf(surface: Surface): McpHttpHandler {
    const known = handlers.get(surface);
    if (known !== undefined) return known;
    const handler = createMcpHandler(({ authInfo, era }) => {
      const { name } = authInfo?.extra?.["client"] as HttpClientIdentity;
      return newServer(surface, name, era === "modern" ? "streams" : "request");
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
    const key = client.name ?? req.socket.remoteAddress ?? "";
    const id = req.headers[sessionHeader]?.toString();
    const asked = { surface, client: client.name, owner: key, id };
    if (req.method !== "POST" && sessions.find(asked) === undefined) {
      return { reply: id === undefined ? methodNotAllowed(req) : unknownSession() };
    }
    if (!options.isReady()) return { reply: busy(503, "The server is shutting down") };

    if (!ledger.count(key)) return { reply: busy(429, "Too many requests in a minute") };
    const leave = ledger.enter(key);
    if (typeof leave === "number") return { reply: busy(leave, "Too many requests at once") };
    try {
      if (req.method !== "POST") {
        return await exchange(req, res, { client, asked, body: undefined });
      }
      const body = await readBody(req, { ledger, limits, client: key });
      if ("reply" in body) return body;
      try {
        return await exchange(req, res, { client, asked, body: body.value });
      } finally {
        ledger.release(key, body.bytes);
      }
    } finally {
      leave();
    }
  }

  /** Answers a request whose body was read; a request for a stream has none. */
  async function exchange(
    req: IncomingMessage,
    res: ServerResponse,
    { client, asked, body }: ReadRequest,
  ): Promise<Refused | undefined> {
    const { surface, owner, id } = asked;
    const wrong = refusedSubscription(body);
    if (wrong !== undefined) return { reply: wrong };
    // Subscriptions end with the server; calls are awaited
    const until = isSubscription(body) ? ending.signal : undefined;
    const handler = handlerOf(surface);
    const request = webRequest(req, res, until);
    const session = await sessions.of(request, asked, body);
    if (session === undefined && id !== undefined && needsSession(body)) {
      return { reply: unknownSession() };
    }
    const leaveSession = session && sessions.use(session);
    const stopFollowing = follow(subscriptions.get(surface), body, client.name);
    const scopes = [...client.scopes];
    const given = {
      parsedBody: body,
      authInfo: { token: "", clientId: client.name ?? "", scopes, extra: { client } },
    };
    try {
      const response = session === undefined
        ? await handler.fetch(request, given)
        : await sessionResponse(session, request, given);
      await sendResponse(res, response, (bytes) => ledger.unsent(owner, bytes));
    } finally {
      leaveSession?.();
      stopFollowing?.();
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
      sessions.endStreams();
      while (exchanges.size > 0) await Promise.all(exchanges);
    },
    async close() {
      ledger.close();
      await Promise.all([sessions, ...handlers.values()].map((each) => each.close()));
    },
  };
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

function methodNotAllowed(req: IncomingMessage): HttpReply {
  const text = req.method === "GET"
    ? "There is no stream to open: messages are sent only in the answer to a POST"
    : "Only POST is answered here: this client has no session";
  return errorReply(405, text, { allow: "POST" });
}

function unknownSession(): HttpReply {
  return errorReply(404, "There is no such session: begin another with initialize");
}

function busy(status: number, why: string): HttpReply {
  return errorReply(status, `${why}: try again later`, { "retry-after": "1" });
}
