/** Keeps a handler of the SDK for each surface, for requests without a session and for streams of 2026-07-28. */

import { createMcpHandler } from "@modelcontextprotocol/server";
import type { ServedMcp } from "../mcp_server.ts";
import { logSdkError } from "../requests.ts";
import type { ConnectionKind, Surface } from "../surface.ts";
import type { HttpClientIdentity } from "./client.ts";
import type { HttpLimits } from "./limits.ts";
import { validateSubscription } from "../receive.ts";
import { type HttpReply, jsonReply } from "./answer.ts";

export type CreateServer = (
  surface: Surface,
  client: HttpClientIdentity,
  connection: ConnectionKind,
) => ServedMcp;

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
