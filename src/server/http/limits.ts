/** Bounds for one client and for all clients: bytes, requests, connections, time. */

import { type Clock, systemClock } from "../../async/clock.ts";

const kib = 1024;
const mib = 1024 * kib;

export interface HttpLimits {
  /** Most open connections. */
  readonly connections: number;
  /** Most unanswered requests of one connection (RFC 9112, section 9.3.2). */
  readonly pipelined: number;
  /** Most bytes of the headers of a request. */
  readonly headerBytes: number;
  /** Milliseconds to send the headers, and for the TLS handshake. */
  readonly headersMs: number;
  readonly bodyBytes: number;
  /** Milliseconds in which an incomplete body must grow by {@linkcode slowBodyBytes}. */
  readonly slowBodyMs: number;
  /** Bytes by which a body must grow in {@linkcode slowBodyMs}. */
  readonly slowBodyBytes: number;
  /** Milliseconds to send a whole request. */
  readonly requestMs: number;
  /** Most bytes of the bodies of unanswered requests. */
  readonly acceptedBytes: number;
  /** Most unanswered requests. */
  readonly requests: number;
  /** Most unanswered requests of one client. */
  readonly requestsPerClient: number;
  /** Most requests of one client in a minute. */
  readonly requestsPerMinute: number;
  /** Most unread bytes of answers to one client. */
  readonly unsentPerClient: number;
  /** Milliseconds that a client may go without reading from an answer. */
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

/** The HTTP status of a refusal: 429 if the client has used up its part, 503 if all clients have. */
export type NoRoom = 429 | 503;

/** The usage of a client; an entry lives as long as a request or an unread answer. */
interface Usage {
  requests: number;
  accepted: number;
  unsent: number;
}

/** Counts what all clients of this instance use. */
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

  /** Counts a request of `client` towards its rate; returns false if it has sent too many in the last minute. */
  count(client: string): boolean {
    if (this.#limits.requestsPerMinute === Infinity) return true;
    if (this.#recent.of(client) >= this.#limits.requestsPerMinute) return false;
    this.#recent.add(client);
    return true;
  }

  /** Adds a request of `client`. Returns a function that removes it, or the status of the refusal. */
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

  /**
   * Adds `bytes` of a body. A client may hold as many bytes as it leaves free, so there is always room for another
   * client.
   */
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

  /** Adds unread bytes of an answer to `client`; negative for bytes that were read. */
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

/** Milliseconds of one part of the count, and of all parts. */
const [partMs, allMs] = [5000, 60_000];

class RecentRequests {
  readonly #clock: Clock;
  /** Requests by client, for each part since the start of the clock that is not too old. */
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
