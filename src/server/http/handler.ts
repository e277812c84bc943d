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
import * as replies from "./answer.ts";
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
  type CreateServer,
  type HeldId,
  type HttpSession,
  HttpSessions,
  isSubscription,
  refuseSubscription,
  RequestIds,
  sessionHeader,
  type SessionRequest,
  sessionResponse,
  startsSession,
  surfaceHandlers,
} from "./sessions.ts";
import { profileIn, route, type RouteOptions } from "./route.ts";

export interface HandlerOptions extends RouteOptions {
  /** Returns the surface for a client, within `profile` if given; nothing if the client has no policy there. */
  readonly surfaceFor: (client: HttpClientIdentity, profile?: string) => Surface | undefined;
  /** Returns the function that runs calls within a profile and its directory. @default the directory of the process */
  readonly placeOf?: ((profile: string | undefined) => ProfileScope | undefined) | undefined;
  readonly limits: HttpLimits;
  readonly serving: Omit<Serving, "client">;
  readonly accepts?: (() => boolean) | undefined;
  readonly clock?: Clock | undefined;
  readonly onAnswered?: (status: number, ms: number) => void;
}

export class HttpHandler {
  readonly #clientLimits: ClientLimits;
  readonly #exchanges = new PendingWork();
  readonly #ending = new AbortController();
  readonly #plain = new PlainCalls();
  readonly #handlers: ReturnType<typeof surfaceHandlers>;
  readonly #access: AccessWatch;
  readonly #queues = new Map<string, CallQueue>();
  readonly #sessions: HttpSessions;

  constructor(private readonly options: HandlerOptions) {
    const { limits, clock, surfaceFor, authenticator } = options;
    this.#clientLimits = new ClientLimits(limits, clock);
    const createServer: CreateServer = (surface, client, connection) => {
      const isOfSession = connection === "connection";
      const serving = this.#servingOf(client, isOfSession);
      return createMcpServer(surface, serving, connection, isOfSession ? undefined : this.#plain);
    };
    this.#handlers = surfaceHandlers(createServer, limits);
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
    return this.options.placeOf?.(profile) ?? ((work) => work());
  }

  async #answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const { mayRead, onAnswered } = this.options;
    const started = performance.now();
    if (mayRead !== undefined) allowPage(req, res, mayRead);
    try {
      const reply = route(req, this.options) ?? await this.#serveMcp(req, res);
      if (reply !== undefined) replies.refuse(req, res, reply);
    } catch (error) {
      log("error", `http: ${messageOf(error)}`);
      replies.refuse(req, res, replies.errorReply(500, "Internal server error"));
    }
    onAnswered?.(res.statusCode, performance.now() - started);
  }

