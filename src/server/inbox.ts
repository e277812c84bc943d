/**
 * A line of bytes → the messages in it that are handed on, or what is wrong with it. Keeps account
 * of the requests that were taken on: by id, by bytes, and by the list an answer belongs in.
 */

import { type JSONRPCMessage, parseJSONRPCMessage } from "@modelcontextprotocol/server";
import { messageOf } from "../errors.ts";
import { Admission } from "./admission.ts";
import { Batches, batchRevision, maxBatchLength } from "./batch.ts";
import {
  excessOf,
  isInexact,
  type MessageId,
  type MessageScan,
  scanMessage,
} from "../text/message_scan.ts";
import { type RpcError, validateRequest } from "./request_validation.ts";

/** The code for what is not JSON (JSON-RPC 2.0, section 5.1). */
const parseError = -32700;

/** The code for what is JSON and no request that is taken (JSON-RPC 2.0, section 5.1). */
export const invalidRequest = -32600;

/** This server's own code for what there is no room for. */
export const overloaded = -32000;

/** One line to send: a message, or a batch of several. */
export type Outgoing = JSONRPCMessage | readonly JSONRPCMessage[];

/** The outcome of reading one line. */
export interface Received {
  /** To be handed on, in order. */
  readonly messages: readonly JSONRPCMessage[];
  /** To be sent at once, a line each. */
  readonly answers: readonly Outgoing[];
  /** Codes of the errors in the answers, for the log. */
  readonly refused: readonly number[];
}

/** The requests of one connection. */
export class Inbox {
  readonly #maxAcceptedBytes: number;
  readonly #admission: Admission;
  readonly #batches = new Batches();
  readonly #decoder = new TextDecoder();

  /** Agreed on in the handshake of the 2025 revisions; absent before, and since 2026-07-28. */
  protocolVersion: string | undefined;

  /** Takes on requests of `maxAcceptedBytes` together. */
  constructor(maxAcceptedBytes: number) {
    this.#maxAcceptedBytes = maxAcceptedBytes;
    this.#admission = new Admission(maxAcceptedBytes);
  }

  /** Takes a line that is not blank. */
  receive(line: Uint8Array): Received {
    const scan = scanMessage(line);
    const excess = this.#excessOf(scan, line.length);
    if (excess !== undefined) {
      return refused({ id: this.#admission.has(scan.id) ? null : scan.id, error: excess });
    }
    let value: unknown;
    try {
      value = JSON.parse(this.#decoder.decode(line));
    } catch (error) {
      const message = `Parse error: ${messageOf(error)}`;
      return refused({ id: null, error: { code: parseError, message } });
    }
    if (Array.isArray(value) && this.protocolVersion === batchRevision && value.length > 0) {
      return this.#receiveBatch(value, line.length);
    }
    const taken = this.#take(value, line.length);
    if ("error" in taken) return refused(taken);
    return { messages: [taken.message], answers: this.#cancelledBy(taken.message), refused: [] };
  }

  /** Returns what to send now for an answer: itself, the batch that it completes, or nothing yet. */
  answer(answer: JSONRPCMessage, id: MessageId): readonly Outgoing[] {
    this.#admission.answered(id);
    return this.#batches.has(id) ? this.#batches.settle(id, answer) : [answer];
  }

  /** Marks a request whose answer is not waited for, such as a subscription that was granted. */
  standing(id: MessageId): void {
    this.#admission.answered(id);
  }

  /** The work of a cancelled request has ended. */
  finished(id: MessageId): void {
    this.#admission.finished(id);
  }

  /** Resolves when every request that somebody waits for is answered. */
  async settled(): Promise<void> {
    await this.#admission.settled();
  }

  /** Waits for no request any more. */
  close(): void {
    this.#admission.clear();
  }

  /** Returns why a message is refused before it is parsed. */
  #excessOf(scan: MessageScan, bytes: number): RpcError | undefined {
    const excess = excessOf(scan);
    if (excess !== undefined) return { code: invalidRequest, message: `Message has ${excess}` };
    const { id, isBatch } = scan;
    if ((id !== null || isBatch) && !this.#admission.hasRoom(bytes)) {
      const limit = this.#maxAcceptedBytes;
      const message = `Requests of ${limit} bytes are waiting already: try again later`;
      return { code: overloaded, message };
    }
    return undefined;
  }

  #receiveBatch(values: readonly unknown[], bytes: number): Received {
    if (values.length > maxBatchLength) {
      return refused(refusal(null, `a batch of more than ${maxBatchLength} messages`));
    }
    const taken = values.map((value) => this.#take(value, bytes / values.length));
    const refusals = taken.filter((each) => "error" in each);
    const messages = taken.flatMap((each) => "error" in each ? [] : [each.message]);
    const ids = messages.flatMap((each) => "method" in each && "id" in each ? [each.id] : []);
    const complete = this.#batches.open(ids, refusals.map(errorAnswer));
    return {
      messages,
      answers: [...complete, ...messages.flatMap((message) => this.#cancelledBy(message))],
      refused: refusals.map(({ error }) => error.code),
    };
  }

  /** A message that may be handed on, its request accepted, or what is wrong with it. */
  #take(value: unknown, bytes: number): { readonly message: JSONRPCMessage } | Refusal {
    if (isInexact(idOf(value))) {
      return refusal(null, "the id is a number that cannot be sent back unchanged");
    }
    let message: JSONRPCMessage;
    try {
      message = parseJSONRPCMessage(value);
    } catch {
      const id = idOf(value);
      return refusal(this.#admission.has(id) ? null : id, "expected one JSON-RPC 2.0 message");
    }
    if (!("method" in message && "id" in message)) return { message };
    const { id, method } = message;
    if (this.#admission.has(id)) {
      // Under that id the client would take the refusal for the answer to the other request
      return refusal(null, "the id is that of a request that is not finished");
    }
    const error = validateRequest(message);
    if (error !== undefined) return { id, error };
    this.#admission.accept(id, bytes, method === "tools/call");
    return { message };
  }

  /** The list that a cancellation completes, if it does. */
  #cancelledBy(message: JSONRPCMessage): readonly Outgoing[] {
    if (!("method" in message) || message.method !== "notifications/cancelled") return [];
    const id = message.params?.["requestId"] as MessageId;
    this.#admission.cancelled(id);
    return this.#batches.settle(id);
  }
}

interface Refusal {
  readonly id: MessageId;
  readonly error: RpcError;
}

function refusal(id: MessageId, reason: string): Refusal {
  return { id, error: { code: invalidRequest, message: `Invalid request: ${reason}` } };
}

function refused(what: Refusal): Received {
  return { messages: [], answers: [errorAnswer(what)], refused: [what.error.code] };
}

/** A JSON-RPC error as a message. */
export function errorAnswer({ id, error }: Refusal): JSONRPCMessage {
  return { jsonrpc: "2.0", id, error } as JSONRPCMessage;
}

function idOf(value: unknown): MessageId {
  const id = (value as { id?: unknown } | null)?.id;
  return typeof id === "string" || typeof id === "number" ? id : null;
}
