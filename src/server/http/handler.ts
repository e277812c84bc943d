/** START HERE for one HTTP request: path → names → client → bounds → body → the SDK, or a session of 2025. */

import type { IncomingMessage, ServerResponse } from "node:http";
import { messageOf } from "../../errors.ts";
import { log } from "../../log.ts";
import type { Clock } from "../../async/clock.ts";
import { CallQueue } from "../../call/call_queue.ts";
import { io } from "../../io.ts";
import { PendingWork } from "../../async/deadline.ts";
import type { ProfileScope } from "../../process/profile.ts";
import { createMcpServer } from "../mcp_server.ts";
import { type PlainCall, PlainCalls, plainHttpRequest } from "../plain_calls.ts";
import { noBatch } from "../receive.ts";
import { answerOf, type Serving } from "../requests.ts";
import { sentUnasked } from "../../tool/runner.ts";
import type { Surface } from "../surface.ts";
import { AccessWatch } from "./access_watch.ts";
import {
  busy,
  errorReply,
  type HttpReply,
  methodNotAllowed,
  refuse,
  refuseInvalid,
  repeatedId,
  replyShuttingDown,
  unknownProfile,
  unknownSession,
} from "./answer.ts";
import {
  onDisconnect,
  readBody,
  refuseExchange,
  sendBytes,
  sendResponse,
  type Unsent,
  webRequest,
} from "./exchange.ts";
import type { HttpClientIdentity } from "./client.ts";
import { allowPage } from "./addresses.ts";
import { ClientLimits, type HttpLimits } from "./limits.ts";
import {
  type HeldId,
  type HttpSession,
  HttpSessions,
  RequestIds,
  sessionHeader,
  type SessionRequest,
  sessionResponse,
  startsSession,
} from "./sessions.ts";
import { profileIn, route, type RouteOptions } from "./route.ts";
import {
  type CreateServer,
  isSubscription,
  refuseSubscription,
  SurfaceHandlers,
} from "./surface_handlers.ts";

export interface HandlerOptions extends RouteOptions {
  /** Returns the surface for a client, within `profile` if given; nothing if the client has no policy there. */
  readonly surfaceFor: (client: HttpClientIdentity, profile?: string) => Surface | undefined;
  /** Returns a function that runs requests with a profile's folder and variables. @default those of the process */
  readonly placeOf?: ((profile: string | undefined) => ProfileScope | undefined) | undefined;
  readonly limits: HttpLimits;
  readonly serving: Omit<Serving, "client">;
  /** Returns whether requests on open connections are answered. @default while connections are accepted */
  readonly accepts?: (() => boolean) | undefined;
  readonly clock?: Clock | undefined;
  readonly onAnswered?: (status: number, ms: number) => void;
}

export class HttpHandler {
  readonly #options: HandlerOptions;
  readonly #clientLimits: ClientLimits;
  readonly #exchanges = new PendingWork();
  readonly #ending = new AbortController();
  /** The plain calls of requests without a session. */
  readonly #plain = new PlainCalls();
  readonly #handlers: SurfaceHandlers;
  readonly #access: AccessWatch;
  /** The order of calls without a session, for each client in each profile. */
  readonly #queues = new Map<string, CallQueue>();
  readonly #sessions: HttpSessions;

