/**
 * Which requests a connection has taken on and not finished, and how many bytes they have: what
 * bounds the memory that a client can make the server hold.
 */

import type { MessageId } from "../text/message_scan.ts";

/** A request that was taken on. */
interface Accepted {
  readonly bytes: number;
  /** True when work continues after its cancellation, which holds the request until that ends. */
  readonly runs: boolean;
  cancelled: boolean;
}

/** The requests of one connection. */
export class Admission {
  readonly #maxBytes: number;
  readonly #accepted = new Map<MessageId, Accepted>();
  #bytes = 0;
  /** Those among them that somebody waits for. */
  #awaited = 0;
  #nothingAwaited: (() => void) | undefined;

  /** Requests of `maxBytes` together. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Returns whether a request of so many bytes may be accepted. */
  hasRoom(bytes: number): boolean {
    return this.#bytes + bytes <= this.#maxBytes;
  }

  /** Returns whether `id` is that of an unfinished request. */
  has(id: MessageId): boolean {
    return this.#accepted.has(id);
  }

  /** Takes on a request; `runs` as for a call, whose program outlives its cancellation a while. */
  accept(id: MessageId, bytes: number, runs: boolean): void {
    this.#accepted.set(id, { bytes, runs, cancelled: false });
    this.#bytes += bytes;
    this.#awaited++;
  }

  /** The request has its answer, or will never get one. */
  answered(id: MessageId): void {
    const request = this.#accepted.get(id);
    if (request !== undefined) this.#forget(id, request);
  }

  /** Nobody waits for the answer any more. */
  cancelled(id: MessageId): void {
    const request = this.#accepted.get(id);
    if (request === undefined || request.cancelled) return;
    if (!request.runs) return this.#forget(id, request);
    request.cancelled = true;
    this.#noLongerAwaited();
  }

  /** The work of the request has ended. */
  finished(id: MessageId): void {
    const request = this.#accepted.get(id);
    if (request?.cancelled) this.#forget(id, request);
  }

  /** Resolves when somebody waits for none of the requests. */
  async settled(): Promise<void> {
    if (this.#awaited === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#nothingAwaited = resolve;
    await promise;
  }

  /** As if every request had its answer. */
  clear(): void {
    for (const [id, request] of this.#accepted) this.#forget(id, request);
  }

  #forget(id: MessageId, request: Accepted): void {
    this.#accepted.delete(id);
    this.#bytes -= request.bytes;
    if (!request.cancelled) this.#noLongerAwaited();
  }

  #noLongerAwaited(): void {
    if (--this.#awaited === 0) this.#nothingAwaited?.();
  }
}
