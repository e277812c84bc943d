/** Bounds bytes, requests, connections and time, of one client and of all clients together. */

import { type Clock, systemClock } from "../../async/clock.ts";

const kib = 1024;
const mib = 1024 * kib;

export const defaultHttpLimits = {
  connections: 4000,
  /** At most this many requests of one connection may be unanswered (RFC 9112, section 9.3.2). */
  pipelined: 64,
  headerBytes: 16 * kib,
  headersMs: 10_000,
  bodyBytes: 32 * mib,
  /** In this many milliseconds, an incomplete body must grow by {@linkcode slowBodyBytes}. */
  slowBodyMs: 10_000,
  slowBodyBytes: 64 * kib,
  requestMs: 60_000,
  /** The bodies of all unanswered requests may have at most this many bytes together. */
  acceptedBytes: 64 * mib,
  requests: 2000,
  requestsPerClient: 128,
  requestsPerMinute: Infinity,
  /** At most this many bytes of answers to one client may be unread by the client. */
  unsentPerClient: 16 * mib,
  /** A client that reads nothing of its answer for this many milliseconds loses the connection. */
  stalledMs: 60_000,
};

export type HttpLimits = Readonly<typeof defaultHttpLimits>;

/** The status of a refusal: 429 if the client has used up its share, 503 if all clients have used up the bound. */
export type NoRoom = 429 | 503;

interface Usage {
  requests: number;
  accepted: number;
  unsent: number;
}

export class ClientLimits {
  readonly #clients = new Map<string, Usage>();
  #requests = 0;
  #accepted = 0;
  /** The times of each client's requests in the last minute; the client whose last one is oldest comes first. */
  readonly #minutes = new Map<string, number[]>();

  constructor(private readonly limits: HttpLimits, private readonly clock: Clock = systemClock) {}

  /** Returns false if `client` has sent too many requests in the last minute. */
  count(client: string): boolean {
    const { requestsPerMinute } = this.limits;
    if (requestsPerMinute === Infinity) return true;
    const now = this.clock.now();
    for (const [each, times] of this.#minutes) {
      if (now - times.at(-1)! < 60_000) break;
      this.#minutes.delete(each);
    }
    const times = this.#minutes.get(client) ?? [];
    while (now - times[0]! >= 60_000) times.shift();
    if (times.length >= requestsPerMinute) return false;
    times.push(now);
    this.#minutes.delete(client);
    this.#minutes.set(client, times);
    return true;
  }

  /** Counts a request until the returned function is called; or returns the status of the refusal. */
  enter(client: string): (() => void) | NoRoom {
    const { requestsPerClient, unsentPerClient } = this.limits;
    if (this.#requests >= this.limits.requests) return 503;
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
    const free = this.limits.acceptedBytes - this.#accepted - bytes;
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

  /** Counts unread bytes of an answer; the number is negative when `client` has read them. */
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
