/** Messages from other instances, on a connection of its own: one that listens can do nothing else. */

import type { Buffer } from "node:buffer";
import type { Redis } from "iovalkey";
import { messageOf } from "../errors.ts";
import { log } from "../log.ts";
import type { Seal } from "./_seal.ts";

/** Receives the text of a message. */
export type OnMessage = (message: string) => void;

export class Channels {
  readonly #connection: Redis;
  readonly #prefix: string;
  readonly #seal: Seal;
  readonly #listeners = new Map<string, Set<OnMessage>>();

  /** `prefix` is that of the channels in the store. */
  constructor(connection: Redis, prefix: string, seal: Seal) {
    this.#connection = connection;
    this.#prefix = prefix;
    this.#seal = seal;
    connection.on("ready", () => {
      for (const channel of this.#listeners.keys()) void this.#subscribe(channel);
    });
    connection.on("messageBuffer", (name: Buffer, sealed: Buffer) => {
      this.#receive(name.toString().slice(prefix.length), sealed);
    });
    connection.connect().catch(() => {});
  }

  /** Listens until the returned function is called. */
  async listen(channel: string, onMessage: OnMessage): Promise<() => Promise<void>> {
    const listeners = this.#listeners.get(channel) ?? new Set();
    this.#listeners.set(channel, listeners.add(onMessage));
    if (this.#connection.status === "ready") await this.#subscribe(channel);
    return async () => {
      listeners.delete(onMessage);
      if (listeners.size > 0 || !this.#listeners.delete(channel)) return;
      await this.#connection.unsubscribe(this.#prefix + channel).catch(() => {});
    };
  }

  /** Keeps the connection from being idle. */
  async ping(): Promise<void> {
    if (this.#connection.status === "ready") await this.#connection.ping();
  }

  close(): void {
    this.#connection.disconnect();
  }

  async #subscribe(channel: string): Promise<void> {
    // If the connection is lost meanwhile, the next one subscribes to all
    await this.#connection.subscribe(this.#prefix + channel).catch(() => {});
  }

  #receive(channel: string, sealed: Buffer): void {
    try {
      const message = this.#seal.open(channelName(channel), sealed);
      for (const listener of this.#listeners.get(channel) ?? []) listener(message);
    } catch (error) {
      log("warning", `A message of another instance was dropped: ${messageOf(error)}`);
    }
  }
}

/** What a message is sealed for. */
export function channelName(channel: string): string {
  return `channel\0${channel}`;
}