  async #serveMcp(
    req: IncomingMessage,
    res: ServerResponse,
  ): Promise<replies.HttpReply | undefined> {
    const { authenticator, surfaceFor } = this.options;
    const client = await authenticator.authenticate(req);
    if ("reply" in client) return client.reply;
    const profile = profileIn(req);
    const surface = surfaceFor(client, profile);
    if (surface === undefined) {
      if (profile !== undefined) return replies.unknownProfile;
      const who = client.name === undefined ? "This client" : `Client '${client.name}'`;
      return replies.errorReply(
        403,
        `${who} has no policy assigned`,
        authenticator.challenge?.(req) ?? {},
      );
    }
    const owner = client.name ?? req.socket.remoteAddress ?? "";
    const id = req.headers[sessionHeader]?.toString();
    const asked = { surface, client, profile, owner, id, req, res };
    return await this.#placeOf(profile)(() => this.#serveWithin(asked));
  }

  async #serveWithin(asked: HttpExchange): Promise<replies.HttpReply | undefined> {
    const { isReady, accepts = isReady, limits } = this.options;
    const { owner, id, req } = asked;
    const isPost = req.method === "POST";
    if (!isPost && this.#sessions.find(asked) === undefined) {
      return id === undefined ? replies.methodNotAllowed : replies.unknownSession;
    }
    if (!(isPost ? accepts : isReady)()) return replies.shuttingDown;

    const clientLimits = this.#clientLimits;
    if (!clientLimits.count(owner)) return replies.busy(429, "Too many requests in a minute");
    const leave = clientLimits.enter(owner);
    if (typeof leave === "number") return replies.busy(leave, "Too many requests at once");
    using ending = new DisposableStack();
    ending.defer(leave);
    if (!isPost) return await this.#exchange(asked, undefined);
    const body = await readBody(req, { clientLimits, limits, client: owner });
    if ("reply" in body) return body.reply;
    ending.defer(() => clientLimits.release(owner, body.bytes));
    return await this.#exchange(asked, body.value);
  }

  async #exchange(asked: HttpExchange, body: unknown): Promise<replies.HttpReply | undefined> {
    const { req, res } = asked;
    if (Array.isArray(body)) return replies.refuseInvalid(noBatch.message);
    const wrong = refuseSubscription(body);
    if (wrong !== undefined) return wrong;
    const until = isSubscription(body) ? this.#ending.signal : undefined;
    if (until?.aborted) return replies.shuttingDown;
    const held = (this.#sessions.find(asked)?.requestIds ?? new RequestIds()).hold(body);
    if (held === undefined) return replies.repeatedId;
    using ending = new DisposableStack();
    ending.defer(() => held.release());
    const { plain, session } = this.#beginPlain(asked, req, body);
    if (plain !== undefined) onDisconnect(res, (reason) => plain.cancel(reason));
    if (session !== undefined) ending.defer(this.#sessions.use(session));
    const stopWatching = this.#access.add({
      ...asked,
      kind: until !== undefined || body === undefined ? "stream" : "call",
      end: () => refuseExchange(res),
      // After a second, a call is handed over to the SDK, which keeps the connection alive during long calls
      wait: () => plain?.handOver(),
    });
    ending.defer(stopWatching);
    const answer = await plain?.response(session?.id);
    if (answer === undefined) {
      ending.defer(() => plain?.abandon());
      return await this.#answerBySdk(asked, body, { until, plain, held });
    }
    held.release();
    const { headers, text } = answer;
    if (!res.destroyed) await sendBytes(res, headers, text, this.#unsentTo(asked));
    return undefined;
  }

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
    asked: HttpExchange,
    body: unknown,
    { until, plain, held }: {
      readonly until: AbortSignal | undefined;
      readonly plain: PlainCall | undefined;
      readonly held: HeldId;
    },
  ): Promise<replies.HttpReply | undefined> {
    const { surface, client, id, req, res } = asked;
    const handler = this.#handlers.of(surface);
    const request = webRequest(req, res, until);
    const session = await this.#sessions.of(request, asked, body);
    if (session === undefined && id !== undefined && startsSession(body)) {
      return replies.unknownSession;
    }
    using ending = new DisposableStack();
    if (session !== undefined) ending.defer(this.#sessions.use(session));
    if (isSubscription(body)) {
      const stop = handler.subscriptions?.followAll(body.params, client.key);
      if (stop !== undefined) ending.defer(stop);
    }
    const scopes = [...client.scopes];
    const given = {
      parsedBody: body,
      authInfo: { token: "", clientId: client.name ?? "", scopes, extra: { client, plain } },
    };
    const response = session === undefined
      ? await handler.fetch(request, given)
      : await sessionResponse(session, request, given, held);
    await sendResponse(res, response, this.#unsentTo(asked));
    return undefined;
  }

  #servingOf({ name: client, key: owner }: HttpClientIdentity, isOfSession = false): Serving {
    const known = client === undefined ? {} : { client, owner };
    const own = isOfSession ? CallQueue.ofClient() : undefined;
    const place = JSON.stringify([owner, io().profile]);
    const enter: Serving["enter"] = (id) => {
      const queue = own ?? this.#sharedQueue(place);
      // Requests on several connections may be read in any order; their ids tell in which order the client sent them
      return queue.enter(Number.isFinite(Number(id)) ? Number(id) : undefined);
    };
    return { ...this.options.serving, ...known, enter, via: "http" };
  }

  #sharedQueue(place: string): CallQueue {
    for (const [each, { isEmpty }] of this.#queues) if (isEmpty) this.#queues.delete(each);
    return this.#queues.getOrInsertComputed(place, () => CallQueue.ofClient());
  }

  #unsentTo({ owner }: SessionRequest): Unsent {
    return (bytes) => this.#clientLimits.unsent(owner, bytes);
  }
}

interface HttpExchange extends SessionRequest {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
}
