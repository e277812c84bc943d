/**
 * The resources that the streams of 2026-07-28 on a stdio connection follow. The SDK has the streams and does not say
 * which resources they name, so the messages do.
 */

import type { JSONRPCMessage } from "@modelcontextprotocol/server";
import type { ResourceSubscriptions } from "./resource_subscriptions.ts";

export class StdioSubscriptions {
  readonly #subscriptions: ResourceSubscriptions;
  readonly #open = new Map<unknown, () => void>();

  constructor(subscriptions: ResourceSubscriptions) {
    this.#subscriptions = subscriptions;
  }

  received(message: JSONRPCMessage): void {
    if (!("method" in message)) return;
    if (message.method === "notifications/cancelled") this.#end(message.params?.["requestId"]);
    if (message.method !== "subscriptions/listen" || !("id" in message)) return;
    if (this.#open.has(message.id)) return;
    const stop = this.#subscriptions.followAll(message.params);
    if (stop !== undefined) this.#open.set(message.id, stop);
  }

  /** A result or an error ends the stream of its request. */
  sent(message: JSONRPCMessage): void {
    if (!("method" in message)) this.#end(message.id);
  }

  close(): void {
    for (const id of this.#open.keys()) this.#end(id);
  }

  #end(id: unknown): void {
    this.#open.get(id)?.();
    this.#open.delete(id);
  }
}
