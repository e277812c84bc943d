/** Handles what a server reports without a request: changes of resources that clients follow, and log messages. */

import type { Clock } from "../../async/clock.ts";
import { isObject } from "../../text/own_property.ts";
import { excerpt } from "../../text/excerpt.ts";
import { type LogMessage, logSeverities, type LogSeverity } from "../../tool/runner.ts";
import { connectMs, maxLogLength, maxLogsPerSecond, maxSubscribed, refetchMs } from "./_bounds.ts";
import { cleanTexts } from "./_clean_texts.ts";
import { messageOf } from "../../errors.ts";
import { UpstreamError } from "./error.ts";
import { log } from "../../log.ts";
import type { UpstreamConnection } from "./connection.ts";
import type { McpSubscription } from "@modelcontextprotocol/client";

/** Reads log messages of a server, and drops those over {@linkcode maxLogsPerSecond}. */
export class LogReader {
  #second = 0;
  #count = 0;

  constructor(private readonly server: string, private readonly clock: Clock) {}

  read(params: unknown): LogMessage | undefined {
    if (!isObject(params)) return undefined;
    const { level, logger, data } = params;
    if (!logSeverities.includes(level as LogSeverity) || !this.#mayPass()) return undefined;
    const text = JSON.stringify(data ?? null);
    const name = typeof logger === "string" ? `${this.server}: ${logger}` : this.server;
    return {
      level: level as LogSeverity,
      logger: cleanTexts(excerpt(name, 200)),
      data: cleanTexts(text.length > maxLogLength ? excerpt(text, maxLogLength) : data ?? null),
    };
  }

  #mayPass(): boolean {
    const second = Math.floor(this.clock.now() / 1000);
    if (second !== this.#second) this.#count = 0;
    this.#second = second;
    return ++this.#count <= maxLogsPerSecond;
  }
}

/** Remembers which resources of a server clients follow, so that a new connection can follow them again. */
export class Subscriptions {
  readonly #recent = new Map<string, boolean>();
  readonly #listeners = new Map<string, Set<() => void>>();
  readonly #owners = new Map<string, string | undefined>();
  #connection: UpstreamConnection | undefined;
  #stream: McpSubscription | undefined;
  #last: Promise<void> = Promise.resolve();

  constructor(private readonly server: string, private readonly clock: Clock) {}

  /** Follows the resource at `uri`. @throws {UpstreamError} if too many resources of the server are followed */
  async add(uri: string, onUpdate: () => void, owner?: string): Promise<() => void> {
    const known = this.#listeners.get(uri);
    if (known === undefined) {
      const own = this.#owners.values().filter((each) => each === owner).toArray().length;
      const left = maxSubscribed - this.#owners.size;
      if (left === 0 || (owner !== undefined && own >= left)) {
        const text = `Server '${this.server}': too many of its resources are followed`;
        throw new UpstreamError(`${text}: unsubscribe from others first`, "unreachable");
      }
      this.#owners.set(uri, owner);
    }
    const listeners = known ?? new Set();
    listeners.add(onUpdate);
    this.#listeners.set(uri, listeners);
    if (known === undefined) await this.#change((client) => client.subscribeResource({ uri }));
    return () => {
      listeners.delete(onUpdate);
      if (listeners.size > 0 || this.#listeners.get(uri) !== listeners) return;
      this.#listeners.delete(uri);
      this.#owners.delete(uri);
      void this.#change((client) => client.unsubscribeResource({ uri }));
    };
  }

  async resume(connection: UpstreamConnection): Promise<void> {
    this.#connection = connection;
    this.#stream = undefined;
    await this.#change(async (client) => {
      for (const uri of this.#listeners.keys()) await client.subscribeResource({ uri });
    });
    // While there was no connection the server could report no change, so each resource may have changed
    for (const uri of this.#listeners.keys()) this.onUpdated(uri);
  }

  onUpdated(uri: string): void {
    if (!this.#listeners.has(uri)) return;
    if (this.#recent.has(uri)) return void this.#recent.set(uri, true);
    this.#recent.set(uri, false);
    this.clock.after(refetchMs, () => {
      const hasMore = this.#recent.get(uri);
      this.#recent.delete(uri);
      if (hasMore) this.onUpdated(uri);
    }, { unref: true });
    for (const listener of this.#listeners.get(uri) ?? []) listener();
  }

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
        log("info", `server '${this.server}': subscription: ${messageOf(error)}`);
      }
    });
    await this.#last;
  }

  async #listen(client: UpstreamConnection["client"]): Promise<void> {
    const before = this.#stream;
    const uris = [...this.#listeners.keys()];
    // The old subscription ends after the new one has begun, so that no change is missed
    this.#stream = uris.length === 0
      ? undefined
      : await client.listen({ resourceSubscriptions: uris }, { timeout: connectMs });
    await before?.close();
  }
}
