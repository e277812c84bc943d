/**
 * Tracks the accepted and unfinished requests of a connection, and their bytes, to bound the memory that a client can
 * use.
 */

import type { MessageId } from "../text/message_scan.ts";

interface Accepted {
  readonly bytes: number;
  /** True if work continues after a cancellation; the request counts until it has ended. */
  readonly runs: boolean;
  cancelled: boolean;
}

/** The requests of one connection. */
export class Admission {
  readonly #maxBytes: number;
  readonly #accepted = new Map<MessageId, Accepted>();
  #bytes = 0;
  /** Requests whose answers are awaited. */
  #awaited = 0;
  #nothingAwaited: (() => void) | undefined;

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

  /** `runs` is true for a call, whose program may outlive its cancellation. */
  accept(id: MessageId, bytes: number, runs: boolean): void {
    this.#accepted.set(id, { bytes, runs, cancelled: false });
    this.#bytes += bytes;
    this.#awaited++;
  }

  /** The request has its answer, or will not get one. */
  answered(id: MessageId): void {
    const request = this.#accepted.get(id);
    if (request !== undefined) this.#forget(id, request);
  }

  /** The answer is not awaited any more. */
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

  /** Resolves when no answer is awaited. */
  async settled(): Promise<void> {
    if (this.#awaited === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#nothingAwaited = resolve;
    await promise;
  }

  /** Marks all requests as answered. */
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
