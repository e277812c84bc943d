/** Bounds bytes, requests, connections and time, for one client and for all clients together. */

import { type Clock, systemClock } from "../../async/clock.ts";

const kib = 1024;
const mib = 1024 * kib;

export interface HttpLimits {
  readonly connections: number;
  /** One connection may have at most this many unanswered requests (RFC 9112, section 9.3.2). */
  readonly pipelined: number;
  readonly headerBytes: number;
  /** The headers must arrive within this many milliseconds, and so must the TLS handshake end. */
  readonly headersMs: number;
  readonly bodyBytes: number;
  /** Milliseconds in which an incomplete body must grow by {@linkcode slowBodyBytes}. */
  readonly slowBodyMs: number;
  readonly slowBodyBytes: number;
  /** A whole request must arrive within this many milliseconds. */
  readonly requestMs: number;
  /** The bodies of unanswered requests have at most this many bytes together. */
  readonly acceptedBytes: number;
  /** All clients have at most this many unanswered requests. */
  readonly requests: number;
  readonly requestsPerClient: number;
  readonly requestsPerMinute: number;
  /** At most this many bytes of answers may wait for one client to read them. */
  readonly unsentPerClient: number;
  /** A client must read a part of its answer within this many milliseconds. */
  readonly stalledMs: number;
}

export const defaultHttpLimits: HttpLimits = {
  connections: 4000,
  pipelined: 64,
  headerBytes: 16 * kib,
  headersMs: 10_000,
  bodyBytes: 32 * mib,
  slowBodyMs: 10_000,
  slowBodyBytes: 64 * kib,
  requestMs: 60_000,
  acceptedBytes: 64 * mib,
  requests: 2000,
  requestsPerClient: 128,
  requestsPerMinute: Infinity,
  unsentPerClient: 16 * mib,
  stalledMs: 60_000,
};

/** The status of a refusal: 429 if the client has used up its share, 503 if all clients have used up the bound. */
export type NoRoom = 429 | 503;

/** What one client uses; kept while it has a request or an unread answer. */
interface Usage {
  requests: number;
  accepted: number;
  unsent: number;
}

export class ClientLimits {
  readonly #limits: HttpLimits;
  readonly #clients = new Map<string, Usage>();
  #requests = 0;
  #accepted = 0;
  readonly #recent: RecentRequests;

  constructor(limits: HttpLimits, clock: Clock = systemClock) {
    this.#limits = limits;
    this.#recent = new RecentRequests(clock);
  }

  /** Counts a request towards the rate of `client`. Returns false if it has sent too many in the last minute. */
  count(client: string): boolean {
    if (this.#limits.requestsPerMinute === Infinity) return true;
    if (this.#recent.of(client) >= this.#limits.requestsPerMinute) return false;
    this.#recent.add(client);
    return true;
  }

  /** Counts a request of `client`. Returns a function that ends the count, or the status of the refusal. */
  enter(client: string): (() => void) | NoRoom {
    const { requestsPerClient, unsentPerClient } = this.#limits;
    if (this.#requests >= this.#limits.requests) return 503;
    const { requests, unsent } = this.#usageOf(client);
    if (unsent > unsentPerClient || requests >= requestsPerClient) return 429;
    this.#requests++;
    this.#change(client, "requests", 1);
    return () => {
      this.#requests--;
      this.#change(client, "requests", -1);
    };
  }

  /** Counts `bytes` of a body. A client may use at most as many bytes as then stay free for other clients. */
  accept(client: string, bytes: number): NoRoom | undefined {
    const free = this.#limits.acceptedBytes - this.#accepted - bytes;
    if (free < 0) return 503;
    if (this.#usageOf(client).accepted + bytes > free) return 429;
    this.#accepted += bytes;
    this.#change(client, "accepted", bytes);
    return undefined;
  }

  release(client: string, bytes: number): void {
    this.#accepted -= bytes;
    this.#change(client, "accepted", -bytes);
  }

  /** Counts bytes of an answer that `client` has not read; the number is negative when it has read them. */
  unsent(client: string, bytes: number): void {
    this.#change(client, "unsent", bytes);
  }

  #usageOf(client: string): Usage {
    return this.#clients.get(client) ?? { requests: 0, accepted: 0, unsent: 0 };
  }

  #change(client: string, what: keyof Usage, by: number): void {
    const usage = this.#usageOf(client);
    usage[what] += by;
    const { requests, accepted, unsent } = usage;
    if (requests || accepted || unsent) this.#clients.set(client, usage);
    else this.#clients.delete(client);
  }
}

/** Milliseconds of one part, in which requests are counted, and of the time over which they are limited. */
const [partMs, allMs] = [5000, 60_000];

class RecentRequests {
  readonly #clock: Clock;
  /** Requests of each client in each part of the last minute, by the number of the part. */
  readonly #parts = new Map<number, Map<string, number>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(client: string): void {
    const now = Math.floor(this.#clock.now() / partMs);
    const counts = this.#parts.getOrInsertComputed(now, () => new Map());
    counts.set(client, (counts.get(client) ?? 0) + 1);
    for (const part of this.#parts.keys()) if (!this.#isRecent(part)) this.#parts.delete(part);
  }

  of(client: string): number {
    const recent = this.#parts.entries().filter(([part]) => this.#isRecent(part));
    return recent.reduce((sum, [, counts]) => sum + (counts.get(client) ?? 0), 0);
  }

  #isRecent(part: number): boolean {
    return part > Math.floor(this.#clock.now() / partMs) - allMs / partMs;
  }
}
