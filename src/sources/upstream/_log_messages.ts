/** Log messages of a server on their way to clients: bounded in size and number, from the level that is wanted. */

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
import { maxLogLength, maxLogsPerSecond } from "./_bounds.ts";
import { cleanTexts } from "./_clean_texts.ts";
import { messageOf } from "../../errors.ts";
import { log } from "../../log.ts";
import type { UpstreamConnection } from "./connection.ts";

interface LogOptions {
  readonly clock: Clock;
  /** Receive the messages that belong to no call. */
  readonly listeners?: LogListeners | undefined;
  /** The authenticated client whose connection it is. */
  readonly owner?: string | undefined;
}

/** The log messages of one server: so many a second are passed on, and the rest is dropped. */
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

  /** The message in `params` of a notification; absent: it is not passed on. */
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

  /** Tells a server of 2025 the level that is wanted: a new connection knows none. */
  onOpen(connection: Pick<UpstreamConnection, "client">): void {
    this.#connection = connection;
    this.#sent = undefined;
    this.#sendLevel();
  }

  close(): void {
    this.#stop?.();
  }

  /** A server of 2026-07-28 learns the level in each request. */
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

/** Who receives log messages, and the level that servers are asked for: the least severe one that is wanted. */
export class LogListeners {
  readonly #listeners = new Set<Listener>();
  readonly #updates = new Set<() => void>();

  /** Calls `onLog` with the messages about no call, of connections of `owner`. */
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

  /** The level for servers; absent if no client has asked for one, so that each decides by itself. */
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
