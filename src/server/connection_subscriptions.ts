/** Subscriptions of a client of 2025, and log messages of no call: what needs a connection. */

import { type McpServer, ResourceNotFoundError } from "@modelcontextprotocol/server";
import type { FeatureServices } from "../call/context.ts";
import { logSdkError } from "./_sdk_error.ts";
import { ResourceSubscriptions } from "./resource_subscriptions.ts";
import type { ClientServing } from "./serving.ts";

/** What a client of 2025 gets without asking in each request: changes of resources, and log messages of no call. */
export function serveSubscriptions(
  mcp: McpServer,
  services: FeatureServices,
  { client, logs }: ClientServing,
): () => void {
  const { server } = mcp;
  const ignore = (error: unknown) => logSdkError("protocol", error);
  const subscriptions = new ResourceSubscriptions(services, (uri) => {
    server.sendResourceUpdated({ uri }).catch(ignore);
  });
  const stops = new Map<string, () => void>();
  server.setRequestHandler("resources/subscribe", async ({ params: { uri } }) => {
    if (stops.has(uri)) return {};
    const stop = await subscriptions.follow(uri, client);
    if (stop === undefined) throw new ResourceNotFoundError(uri);
    // A second request may have been faster
    stops.get(uri)?.();
    stops.set(uri, stop);
    return {};
  });
  server.setRequestHandler("resources/unsubscribe", ({ params: { uri } }) => {
    stops.get(uri)?.();
    stops.delete(uri);
    return {};
  });
  logs.listener = services.onLog((message) => {
    const params = { ...message };
    server.notification({ method: "notifications/message", params }).catch(ignore);
  }, client);
  return () => {
    logs.listener?.stop();
    for (const stop of stops.values()) stop();
    stops.clear();
  };
}
