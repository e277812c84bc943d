/**
 * What one client, and all of them together, may take: bytes, requests, connections, time.
 */

const kib = 1024;
const mib = 1024 * kib;

/** The bounds of serving over HTTP. */
export interface HttpLimits {
  /** Open connections. */
  readonly connections: number;
  /** Bytes of the headers of a request. */
  readonly headerBytes: number;
  /** Milliseconds that a client has to send them. */
  readonly headersMs: number;
  /** Bytes of the body of a request. */
  readonly bodyBytes: number;
  /** Milliseconds that a client has to send a whole request. */
  readonly requestMs: number;
  /** Bytes of all bodies whose requests are not answered. */
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

/** The bounds when nobody says otherwise. */
export const defaultHttpLimits: HttpLimits = {
  connections: 4000,
  headerBytes: 16 * kib,
  headersMs: 10_000,
  bodyBytes: 32 * mib,
  requestMs: 60_000,
  acceptedBytes: 64 * mib,
  requests: 2000,
  requestsPerClient: 128,
  unsentPerClient: 16 * mib,
  stalledMs: 60_000,
};

/** Why there is no room, as the status that says so. */
export type NoRoom = 429 | 503;

/** What a client has in hand; an entry lives as long as a request or an unread answer. */
interface Held {
  requests: number;
  unsent: number;
}

/** Who holds how much. */
export class Ledger {
  readonly #limits: HttpLimits;
  readonly #clients = new Map<string, Held>();
  #requests = 0;
  #bytes = 0;

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
    const { requests, unsent } = this.#held(client);
    if (requests >= this.#limits.requestsPerClient || unsent > this.#limits.unsentPerClient) {
      this.#forget(client);
      return 429;
    }
    this.#requests++;
    this.#change(client, "requests", 1);
    return () => {
      this.#requests--;
      this.#change(client, "requests", -1);
    };
  }

  /** Takes `bytes` of a body; whether there is room for them. */
  take(bytes: number): boolean {
    if (this.#bytes + bytes > this.#limits.acceptedBytes) return false;
    this.#bytes += bytes;
    return true;
  }

  /** Gives back the bytes of a body. */
  give(bytes: number): void {
    this.#bytes -= bytes;
  }

  /** So many bytes of an answer wait for `client`, or, below zero, were read by it. */
  unsent(client: string, bytes: number): void {
    this.#change(client, "unsent", bytes);
  }

  #held(client: string): Held {
    const held = this.#clients.get(client) ?? { requests: 0, unsent: 0 };
    this.#clients.set(client, held);
    return held;
  }

  #change(client: string, what: keyof Held, by: number): void {
    this.#held(client)[what] += by;
    this.#forget(client);
  }

  #forget(client: string): void {
    const { requests, unsent } = this.#held(client);
    if (requests === 0 && unsent === 0) this.#clients.delete(client);
  }
}
