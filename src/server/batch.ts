/** JSON-RPC batches: the revision 2025-03-26 demands one list as the answer; no other revision has them. */

import type { JSONRPCMessage } from "@modelcontextprotocol/server";
import type { MessageId } from "../text/message_scan.ts";

/** The only revision with batches. */
export const batchRevision = "2025-03-26";

/** Most messages of a batch. */
export const maxBatchLength = 100;

/** All answers to a batch, sent as one line. */
type CompleteList = readonly JSONRPCMessage[];

/** Collects answers into their lists. */
export class Batches {
  readonly #batchOf = new Map<MessageId, Batch>();

  /** Collects answers to `ids` in one list, which starts with `answers`. Returns the list once it is complete. */
  open(ids: readonly MessageId[], answers: readonly JSONRPCMessage[]): readonly CompleteList[] {
    const batch: Batch = { missing: ids.length, answers: [...answers] };
    for (const id of ids) this.#batchOf.set(id, batch);
    return completed(batch);
  }

  /** Returns whether the answer to `id` belongs to a batch. */
  has(id: MessageId): boolean {
    return this.#batchOf.has(id);
  }

  /** Adds an answer, or none for a cancelled request. Returns the list once it is complete. */
  settle(id: MessageId, answer?: JSONRPCMessage): readonly CompleteList[] {
    const batch = this.#batchOf.get(id);
    if (batch === undefined) return [];
    this.#batchOf.delete(id);
    batch.missing--;
    if (answer !== undefined) batch.answers.push(answer);
    return completed(batch);
  }
}

interface Batch {
  missing: number;
  readonly answers: JSONRPCMessage[];
}

function completed({ missing, answers }: Batch): readonly CompleteList[] {
  return missing === 0 && answers.length > 0 ? [answers] : [];
}
