/** Tells one server of 2025 the level of log messages that is wanted. One of 2026-07-28 learns it in each request. */

import type { LogSeverity } from "../../tool/log_message.ts";
import { messageOf } from "../../errors.ts";
import { log } from "../../log.ts";
import type { UpstreamConnection } from "./connection.ts";

export class LogLevelRequests {
  readonly #server: string;
  readonly #wanted: () => LogSeverity | undefined;
  #connection: UpstreamConnection | undefined;
  #sent: LogSeverity | undefined;

  constructor(server: string, wanted: () => LogSeverity | undefined) {
    this.#server = server;
    this.#wanted = wanted;
  }

  /** A new connection knows no level. */
  opened(connection: UpstreamConnection): void {
    this.#connection = connection;
    this.#sent = undefined;
    this.update();
  }

  update(): void {
    const level = this.#wanted();
    const client = this.#connection?.client;
    if (client === undefined || level === undefined || level === this.#sent) return;
    if (client.getServerCapabilities()?.logging === undefined) return;
    if (client.getProtocolEra() === "modern") return;
    this.#sent = level;
    client.setLoggingLevel(level).catch((error) => {
      log("info", `server '${this.#server}': level of logs: ${messageOf(error)}`);
    });
  }
}
