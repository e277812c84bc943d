/**
 * What one client, and all of them together, may take: bytes, requests, connections, time.
 */

const kib = 1024;
const mib = 1024 * kib;

/** The bounds of serving over HTTP. */
export interface HttpLimits {
  /** Open connections. */
  readonly connections: number;
  /** Requests of one connection that are not answered (RFC 9112, section 9.3.2). */
  readonly pipelined: number;
  /** Bytes of the headers of a request. */
  readonly headerBytes: number;
  /** Milliseconds that a client has to send them, and for the handshake of TLS. */
  readonly headersMs: number;
  /** Bytes of the body of a request. */
  readonly bodyBytes: number;
  /** Milliseconds in which a body that is not complete must bring {@linkcode slowBodyBytes}. */
  readonly slowBodyMs: number;
  /** Bytes that a body must bring in {@linkcode slowBodyMs}. */
  readonly slowBodyBytes: number;
  /** Milliseconds that a client has to send a whole request. */
  readonly requestMs: number;
  /** Bytes that have arrived of all bodies whose requests are not answered. */
  readonly acceptedBytes: number;
  /** Requests that are not answered. */
  readonly requests: number;
  /** Those of one client. */
  readonly requestsPerClient: number;
  /** Bytes of answers that one client has not read. */
  readonly unsentPerClient: number;
  /** Milliseconds that a client may read nothing of an answer. */
  readonly stalledMs: number;
}

/** The bounds by default. */
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
  unsentPerClient: 16 * mib,
  stalledMs: 60_000,
};

/** The reason why there is no room, as the status that says so. */
export type NoRoom = 429 | 503;

/** What a client has in use; an entry lives as long as a request or an unread answer. */
interface Held {
  requests: number;
  accepted: number;
  unsent: number;
}

/** Who holds how much. */
export class Ledger {
  readonly #limits: HttpLimits;
  readonly #clients = new Map<string, Held>();
  #requests = 0;
  #accepted = 0;

  /** Nothing is held yet. */
  constructor(limits: HttpLimits) {
    this.#limits = limits;
  }

  /** Requests that are not answered. */
  get requests(): number {
    return this.#requests;
  }

  /** Takes on a request of `client`; how to give it back, or why there is no room. */
  enter(client: string): (() => void) | NoRoom {
    if (this.#requests >= this.#limits.requests) return 503;
    const { requests, unsent } = this.#heldBy(client);
    if (requests >= this.#limits.requestsPerClient || unsent > this.#limits.unsentPerClient) {
      return 429;
    }
    this.#requests++;
    this.#change(client, "requests", 1);
    return () => {
      this.#requests--;
      this.#change(client, "requests", -1);
    };
  }

  /**
   * Takes `bytes` that arrived of a body of `client`; why there is no room, where there is none. One
   * client may hold as much as it leaves free: half when it is alone, a third each when there are two.
   * So there is always room for one more client.
   */
  accept(client: string, bytes: number): NoRoom | undefined {
    const free = this.#limits.acceptedBytes - this.#accepted - bytes;
    if (free < 0) return 503;
    if (this.#heldBy(client).accepted + bytes > free) return 429;
    this.#accepted += bytes;
    this.#change(client, "accepted", bytes);
    return undefined;
  }

  /** Gives back the bytes of a body. */
  release(client: string, bytes: number): void {
    this.#accepted -= bytes;
    this.#change(client, "accepted", -bytes);
  }

  /** So many bytes of an answer wait for `client`, or, below zero, were read by it. */
  unsent(client: string, bytes: number): void {
    this.#change(client, "unsent", bytes);
  }

  #heldBy(client: string): Held {
    return this.#clients.get(client) ?? { requests: 0, accepted: 0, unsent: 0 };
  }

  #change(client: string, what: keyof Held, by: number): void {
    const held = this.#heldBy(client);
    held[what] += by;
    if (held.requests === 0 && held.accepted === 0 && held.unsent === 0) {
      this.#clients.delete(client);
    } else this.#clients.set(client, held);
  }
}
