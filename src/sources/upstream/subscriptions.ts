/** Follows resources of one server for clients, over all connections to it. */

import type { McpSubscription } from "@modelcontextprotocol/client";
import { messageOf } from "../../errors.ts";
import { log } from "../../log.ts";
import type { Clock } from "../../async/clock.ts";
import { connectMs, maxSubscribed, refetchMs } from "./_bounds.ts";
import type { UpstreamConnection } from "./connection.ts";

export class Subscriptions {
  readonly #server: string;
  readonly #clock: Clock;
  /** Resources whose change was reported just now; true if they have changed again since. */
  readonly #recent = new Map<string, boolean>();
  readonly #listeners = new Map<string, Set<() => void>>();
  #connection: UpstreamConnection | undefined;
  /** The subscription at a server of 2026-07-28, which is one for all addresses. */
  #stream: McpSubscription | undefined;
  /** The last request to the server, which the next one waits for. */
  #last: Promise<void> = Promise.resolve();

  constructor(server: string, clock: Clock) {
    this.#server = server;
    this.#clock = clock;
  }

  get size(): number {
    return this.#listeners.size;
  }

  /** Calls `onUpdate` when the resource at `uri` changes. Returns nothing if too many are followed. */
  async add(uri: string, onUpdate: () => void): Promise<(() => void) | undefined> {
    const known = this.#listeners.get(uri);
    if (known === undefined && this.#listeners.size >= maxSubscribed) return undefined;
    const listeners = known ?? new Set();
    listeners.add(onUpdate);
    this.#listeners.set(uri, listeners);
    if (known === undefined) await this.#change((client) => client.subscribeResource({ uri }));
    return () => {
      listeners.delete(onUpdate);
      if (listeners.size > 0 || this.#listeners.get(uri) !== listeners) return;
      this.#listeners.delete(uri);
      void this.#change((client) => client.unsubscribeResource({ uri }));
    };
  }

  async resume(connection: UpstreamConnection): Promise<void> {
    this.#connection = connection;
    this.#stream = undefined;
    await this.#change(async (client) => {
      for (const uri of this.#listeners.keys()) await client.subscribeResource({ uri });
    });
    // They may have changed while there was no connection
    for (const uri of this.#listeners.keys()) this.onUpdated(uri);
  }

  /** Reports that the resource at `uri` has changed, but seldom: the server may say so all the time. */
  onUpdated(uri: string): void {
    if (!this.#listeners.has(uri)) return;
    if (this.#recent.has(uri)) return void this.#recent.set(uri, true);
    this.#recent.set(uri, false);
    this.#clock.after(refetchMs, () => {
      const hasMore = this.#recent.get(uri);
      this.#recent.delete(uri);
      if (hasMore) this.onUpdated(uri);
    }, { unref: true });
    for (const listener of this.#listeners.get(uri) ?? []) listener();
  }

  /** Tells the server what is followed: an older one by `request`, a server of 2026-07-28 by a new subscription. */
  async #change(
    request: (client: UpstreamConnection["client"]) => Promise<unknown>,
  ): Promise<void> {
    this.#last = this.#last.then(async () => {
      const client = this.#connection?.client;
      if (client?.getServerCapabilities()?.resources?.subscribe !== true) return;
      try {
        if (client.getProtocolEra() === "modern") await this.#listen(client);
        else await request(client);
      } catch (error) {
        log("info", `server '${this.#server}': subscription: ${messageOf(error)}`);
      }
    });
    await this.#last;
  }

  async #listen(client: UpstreamConnection["client"]): Promise<void> {
    const before = this.#stream;
    const uris = [...this.#listeners.keys()];
    // The old one ends after the new one has begun, so that no change is missed
    this.#stream = uris.length === 0
      ? undefined
      : await client.listen({ resourceSubscriptions: uris }, { timeout: connectMs });
    await before?.close();
  }
}
