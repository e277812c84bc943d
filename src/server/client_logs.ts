/** The levels of log messages that one client has set: for a session or a stdio connection, and for a request. */

import { type LogListener, type LogSeverity, sentUnasked } from "../tool/log_message.ts";

export class ClientLogs {
  /** Adds a client for which servers are asked for a level; absent: there are no servers. */
  listen: (() => LogListener) | undefined;
  /** Of the connection of a client of 2025. */
  listener: LogListener | undefined;
  #level: LogSeverity | undefined;

  /** The level of a client of 2025. */
  get level(): LogSeverity {
    return this.#level ?? sentUnasked;
  }

  setLevel(level: LogSeverity): void {
    this.#level = level;
    this.listener?.setLevel(level);
  }

  /** Asks servers for the level of one request, until the returned function is called. */
  during(level: LogSeverity | undefined): () => void {
    const listener = level === undefined ? undefined : this.listen?.();
    if (level !== undefined) listener?.setLevel(level);
    return () => listener?.stop();
  }
}
