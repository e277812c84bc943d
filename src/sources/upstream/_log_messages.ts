/** Log messages of a server on their way to clients: bounded in size and number. */

import type { Clock } from "../../async/clock.ts";
import { isObject } from "../../text/own_property.ts";
import { excerpt } from "../../text/excerpt.ts";
import { type LogMessage, logSeverities, type LogSeverity } from "../../tool/log_message.ts";
import { maxLogLength, maxLogsPerSecond } from "./_bounds.ts";
import { shownTexts } from "./_plain_texts.ts";

/** Passes on so many messages a second, and drops the rest. */
export class LogMessages {
  readonly #server: string;
  readonly #clock: Clock;
  #second = 0;
  #count = 0;

  constructor(server: string, clock: Clock) {
    this.#server = server;
    this.#clock = clock;
  }

  /** The message in `params` of a notification; absent: it is not passed on. */
  read(params: unknown): LogMessage | undefined {
    if (!isObject(params)) return undefined;
    const { level, logger, data } = params;
    if (!logSeverities.includes(level as LogSeverity) || !this.#hasRoom()) return undefined;
    const text = JSON.stringify(data ?? null);
    const name = typeof logger === "string" ? `${this.#server}: ${logger}` : this.#server;
    return {
      level: level as LogSeverity,
      logger: shownTexts(excerpt(name, 200)),
      data: shownTexts(text.length > maxLogLength ? excerpt(text, maxLogLength) : data ?? null),
    };
  }

  #hasRoom(): boolean {
    const second = Math.floor(this.#clock.now() / 1000);
    if (second !== this.#second) this.#count = 0;
    this.#second = second;
    return ++this.#count <= maxLogsPerSecond;
  }
}
