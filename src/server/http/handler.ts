/** START HERE for one HTTP request: path → names → client → bounds → body → the SDK, or a session of 2025. */

import type { IncomingMessage, ServerResponse } from "node:http";
import { messageOf } from "../../errors.ts";
import { log } from "../../log.ts";
import type { Clock } from "../../async/clock.ts";
import { LinkedList } from "../../async/linked_list.ts";
import type { ProfilePlace } from "../../process/profile.ts";
import { ClientLogs } from "../_client.ts";
import { answerOf, createMcpServer } from "../mcp_server.ts";
import { type PlainCall, PlainCalls } from "../plain_calls.ts";
import type { Serving } from "../serving.ts";
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
import { noBatch } from "../inbox.ts";
import { readBody, refuseExchange, sendResponse, webRequest } from "./exchange.ts";
import type { HttpClientIdentity } from "./client.ts";
import { allowPage } from "./addresses.ts";
import { answerPlain, plainHttpRequest } from "./plain_exchange.ts";
import { ClientLimits, type HttpLimits } from "./limits.ts";
import { type HeldId, RequestIds } from "./request_ids.ts";
import { profileIn, route, type RouteOptions } from "./route.ts";
import {
  HttpSessions,
  sessionHeader,
  type SessionRequest,
  sessionResponse,
  startsSession,
} from "./sessions.ts";
import {
  type CreateServer,
  follow,
  isSubscription,
  refuseSubscription,
  SurfaceHandlers,
} from "./surface_handlers.ts";

export interface HandlerOptions extends RouteOptions {
  /** The surface for a client, of a profile if it is given; nothing for a client without one. */
  readonly surfaceFor: (client: HttpClientIdentity, profile?: string) => Surface | undefined;
  /** Where the requests to a profile run, or those to none. @default in the place of this process */
  readonly placeOf?: ((profile: string | undefined) => ProfilePlace | undefined) | undefined;
  readonly limits: HttpLimits;
  readonly serving: Omit<Serving, "client">;
  /** Requests of open connections are answered. @default as long as it is ready */
  readonly accepts?: (() => boolean) | undefined;
  readonly clock?: Clock | undefined;
  readonly onAnswered?: (status: number, ms: number) => void;
}

/** The state of one port. */
export class HttpHandler {
  readonly #options: HandlerOptions;
  readonly #clientLimits: ClientLimits;
  readonly #exchanges = new LinkedList<Promise<void>>();
  readonly #ending = new AbortController();
  /** Those without a session. */
  readonly #plain = new PlainCalls();
  readonly #handlers: SurfaceHandlers;
  readonly #access: AccessWatch;
  readonly #sessions: HttpSessions;

