/**
 * START HERE for one HTTP request: path → names → client → bounds → body → the handler of the SDK, which serves both
 * eras of the protocol and has no state between requests; or the session of a client of 2025.
 */

import type { IncomingMessage, ServerResponse } from "node:http";
import type { McpServer } from "@modelcontextprotocol/server";
import { messageOf } from "../../errors.ts";
import { log } from "../../log.ts";
import type { Clock } from "../../async/clock.ts";
import type { ProfilePlace } from "../../process/profile.ts";
import { createMcpServer } from "../mcp_server.ts";
import type { Serving } from "../serving.ts";
import type { ConnectionKind, Surface } from "../surface.ts";
import { AccessWatch } from "./access_watch.ts";
import { errorReply, refuse } from "./answer.ts";
import { readBody } from "./body.ts";
import type { HttpClientIdentity, Refused } from "./client.ts";
import { allowPage } from "./addresses.ts";
import { sendResponse, webRequest } from "./exchange.ts";
import { type HttpLimits, Ledger } from "./limits.ts";
import { busy, methodNotAllowed, shuttingDown, unknownProfile, unknownSession } from "./answer.ts";
import { profileIn, routed, type RouteOptions } from "./route.ts";
import {
  HttpSessions,
  needsSession,
  sessionHeader,
  type SessionRequest,
  sessionResponse,
} from "./sessions.ts";
import { SurfaceHandlers } from "./surface_handlers.ts";
import { follow, isSubscription, refusedSubscription } from "./surface_handlers.ts";

export interface HandlerOptions extends RouteOptions {
  /** The surface for a client, of a profile if it is given; nothing for a client without one. */
  readonly surfaceFor: (client: HttpClientIdentity, profile?: string) => Surface | undefined;
  /** Where the requests to a profile run, or those to none. @default in the place of this process */
  readonly placeOf?: ((profile: string | undefined) => ProfilePlace | undefined) | undefined;
  readonly limits: HttpLimits;
  readonly serving: Omit<Serving, "client">;
  /** Requests of open connections are answered. @default as long as it is ready */
  readonly accepts?: (() => boolean) | undefined;
  /** For the end of idle sessions. @default that of the process */
  readonly clock?: Clock | undefined;
  /** Called after each request. */
  readonly onAnswered?: (status: number, ms: number) => void;
}

export interface Handler {
  handle(req: IncomingMessage, res: ServerResponse): Promise<void>;
  /** Ends subscriptions and streams. */
  endStreams(): void;
  /** Resolves when no request is running. */
  idle(): Promise<void>;
  /** Ends open exchanges. */
  close(): Promise<void>;
}

interface ReadRequest {
  readonly asked: SessionRequest;
  readonly body: unknown;
}

export function createHandler(options: HandlerOptions): Handler {
  const { limits } = options;
  const ledger = new Ledger(limits, { state: options.state, clock: options.clock });
  const exchanges = new Set<Promise<void>>();
  const ending = new AbortController();
  const handlers = new SurfaceHandlers({ createServer: newServer, limits });
  const access = new AccessWatch({
    accepts: (client) => {
      return placeOf(undefined)(() => options.authenticator.accepts?.(client) ?? true);
    },
    surfaceFor: options.surfaceFor,
    clock: options.clock,
  });
  const sessions = new HttpSessions({
    access,
    createServer: (surface, client) => newServer(surface, client, "connection"),
    clock: options.clock,
  });

  function placeOf(profile: string | undefined): ProfilePlace {
    return options.placeOf?.(profile) ?? ((work) => work());
  }

  function newServer(
    surface: Surface,
    client: string | undefined,
    connection: ConnectionKind,
  ): McpServer {
    const serving = client === undefined ? options.serving : { ...options.serving, client };
    return createMcpServer(surface, serving, connection);
  }

  async function serveMcp(req: IncomingMessage, res: ServerResponse): Promise<Refused | undefined> {
    const client = await options.authenticator.authenticate(req);
    if ("reply" in client) return client;
    const profile = profileIn(req);
    const surface = options.surfaceFor(client, profile);
    if (surface === undefined) {
      if (profile !== undefined) return { reply: unknownProfile() };
      const who = client.name === undefined ? "This client" : `Client '${client.name}'`;
      const headers = options.authenticator.challenge?.(req) ?? {};
      return { reply: errorReply(403, `${who} has no policy assigned`, headers) };
    }
    return await placeOf(profile)(() => serveOn({ surface, client, profile }, { req, res }));
  }

  async function serveOn(
    served: Pick<SessionRequest, "surface" | "client" | "profile">,
    { req, res }: { readonly req: IncomingMessage; readonly res: ServerResponse },
  ): Promise<Refused | undefined> {
    const key = served.client.name ?? req.socket.remoteAddress ?? "";
    const id = req.headers[sessionHeader]?.toString();
    const asked = { ...served, owner: key, id };
    if (req.method !== "POST" && sessions.find(asked) === undefined) {
      return { reply: id === undefined ? methodNotAllowed(req) : unknownSession() };
    }
    // Calls that were on their way are answered
    const accepts = req.method === "POST" ? options.accepts ?? options.isReady : options.isReady;
    if (!accepts()) return { reply: shuttingDown() };

    if (!ledger.count(key)) return { reply: busy(429, "Too many requests in a minute") };
    const leave = ledger.enter(key);
    if (typeof leave === "number") return { reply: busy(leave, "Too many requests at once") };
    try {
      if (req.method !== "POST") {
        return await exchange(req, res, { asked, body: undefined });
      }
      const body = await readBody(req, { ledger, limits, client: key });
      if ("reply" in body) return body;
      try {
        return await exchange(req, res, { asked, body: body.value });
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
    { asked, body }: ReadRequest,
  ): Promise<Refused | undefined> {
    const { surface, client, owner, id } = asked;
    const wrong = refusedSubscription(body);
    if (wrong !== undefined) return { reply: wrong };
    // Subscriptions end with the server; calls are awaited
    const isSubscribing = isSubscription(body);
    const until = isSubscribing ? ending.signal : undefined;
    if (until?.aborted) return { reply: shuttingDown() };
    const handler = handlers.of(surface);
    const request = webRequest(req, res, until);
    const session = await sessions.of(request, asked, body);
    if (session === undefined && id !== undefined && needsSession(body)) {
      return { reply: unknownSession() };
    }
    const leaveSession = session && sessions.use(session);
    const stopWatching = access.add({
      ...asked,
      kind: isSubscribing || body === undefined ? "stream" : "call",
      end: () => void res.destroy(),
    });
    const stopFollowing = follow(handlers.subscriptionsOf(surface), body, client.name);
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
      stopWatching();
      stopFollowing?.();
    }
    return undefined;
  }

  async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const started = performance.now();
    if (options.mayRead !== undefined) allowPage(req, res, options.mayRead);
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
      const exchange = placeOf(undefined)(() => answer(req, res));
      exchanges.add(exchange);
      await exchange;
      exchanges.delete(exchange);
    },
    endStreams() {
      ending.abort();
      sessions.endStreams();
    },
    async idle() {
      while (exchanges.size > 0) await Promise.all(exchanges);
    },
    async close() {
      ledger.close();
      access.close();
      await Promise.all([sessions, handlers].map((each) => each.close()));
    },
  };
}
