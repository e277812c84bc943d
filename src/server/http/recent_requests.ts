/** Counts the requests of each client in the last minute. */

import { type Clock, systemClock } from "../../async/clock.ts";

/** Milliseconds that are counted together, and in all. */
const [partMs, allMs] = [5000, 60_000];

/** Counts by the number of their part since the start of the clock. */
type Parts = Map<number, number>;

export class RecentRequests {
  readonly #clock: Clock;
  readonly #clients = new Map<string, Parts>();
  #sweptPart = 0;

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
  }

  add(client: string): void {
    const part = this.#part();
    if (part !== this.#sweptPart) this.#sweep(part);
    const parts = this.#clients.get(client) ?? new Map();
    this.#clients.set(client, parts);
    parts.set(part, (parts.get(part) ?? 0) + 1);
  }

  of(client: string): number {
    const oldest = this.#part() - allMs / partMs;
    const parts = this.#clients.get(client)?.entries() ?? [];
    return [...parts].reduce((sum, [part, count]) => part > oldest ? sum + count : sum, 0);
  }

  clients(): Iterable<string> {
    return this.#clients.keys();
  }

  #part(): number {
    return Math.floor(this.#clock.now() / partMs);
  }

  #sweep(now: number): void {
    this.#sweptPart = now;
    for (const [client, parts] of this.#clients) {
      for (const part of parts.keys()) if (part <= now - allMs / partMs) parts.delete(part);
      if (parts.size === 0) this.#clients.delete(client);
    }
  }
}