  constructor(options: HandlerOptions) {
    const { limits, clock, surfaceFor, authenticator } = options;
    this.#options = options;
    this.#clientLimits = new ClientLimits(limits, clock);
    const createServer: CreateServer = (surface, client, connection) => {
      const isOfSession = connection === "connection";
      const serving = this.#servingOf(client, isOfSession);
      return createMcpServer(surface, serving, connection, isOfSession ? undefined : this.#plain);
    };
    this.#handlers = new SurfaceHandlers(createServer, limits);
    this.#access = new AccessWatch({
      accepts: (client) => this.#placeOf(undefined)(() => authenticator.accepts?.(client) ?? true),
      surfaceFor,
      clock,
    });
    this.#sessions = new HttpSessions({ access: this.#access, createServer, clock });
  }

  async handle(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const exchange = this.#placeOf(undefined)(() => this.#answer(req, res));
    this.#exchanges.add(exchange);
    await exchange;
  }

  endStreams(): void {
    this.#ending.abort();
    this.#sessions.endStreams();
  }

  async idle(): Promise<void> {
    await this.#exchanges.settled();
  }

  async close(): Promise<void> {
    this.#access.close();
    await Promise.all([this.#sessions.close(), this.#handlers.close()]);
  }

  #placeOf(profile: string | undefined): ProfileScope {
    return this.#options.placeOf?.(profile) ?? ((work) => work());
  }

  async #answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const { mayRead, onAnswered } = this.#options;
    const started = performance.now();
    if (mayRead !== undefined) allowPage(req, res, mayRead);
    try {
      const reply = route(req, this.#options) ?? await this.#serveMcp(req, res);
      if (reply !== undefined) refuse(req, res, reply);
    } catch (error) {
      log("error", `http: ${messageOf(error)}`);
      refuse(req, res, errorReply(500, "Internal server error"));
    }
    onAnswered?.(res.statusCode, performance.now() - started);
  }

  async #serveMcp(req: IncomingMessage, res: ServerResponse): Promise<HttpReply | undefined> {
    const { authenticator, surfaceFor } = this.#options;
    const client = await authenticator.authenticate(req);
    if ("reply" in client) return client.reply;
    const profile = profileIn(req);
    const surface = surfaceFor(client, profile);
    if (surface === undefined) {
      if (profile !== undefined) return unknownProfile();
      const who = client.name === undefined ? "This client" : `Client '${client.name}'`;
      return errorReply(403, `${who} has no policy assigned`, authenticator.challenge?.(req) ?? {});
    }
    const owner = client.name ?? req.socket.remoteAddress ?? "";
    const id = req.headers[sessionHeader]?.toString();
    const asked = { surface, client, profile, owner, id };
    return await this.#placeOf(profile)(() => this.#serveWithin(asked, [req, res]));
  }

  async #serveWithin(asked: SessionRequest, [req, res]: Exchange): Promise<HttpReply | undefined> {
    const { isReady, accepts = isReady, limits } = this.#options;
    const { owner, id } = asked;
    const isPost = req.method === "POST";
    if (!isPost && this.#sessions.find(asked) === undefined) {
      return id === undefined ? methodNotAllowed() : unknownSession();
    }
    // When serving ends, calls on open connections are still answered for a while
    if (!(isPost ? accepts : isReady)()) return replyShuttingDown();

    const clientLimits = this.#clientLimits;
    if (!clientLimits.count(owner)) return busy(429, "Too many requests in a minute");
    const leave = clientLimits.enter(owner);
    if (typeof leave === "number") return busy(leave, "Too many requests at once");
    try {
      if (!isPost) return await this.#exchange(asked, undefined, [req, res]);
      const body = await readBody(req, { clientLimits, limits, client: owner });
      if ("reply" in body) return body.reply;
      try {
        return await this.#exchange(asked, body.value, [req, res]);
      } finally {
        clientLimits.release(owner, body.bytes);
      }
    } finally {
      leave();
    }
  }

  /** Answers a request. `body` is parsed; a GET, which opens a stream, has none. */
  async #exchange(
    asked: SessionRequest,
    body: unknown,
    [req, res]: Exchange,
  ): Promise<HttpReply | undefined> {
    if (Array.isArray(body)) return refuseInvalid(noBatch.message);
    const wrong = refuseSubscription(body);
    if (wrong !== undefined) return wrong;
    // When serving ends, subscriptions are ended, while calls may finish
    const until = isSubscription(body) ? this.#ending.signal : undefined;
    if (until?.aborted) return replyShuttingDown();
    const held = (this.#sessions.find(asked)?.requestIds ?? new RequestIds()).hold(body);
    if (held === undefined) return refuseInvalid(repeatedId);
    const { plain, session } = this.#beginPlain(asked, req, body);
    if (plain !== undefined) onDisconnect(res, (reason) => plain.cancel(reason));
    const leaveSession = session && this.#sessions.use(session);
    const stopWatching = this.#access.add({
      ...asked,
      kind: until !== undefined || body === undefined ? "stream" : "call",
      end: () => refuseExchange(res),
      // After a second, a call is handed over to the SDK, which keeps the connection alive during long calls
      wait: () => plain?.handOver(),
    });
    try {
      const answer = await plain?.response(session?.id);
      if (answer === undefined) {
        const how = { until, plain, held };
        return await this.#answerBySdk(asked, body, [req, res], how)
          .finally(() => plain?.abandon());
      }
      held.release();
      const { headers, text } = answer;
      if (!res.destroyed) await sendBytes(res, headers, text, this.#unsentTo(asked));
      return undefined;
    } finally {
      leaveSession?.();
      stopWatching();
      held.release();
    }
  }

  /** Begins a plain call, within the session of a client of 2025 if it has one; other requests are left to the SDK. */
  #beginPlain(
    asked: SessionRequest,
    { headers }: IncomingMessage,
    body: unknown,
  ): { readonly plain?: PlainCall | undefined; readonly session?: HttpSession | undefined } {
    const request = plainHttpRequest(headers, body);
    if (request === undefined) return {};
    const { surface, client } = asked;
    const session = request.envelope === undefined ? this.#sessions.find(asked) : undefined;
    const logs = { level: sentUnasked };
    const { plain, answer } = session?.mcp ?? {
      plain: this.#plain,
      answer: answerOf(surface, this.#servingOf(client), { logs }),
    };
    return { plain: plain.begin(request, answer), session };
  }

  async #answerBySdk(
    asked: SessionRequest,
    body: unknown,
    [req, res]: Exchange,
    { until, plain, held }: {
      readonly until: AbortSignal | undefined;
      readonly plain: PlainCall | undefined;
      readonly held: HeldId;
    },
  ): Promise<HttpReply | undefined> {
    const { surface, client, id } = asked;
    const handler = this.#handlers.of(surface);
    const request = webRequest(req, res, until);
    const session = await this.#sessions.of(request, asked, body);
    if (session === undefined && id !== undefined && startsSession(body)) return unknownSession();
    const leaveSession = session && this.#sessions.use(session);
    const stopFollowing = isSubscription(body)
      ? handler.subscriptions?.followAll(body.params, client.key)
      : undefined;
    const scopes = [...client.scopes];
    const given = {
      parsedBody: body,
      authInfo: { token: "", clientId: client.name ?? "", scopes, extra: { client, plain } },
    };
    try {
      const response = session === undefined
        ? await handler.fetch(request, given)
        : await sessionResponse(session, request, given, held);
      await sendResponse(res, response, this.#unsentTo(asked));
    } finally {
      leaveSession?.();
      stopFollowing?.();
    }
    return undefined;
  }

  #servingOf({ name: client, key: owner }: HttpClientIdentity, isOfSession = false): Serving {
    const known = client === undefined ? {} : { client, owner };
    const own = isOfSession ? CallQueue.ofClient() : undefined;
    const place = JSON.stringify([owner, io().profile]);
    const enter: Serving["enter"] = (id) => {
      const queue = own ?? this.#sharedQueue(place);
      // Requests on several connections may be read in any order; their ids show the order in which they were sent
      return queue.enter(Number.isFinite(Number(id)) ? Number(id) : undefined);
    };
    return { ...this.#options.serving, ...known, enter, via: "http" };
  }

  #sharedQueue(place: string): CallQueue {
    for (const [each, { isEmpty }] of this.#queues) if (isEmpty) this.#queues.delete(each);
    return this.#queues.getOrInsertComputed(place, () => CallQueue.ofClient());
  }

  #unsentTo({ owner }: SessionRequest): Unsent {
    return (bytes) => this.#clientLimits.unsent(owner, bytes);
  }
}

type Exchange = readonly [req: IncomingMessage, res: ServerResponse];
