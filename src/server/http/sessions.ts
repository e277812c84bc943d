/**
 * Connects clients with servers of the SDK: a handler for each surface, and a session for each client of 2025 that
 * follows resources, gets notifications on a stream or can be asked.
 */

import {
  createMcpHandler,
  isInitializeRequest,
  isLegacyRequest,
  type RequestId,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import { type CancelTimer, type Clock, systemClock } from "../../async/clock.ts";
import type { ServedMcp } from "../mcp_server.ts";
import { logSdkError } from "../requests.ts";
import type { ConnectionKind, Surface } from "../surface.ts";
import type { AccessWatch } from "./access_watch.ts";
import type { HttpClientIdentity } from "./client.ts";
import { countHeld, oldestOfLargest } from "../../async/semaphore.ts";
import { validateSubscription } from "../receive.ts";
import { type HttpReply, jsonReply } from "./answer.ts";
import type { HttpLimits } from "./limits.ts";

export type CreateServer = (
  surface: Surface,
  client: HttpClientIdentity,
  connection: ConnectionKind,
) => ServedMcp;

const maxSessions = 1000;

/** A session ends after this many milliseconds without a request or a stream. */
const sessionIdleMs = 30 * 60_000;

/** The stream of a session ends if more than this many bytes (1 MiB) are unread; its client may open another. */
const maxUnreadBytes = 1024 * 1024;

export const sessionHeader = "mcp-session-id";

export interface SessionRequest {
  readonly surface: Surface;
  readonly profile: string | undefined;
  readonly client: HttpClientIdentity;
  /** Who has the session, and has a share of all sessions: the client, or without authentication its address. */
  readonly owner: string;
  readonly id: string | undefined;
}

export interface HttpSession {
  readonly id: string;
  readonly owner: string;
  readonly client: string | undefined;
  readonly surface: Surface;
  readonly mcp: ServedMcp;
  readonly transport: WebStandardStreamableHTTPServerTransport;
  readonly requestIds: RequestIds;
  open: number;
  idleSince: number;
  cancelExpiry?: CancelTimer | undefined;
  stopWatching?: (() => void) | undefined;
}

interface HttpSessionOptions {
  readonly createServer: CreateServer;
  readonly most?: number;
  readonly clock?: Clock | undefined;
  readonly access?: AccessWatch | undefined;
}

export class HttpSessions {
  readonly #clock: Clock;
  readonly #sessions = new Map<string, HttpSession>();
  #lastIdle = -Infinity;

  constructor(private readonly options: HttpSessionOptions) {
    this.#clock = options.clock ?? systemClock;
  }

  async of(
    request: Request,
    asked: SessionRequest,
    body: unknown,
  ): Promise<HttpSession | undefined> {
    const { surface, client, id } = asked;
    const isFirst = isInitializeRequest(body);
    // Without authentication, only sessions tell clients apart, and no client may get another's answers to questions
    const isNeeded = surface.features !== undefined || client.name === undefined;
    if (!isNeeded || id === undefined && !isFirst) return undefined;
    if (!await isLegacyRequest(request, body)) return undefined;
    return this.find(asked) ?? (isFirst ? await this.#begin(asked) : undefined);
  }

  find({ id, surface, client }: SessionRequest): HttpSession | undefined {
    const session = id === undefined ? undefined : this.#sessions.get(id);
    return session?.client === client.name && session?.surface === surface ? session : undefined;
  }

  use(session: HttpSession): () => void {
    session.open++;
    session.cancelExpiry?.();
    return () => {
      if (--session.open > 0) return;
      const end = () => void this.#end(session);
      // The `initialize` of the session was refused: no client knows the id of the session, so the session ends
      if (session.transport.sessionId === undefined) return end();
      if (!this.#sessions.has(session.id)) return;
      session.idleSince = this.#lastIdle = Math.max(this.#clock.now(), this.#lastIdle + 1e-3);
      session.cancelExpiry = this.#clock.after(sessionIdleMs, end, { unref: true });
    };
  }

  endStreams(): void {
    for (const { transport } of this.#sessions.values()) transport.closeStandaloneSSEStream();
  }

  async close(): Promise<void> {
    await Promise.all([...this.#sessions.values()].map((session) => this.#end(session)));
  }

  /** Begins a session; returns nothing if there are too many sessions and all are in use. */
  async #begin(
    { surface, client, owner, profile }: SessionRequest,
  ): Promise<HttpSession | undefined> {
    if (this.#sessions.size >= (this.options.most ?? maxSessions)) {
      const all = [...this.#sessions.values()].sort((a, b) => a.idleSince - b.idleSince);
      const oldest = oldestOfLargest(all.filter(({ open }) => open === 0), countHeld(all));
      if (oldest === undefined) return undefined;
      void this.#end(oldest);
    }
    const id = crypto.randomUUID();
    const mcp = this.options.createServer(surface, client, "connection");
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => id,
      onsessionclosed: () => this.#end(session),
    });
    const requestIds = new RequestIds();
    const send = transport.send.bind(transport);
    transport.send = (message, options) => {
      const sent = send(message, options);
      // The SDK frees the id of a request when it gets the answer, even if the client has not read the answer yet
      if (!("method" in message)) requestIds.onAnswer(message.id);
      return sent;
    };
    const own = { id, owner, client: client.name, surface, mcp, transport, requestIds };
    const session: HttpSession = { ...own, open: 0, idleSince: Infinity };
    this.#sessions.set(id, session);
    const end = () => void this.#end(session);
    const use = { client, profile, surface, kind: "session", end } as const;
    session.stopWatching = this.options.access?.add(use);
    await mcp.connect(transport);
    return session;
  }

  async #end(session: HttpSession): Promise<void> {
    session.cancelExpiry?.();
    session.stopWatching?.();
    if (!this.#sessions.delete(session.id)) return;
    await session.mcp.close().catch((error) => logSdkError("http", error));
  }
}

/** Makes a handler for each surface, so that clients get the notifications of their own surface only. */
export function surfaceHandlers(createServer: CreateServer, { bodyBytes }: HttpLimits) {
  const open = (surface: Surface) => {
    const { fetch, notify, close } = createMcpHandler(({ authInfo, era }) => {
      const client = authInfo?.extra?.["client"] as HttpClientIdentity;
      return createServer(surface, client, era === "modern" ? "streams" : "request");
    }, { maxRequestBodySize: bodyBytes, onerror: (error) => logSdkError("http", error) });
    surface.onChange(() => notify.toolsChanged());
    surface.features?.onChange(({ prompts, resources }) => {
      if (prompts) notify.promptsChanged();
      if (resources) notify.resourcesChanged();
    });
    const subscriptions = surface.features?.subscriptions((uri) => notify.resourceUpdated(uri));
    return { fetch, subscriptions, close };
  };
  const handlers = new Map<Surface, ReturnType<typeof open>>();
  return {
    of: (surface: Surface) => handlers.getOrInsertComputed(surface, () => open(surface)),
    async close(): Promise<void> {
      await Promise.all(handlers.values().map((each) => each.close()));
    },
  };
}

export function isSubscription(
  body: unknown,
): body is { readonly id?: unknown; readonly method: string; readonly params?: unknown } {
  return (body as { method?: unknown } | null)?.method === "subscriptions/listen";
}

/** Refuses an invalid subscription to tasks, which the SDK would accept. */
export function refuseSubscription(body: unknown): HttpReply | undefined {
  const error = isSubscription(body) ? validateSubscription(body) : undefined;
  if (error === undefined) return undefined;
  const { id = null } = body as { id?: unknown };
  return jsonReply(400, { jsonrpc: "2.0", id, error });
}

/** Sends `request` to `session`. A call ends when the client disconnects, as the answer would be lost. */
export async function sessionResponse(
  { transport, mcp }: HttpSession,
  request: Request,
  options: Parameters<WebStandardStreamableHTTPServerTransport["handleRequest"]>[1],
  held: HeldId,
): Promise<Response> {
  mcp.plain.cancelBy(options?.parsedBody);
  const cancel = () => {
    if (!held.isHeld()) return;
    const params = { requestId: held.id as RequestId, reason: request.signal.reason };
    transport.onmessage?.({ jsonrpc: "2.0", method: "notifications/cancelled", params });
  };
  request.signal.addEventListener("abort", cancel, { once: true });
  const response = await transport.handleRequest(request, options);
  if (request.signal.aborted) cancel();
  if (request.method !== "GET" || response.body === null) return response;
  return new Response(boundStream(response.body, maxUnreadBytes), response);
}

const ofSessions = new Set(["resources/subscribe", "resources/unsubscribe", "logging/setLevel"]);

export function startsSession(body: unknown): boolean {
  const { method, result, error } = (body ?? {}) as Record<string, unknown>;
  return ofSessions.has(String(method)) ||
    (method === undefined && (result ?? error) !== undefined);
}

/** Returns `body` with an error once `maxBytes` are unread; the SDK would store any number. */
export function boundStream(
  body: ReadableStream<Uint8Array>,
  maxBytes: number,
): ReadableStream<Uint8Array> {
  const strategy = new ByteLengthQueuingStrategy({ highWaterMark: maxBytes });
  const bounded = new TransformStream<Uint8Array, Uint8Array>(
    {
      transform(chunk, controller) {
        controller.enqueue(chunk);
        if (controller.desiredSize! > 0) return;
        controller.error(new Error("The client reads too slowly"));
      },
    },
    undefined,
    strategy,
  );
  return body.pipeThrough(bounded);
}

export interface HeldId {
  readonly id: unknown;
  isHeld(): boolean;
  release(): void;
}

/** The ids of unfinished requests of a session, each used once: the SDK finds the stream of an answer by the id. */
export class RequestIds {
  readonly #held = new Map<unknown, HeldId>();

  /** Reserves the id of a request; returns nothing if the id is in use. */
  hold(body: unknown): HeldId | undefined {
    const { id, method } = (body ?? {}) as { id?: unknown; method?: unknown };
    const isHeld = () => this.#held.get(id) === held;
    const release = () => void (isHeld() && this.#held.delete(id));
    const held: HeldId = { id, isHeld, release };
    if (id === undefined || method === undefined) return held;
    if (this.#held.has(id)) return undefined;
    this.#held.set(id, held);
    return held;
  }

  onAnswer(id: unknown): void {
    this.#held.delete(id);
  }
}
