/** The handlers of the SDK for requests without a session, one for each surface, and the streams of 2026-07-28. */

import {
  createMcpHandler,
  type McpHttpHandler,
  type McpServer,
} from "@modelcontextprotocol/server";
import { logSdkError } from "../serving.ts";
import type { ResourceSubscriptions } from "../resource_subscriptions.ts";
import type { ConnectionKind, Surface } from "../surface.ts";
import type { HttpClientIdentity } from "./client.ts";
import type { HttpLimits } from "./limits.ts";
import { validateSubscription } from "../request_validation.ts";
import { type HttpReply, jsonReply } from "./answer.ts";

export interface SurfaceHandlerOptions {
  /** Makes the server of the SDK for one connection. */
  readonly createServer: (
    surface: Surface,
    client: string | undefined,
    connection: ConnectionKind,
  ) => McpServer;
  readonly limits: HttpLimits;
}

/** Clients with the same surface get the same notifications, and no others. */
export class SurfaceHandlers {
  readonly #options: SurfaceHandlerOptions;
  readonly #handlers = new Map<Surface, McpHttpHandler>();
  readonly #subscriptions = new Map<Surface, ResourceSubscriptions>();

  constructor(options: SurfaceHandlerOptions) {
    this.#options = options;
  }

  of(surface: Surface): McpHttpHandler {
    const known = this.#handlers.get(surface);
    if (known !== undefined) return known;
    const { createServer, limits } = this.#options;
    const handler = createMcpHandler(({ authInfo, era }) => {
      const { name } = authInfo?.extra?.["client"] as HttpClientIdentity;
      return createServer(surface, name, era === "modern" ? "streams" : "request");
    }, {
      maxRequestBodySize: limits.bodyBytes,
      onerror: (error) => logSdkError("http", error),
    });
    surface.onChange(() => handler.notify.toolsChanged());
    const following = surface.features?.subscriptions((uri) => handler.notify.resourceUpdated(uri));
    if (following !== undefined) this.#subscriptions.set(surface, following);
    surface.features?.onChange(({ prompts, resources }) => {
      if (prompts) handler.notify.promptsChanged();
      if (resources) handler.notify.resourcesChanged();
    });
    this.#handlers.set(surface, handler);
    return handler;
  }

  subscriptionsOf(surface: Surface): ResourceSubscriptions | undefined {
    return this.#subscriptions.get(surface);
  }

  async close(): Promise<void> {
    await Promise.all(this.#handlers.values().map((each) => each.close()));
  }
}

export function isSubscription(body: unknown): boolean {
  return (body as { method?: unknown } | null)?.method === "subscriptions/listen";
}

/** Follows the resources of a subscription while it is open. */
export function follow(
  subscriptions: ResourceSubscriptions | undefined,
  body: unknown,
  owner: string | undefined,
): (() => void) | undefined {
  if (subscriptions === undefined || !isSubscription(body)) return undefined;
  return subscriptions.followAll((body as { params?: unknown }).params, owner);
}

/** Refuses a subscription that the SDK would accept. */
export function refusedSubscription(body: unknown): HttpReply | undefined {
  if (!isSubscription(body)) return undefined;
  const { id = null, ...message } = body as { id?: unknown; method: string };
  const error = validateSubscription(message);
  return error && jsonReply(400, { jsonrpc: "2.0", id, error });
}
