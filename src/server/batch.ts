/**
 * JSON-RPC batches: the revision 2025-03-26 wants them answered with one list; no other revision of
 * the protocol has them.
 */

import type { JSONRPCMessage } from "@modelcontextprotocol/server";
import type { MessageId } from "../text/message_scan.ts";

/** The only revision with batches. */
export const batchRevision = "2025-03-26";

/** Messages that a batch may have. */
export const maxBatchLength = 100;

/** The answers to a batch, sent as one line. */
type CompleteList = readonly JSONRPCMessage[];

/** Answers on their way into the list that they are sent as. */
export class Batches {
  readonly #batchOf = new Map<MessageId, Batch>();

  /** Expects answers to `ids` in one list, which begins with `answers`; the list, once complete. */
  open(ids: readonly MessageId[], answers: readonly JSONRPCMessage[]): readonly CompleteList[] {
    const batch: Batch = { missing: ids.length, answers: [...answers] };
    for (const id of ids) this.#batchOf.set(id, batch);
    return completed(batch);
  }

  /** Returns whether the answer to `id` belongs to a batch. */
  has(id: MessageId): boolean {
    return this.#batchOf.has(id);
  }

  /** Takes an answer, or nothing for a cancelled request; the list, once complete. */
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