  constructor(options: HandlerOptions) {
    const { limits, state, clock, surfaceFor, authenticator, serving } = options;
    this.#options = options;
    this.#clientLimits = new ClientLimits(limits, { state, clock });
    const createServer: CreateServer = (surface, client, connection) => {
      const own = servingOf(serving, client);
      const plain = connection === "connection" ? undefined : this.#plain;
      return createMcpServer(surface, plain === undefined ? own : { ...own, plain }, connection);
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
    const remove = this.#exchanges.add(exchange);
    await exchange;
    remove();
  }

  endStreams(): void {
    this.#ending.abort();
    this.#sessions.endStreams();
  }

  async idle(): Promise<void> {
    while (this.#exchanges.size > 0) await Promise.all(this.#exchanges);
  }

  async close(): Promise<void> {
    this.#clientLimits.close();
    this.#access.close();
    await Promise.all([this.#sessions.close(), this.#handlers.close()]);
  }

  #placeOf(profile: string | undefined): ProfilePlace {
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
      return id === undefined ? methodNotAllowed(req) : unknownSession();
    }
    // Calls that were on their way are answered
    if (!(isPost ? accepts : isReady)()) return replyShuttingDown();

    const clientLimits = this.#clientLimits;
    if (!clientLimits.count(owner)) return busy(429, "Too many requests in a minute");
    const leave = await clientLimits.enterAfterRefresh(owner);
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

  /** Answers a request whose body was read; a request for a stream has none. */
  async #exchange(
    asked: SessionRequest,
    body: unknown,
    [req, res]: Exchange,
  ): Promise<HttpReply | undefined> {
    if (Array.isArray(body)) return refuseInvalid(noBatch.message);
    const wrong = refuseSubscription(body);
    if (wrong !== undefined) return wrong;
    // Subscriptions end with the server; calls are awaited
    const until = isSubscription(body) ? this.#ending.signal : undefined;
    if (until?.aborted) return replyShuttingDown();
    const held = (this.#sessions.find(asked)?.requestIds ?? new RequestIds()).hold(body);
    if (held === undefined) return refuseInvalid(repeatedId);
    let plain: PlainCall | "answered" | undefined;
    try {
      plain = await this.#answerPlain(asked, body, [req, res], held);
      if (plain === "answered") return undefined;
      return await this.#answerBySdk(asked, body, [req, res], { until, plain, held });
    } finally {
      if (plain !== "answered") plain?.abandon();
      held.release();
    }
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
    const { surface, client, owner, id } = asked;
    const handler = this.#handlers.of(surface);
    const request = webRequest(req, res, until);
    const session = await this.#sessions.of(request, asked, body);
    if (session === undefined && id !== undefined && startsSession(body)) return unknownSession();
    const leaveSession = session && this.#sessions.use(session);
    const stopWatching = this.#access.add({
      ...asked,
      kind: until !== undefined || body === undefined ? "stream" : "call",
      end: () => refuseExchange(res),
    });
    const stopFollowing = follow(handler.subscriptions, body, client.key);
    const scopes = [...client.scopes];
    const given = {
      parsedBody: body,
      authInfo: { token: "", clientId: client.name ?? "", scopes, extra: { client, plain } },
    };
    try {
      const response = session === undefined
        ? await handler.fetch(request, given)
        : await sessionResponse(session, request, given, held);
      await sendResponse(res, response, (bytes) => this.#clientLimits.unsent(owner, bytes));
    } finally {
      leaveSession?.();
      stopWatching();
      stopFollowing?.();
    }
    return undefined;
  }

  /** Answers a plain call. Returns it if the SDK shall answer, and nothing for other requests. */
  async #answerPlain(
    asked: SessionRequest,
    body: unknown,
    [req, res]: Exchange,
    held: HeldId,
  ): Promise<"answered" | PlainCall | undefined> {
    const request = plainHttpRequest(req, body);
    if (request === undefined) return undefined;
    const session = request.envelope === undefined ? this.#sessions.find(asked) : undefined;
    const { owner, surface, client } = asked;
    const { plain, answer } = session?.mcp ?? {
      plain: this.#plain,
      answer: answerOf(surface, servingOf(this.#options.serving, client), {
        logs: new ClientLogs(),
      }),
    };
    const call = plain.begin(request, answer);
    if (call === undefined) return undefined;
    const leaveSession = session && this.#sessions.use(session);
    const end = () => refuseExchange(res);
    // The SDK keeps the connection of a long call open
    const use = { ...asked, kind: "call", end, wait: () => call.handOver() } as const;
    const stopWatching = this.#access.add(use);
    try {
      const unsent = (bytes: number) => this.#clientLimits.unsent(owner, bytes);
      const onAnswer = () => held.release();
      const sending = { session: session?.id, unsent, onAnswer };
      return await answerPlain(call, res, sending) ? "answered" : call;
    } finally {
      leaveSession?.();
      stopWatching();
    }
  }
}

function servingOf(
  serving: Omit<Serving, "client">,
  { name: client, key: owner }: HttpClientIdentity,
): Serving {
  const known = client === undefined ? {} : { client, owner };
  return { ...serving, ...known, via: "http" };
}

type Exchange = readonly [req: IncomingMessage, res: ServerResponse];
