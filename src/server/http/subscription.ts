/** Requests of 2026-07-28 for a stream of notifications. */

import type { ResourceSubscriptions } from "../resource_subscriptions.ts";
import { validateSubscription } from "../request_validation.ts";
import { type HttpReply, jsonReply } from "./answer.ts";

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
