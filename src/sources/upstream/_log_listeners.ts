/** Those who receive log messages of servers, and the level that servers are asked for: the least severe of theirs. */

import {
  isAsSevere,
  type LogListener,
  type LogMessage,
  logSeverities,
  type LogSeverity,
  sentUnasked,
} from "../../tool/log_message.ts";

interface Listener {
  readonly onLog: (message: LogMessage) => void;
  readonly owner: string | undefined;
  level: LogSeverity | undefined;
}

export class LogListeners {
  readonly #listeners = new Set<Listener>();
  readonly #updates = new Set<() => void>();

  /** Calls `onLog` with the messages about no call, of connections of `owner`. */
  add(onLog: (message: LogMessage) => void, owner?: string): LogListener {
    const listener: Listener = { onLog, owner, level: undefined };
    this.#listeners.add(listener);
    const update = () => this.#updates.forEach((each) => each());
    return {
      setLevel(level) {
        listener.level = level;
        update();
      },
      stop: () => {
        if (this.#listeners.delete(listener) && listener.level !== undefined) update();
      },
    };
  }

  /** Passes on a message about no call that a connection of `owner` got. */
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
