/**
 * Passes on what a server reports without a request: changes of resources that clients follow, and log messages, bounded
 * in size and number, from the level that clients want.
 */

import type { Clock } from "../../async/clock.ts";
import { isObject } from "../../text/own_property.ts";
import { excerpt } from "../../text/excerpt.ts";
import {
  isAsSevere,
  type LogListener,
  type LogMessage,
  logSeverities,
  type LogSeverity,
  sentUnasked,
} from "../../tool/runner.ts";
import { connectMs, maxLogLength, maxLogsPerSecond, maxSubscribed, refetchMs } from "./_bounds.ts";
import { cleanTexts } from "./_clean_texts.ts";
import { messageOf } from "../../errors.ts";
import { UpstreamError } from "./error.ts";
import { log } from "../../log.ts";
import type { UpstreamConnection } from "./connection.ts";
import type { McpSubscription } from "@modelcontextprotocol/client";

interface LogOptions {
  readonly clock: Clock;
  /** They receive the messages that belong to no call. */
  readonly listeners?: LogListeners | undefined;
  /** The authenticated client to whom the connection belongs. */
  readonly owner?: string | undefined;
}

/** The log messages of one server. A bounded number a second is passed on, and the rest is dropped. */
export class LogMessages {
  readonly #server: string;
  readonly #options: LogOptions;
  readonly #stop: (() => void) | undefined;
  #second = 0;
  #count = 0;
  #connection: Pick<UpstreamConnection, "client"> | undefined;
  #sent: LogSeverity | undefined;

  constructor(server: string, options: LogOptions) {
    this.#server = server;
    this.#options = options;
    this.#stop = options.listeners?.onLevel(() => this.#sendLevel());
  }

  /** Returns the message in `params` of a notification, or nothing if it is not passed on. */
  read(params: unknown): LogMessage | undefined {
    if (!isObject(params)) return undefined;
    const { level, logger, data } = params;
    if (!logSeverities.includes(level as LogSeverity) || !this.#mayPass()) return undefined;
    const text = JSON.stringify(data ?? null);
    const name = typeof logger === "string" ? `${this.#server}: ${logger}` : this.#server;
    return {
      level: level as LogSeverity,
      logger: cleanTexts(excerpt(name, 200)),
      data: cleanTexts(text.length > maxLogLength ? excerpt(text, maxLogLength) : data ?? null),
    };
  }

  pass(message: LogMessage): void {
    this.#options.listeners?.pass(message, this.#options.owner);
  }

  /** Tells a server of 2025 the level that clients want, which a new connection does not know. */
  onOpen(connection: Pick<UpstreamConnection, "client">): void {
    this.#connection = connection;
    this.#sent = undefined;
    this.#sendLevel();
  }

  close(): void {
    this.#stop?.();
  }

  /** A server of 2026-07-28 is told the level in each request instead. */
  #sendLevel(): void {
    const level = this.#options.listeners?.level;
    const client = this.#connection?.client;
    if (client === undefined || level === undefined || level === this.#sent) return;
    if (client.getServerCapabilities()?.logging === undefined) return;
    if (client.getProtocolEra() === "modern") return;
    this.#sent = level;
    client.setLoggingLevel(level).catch((error) => {
      log("info", `server '${this.#server}': level of logs: ${messageOf(error)}`);
    });
  }

  #mayPass(): boolean {
    const second = Math.floor(this.#options.clock.now() / 1000);
    if (second !== this.#second) this.#count = 0;
    this.#second = second;
    return ++this.#count <= maxLogsPerSecond;
  }
}

interface Listener {
  readonly onLog: (message: LogMessage) => void;
  readonly owner: string | undefined;
  level: LogSeverity | undefined;
}

/** The receivers of log messages. Servers are asked for the least severe level that one of them wants. */
export class LogListeners {
  readonly #listeners = new Set<Listener>();
  readonly #updates = new Set<() => void>();

  /** Calls `onLog` with messages that belong to no call, of connections of `owner`. */
  add(onLog: (message: LogMessage) => void, owner?: string): LogListener {
    const listener: Listener = { onLog, owner, level: undefined };
    this.#listeners.add(listener);
    const update = () => this.#updates.forEach((each) => each());
    update();
    return {
      setLevel(level) {
        listener.level = level;
        update();
      },
      stop: () => {
        this.#listeners.delete(listener);
        update();
      },
    };
  }

  pass(message: LogMessage, owner: string | undefined): void {
    for (const listener of this.#listeners) {
      if (listener.owner !== owner) continue;
      if (isAsSevere(message.level, listener.level ?? sentUnasked)) listener.onLog(message);
    }
  }

  /** The level for servers; absent if no client has asked for one: then each server decides. */
  get level(): LogSeverity | undefined {
    const levels = [...this.#listeners].map(({ level }) => level);
    if (levels.every((level) => level === undefined)) return undefined;
    const wanted = new Set(levels.map((level) => level ?? sentUnasked));
    return logSeverities.find((level) => wanted.has(level));
  }

  /** Calls `update` when {@linkcode level} may have changed. Returns a function that stops this. */
  onLevel(update: () => void): () => void {
    this.#updates.add(update);
    return () => this.#updates.delete(update);
  }
}

/** The resources of one server that clients follow, over all connections to it. */
export class Subscriptions {
  readonly #server: string;
  readonly #clock: Clock;
  /** Resources whose change was reported just now; true if they have changed again since. */
  readonly #recent = new Map<string, boolean>();
  readonly #listeners = new Map<string, Set<() => void>>();
  /** The authenticated client that was the first to follow a resource. */
  readonly #owners = new Map<string, string | undefined>();
  #connection: UpstreamConnection | undefined;
  /** The subscription at a server of 2026-07-28, which is one for all addresses. */
  #stream: McpSubscription | undefined;
  /** The last request to the server, which the next one waits for. */
  #last: Promise<void> = Promise.resolve();

  constructor(server: string, clock: Clock) {
    this.#server = server;
    this.#clock = clock;
  }

  /**
   * Calls `onUpdate` when the resource at `uri` changes. A client, `owner`, follows at most as many resources as stay free
   * behind it. @throws {UpstreamError} if too many are followed
   */
  async add(uri: string, onUpdate: () => void, owner?: string): Promise<() => void> {
    const known = this.#listeners.get(uri);
    if (known === undefined) {
      const own = this.#owners.values().filter((each) => each === owner).toArray().length;
      const left = maxSubscribed - this.#owners.size;
      if (left === 0 || (owner !== undefined && own >= left)) {
        const text = `Server '${this.#server}': too many of its resources are followed`;
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
