/** Parses a line into messages or errors; tracks accepted requests by id, bytes and batch (2025-03-26). */

import { type JSONRPCMessage, parseJSONRPCMessage } from "@modelcontextprotocol/server";
import { messageOf } from "../errors.ts";
import {
  excessOf,
  isInexact,
  type MessageId,
  type MessageScan,
  readId,
  scanMessage,
} from "../text/message_scan.ts";
import { plainRequest } from "./plain_calls.ts";
import { type RpcError, validateRequest } from "./request_validation.ts";

/** Error code for invalid JSON (JSON-RPC 2.0, section 5.1). */
const parseError = -32700;

/** Error code for JSON that is not a valid request (JSON-RPC 2.0, section 5.1). */
export const invalidRequest = -32600;

/** Error code of climax for requests beyond a bound. */
export const overloaded = -32000;

/** The only revision with batches. */
const batchRevision = "2025-03-26";

const maxBatchLength = 100;

/** One line: a message or the answers to a batch. */
export type Outgoing = JSONRPCMessage | readonly JSONRPCMessage[];

interface Received {
  readonly messages: readonly JSONRPCMessage[];
  /** To be sent at once, each on a line. */
  readonly answers: readonly Outgoing[];
  /** Error codes in the answers, for the log. */
  readonly refused: readonly number[];
}

/** The requests of one connection. */
export class Inbox {
  readonly admission: Admission;
  readonly #maxAcceptedBytes: number;
  readonly #decoder = new TextDecoder();

  /** From the handshake of the 2025 revisions; absent before it, and since 2026-07-28. */
  protocolVersion: string | undefined;

  constructor(maxAcceptedBytes: number) {
    this.#maxAcceptedBytes = maxAcceptedBytes;
    this.admission = new Admission(maxAcceptedBytes);
  }

  /** The line is not blank. */
  receive(line: Uint8Array): Received {
    const scan = scanMessage(line);
    const excess = this.#excessOf(scan, line);
    if (excess !== undefined) {
      const id = readId(line, scan);
      return receiveRefused({ id: this.admission.has(id) ? null : id, error: excess });
    }
    let value: unknown;
    try {
      value = JSON.parse(this.#decoder.decode(line));
    } catch (error) {
      const message = `Parse error: ${messageOf(error)}`;
      return receiveRefused({ id: null, error: { code: parseError, message } });
    }
    if (Array.isArray(value) && this.protocolVersion === batchRevision && value.length > 0) {
      return this.#receiveBatch(value, line.length);
    }
    const taken = this.#accept(value, line.length);
    if ("error" in taken) return receiveRefused(taken);
    return { messages: [taken.message], answers: this.#findCancelled(taken.message), refused: [] };
  }

  /** Returns what to send for an answer: itself, the batch that it completes, or nothing yet. */
  answer(answer: JSONRPCMessage, id: MessageId): readonly Outgoing[] {
    const batch = this.admission.onAnswer(id);
    return batch === undefined ? [answer] : whenSettled(batch, answer);
  }

  /** Returns why a message is refused before it is parsed. */
  #excessOf(scan: MessageScan, line: Uint8Array): RpcError | undefined {
    const excess = excessOf(scan);
    if (excess !== undefined) return { code: invalidRequest, message: `Message has ${excess}` };
    if (!this.admission.hasRoom(line.length) && (readId(line, scan) !== null || scan.isBatch)) {
      const limit = this.#maxAcceptedBytes;
      const message = `Requests of ${limit} bytes are waiting already: try again later`;
      return { code: overloaded, message };
    }
    return undefined;
  }

  #receiveBatch(values: readonly unknown[], bytes: number): Received {
    if (values.length > maxBatchLength) {
      return receiveRefused(refusal(null, `a batch of more than ${maxBatchLength} messages`));
    }
    const batch: Batch = { missing: 0, answers: [] };
    const taken = values.map((value) => this.#accept(value, bytes / values.length, batch));
    const refusals = taken.filter((each) => "error" in each);
    const messages = taken.flatMap((each) => "error" in each ? [] : [each.message]);
    batch.answers.push(...refusals.map(errorAnswer));
    return {
      messages,
      answers: [
        ...completeList(batch),
        ...messages.flatMap((message) => this.#findCancelled(message)),
      ],
      refused: refusals.map(({ error }) => error.code),
    };
  }

  #accept(
    value: unknown,
    bytes: number,
    batch?: Batch,
  ): { readonly message: JSONRPCMessage } | Refusal {
    if (isInexact(idOf(value))) {
      return refusal(null, "the id is a number that cannot be sent back unchanged");
    }
    let message: JSONRPCMessage;
    try {
      // A plain call is what the SDK would make of it
      message = plainRequest(value) ? value as JSONRPCMessage : parseJSONRPCMessage(value);
    } catch {
      const id = idOf(value);
      return refusal(this.admission.has(id) ? null : id, "expected one JSON-RPC 2.0 message");
    }
    if (!("method" in message && "id" in message)) return { message };
    const { id, method } = message;
    if (this.admission.has(id)) {
      // With that id the client would take the error for the answer to the other request
      return refusal(null, "the id is that of a request that is not finished");
    }
    const error = validateRequest(message);
    if (error !== undefined) return { id, error };
    this.admission.accept(id, bytes, { runs: method === "tools/call", batch });
    if (batch !== undefined) batch.missing++;
    return { message };
  }

  #findCancelled(message: JSONRPCMessage): readonly Outgoing[] {
    if (!("method" in message) || message.method !== "notifications/cancelled") return [];
    const id = message.params?.["requestId"] as MessageId;
    const batch = this.admission.onCancel(id);
    return batch === undefined ? [] : whenSettled(batch);
  }
}

interface Refusal {
  readonly id: MessageId;
  readonly error: RpcError;
}

function refusal(id: MessageId, reason: string): Refusal {
  return { id, error: { code: invalidRequest, message: `Invalid request: ${reason}` } };
}

function receiveRefused(what: Refusal): Received {
  return { messages: [], answers: [errorAnswer(what)], refused: [what.error.code] };
}

export function errorAnswer({ id, error }: Refusal): JSONRPCMessage {
  return { jsonrpc: "2.0", id, error } as JSONRPCMessage;
}

function idOf(value: unknown): MessageId {
  const id = (value as { id?: unknown } | null)?.id;
  return typeof id === "string" || typeof id === "number" ? id : null;
}

interface Accepted {
  readonly bytes: number;
  /** True for a call, whose program may outlive its cancellation: it counts until that has ended. */
  readonly runs: boolean;
  batch: Batch | undefined;
  cancelled: boolean;
}

/** The answers to a batch, which are sent as one line. */
interface Batch {
  missing: number;
  readonly answers: JSONRPCMessage[];
}

/** Adds an answer to `batch`, or none for a cancelled request. */
function whenSettled(batch: Batch, ...answer: readonly JSONRPCMessage[]): readonly Outgoing[] {
  batch.missing--;
  batch.answers.push(...answer);
  return completeList(batch);
}

function completeList({ missing, answers }: Batch): readonly Outgoing[] {
  return missing === 0 && answers.length > 0 ? [answers] : [];
}

/** Of 1 and "1", different ones. */
function keyOf(id: MessageId): string {
  return typeof id === "string" ? `"${id}` : String(id);
}

/** The accepted and unfinished requests of one connection, and their bytes. */
export class Admission {
  readonly #maxBytes: number;
  /** A `Map` keeps what was in it: see `async/linked_list.ts`. */
  readonly #accepted: Record<string, Accepted> = Object.create(null);
  #bytes = 0;
  #awaited = 0;
  #nothingAwaited: (() => void) | undefined;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  hasRoom(bytes: number): boolean {
    return this.#bytes + bytes <= this.#maxBytes;
  }

  has(id: MessageId): boolean {
    return this.#accepted[keyOf(id)] !== undefined;
  }

  accept(id: MessageId, bytes: number, { runs, batch }: Pick<Accepted, "runs" | "batch">): void {
    this.#accepted[keyOf(id)] = { bytes, runs, batch, cancelled: false };
    this.#bytes += bytes;
    this.#awaited++;
  }

  /** The request has its answer, or will not get one. Returns its batch, if any. */
  onAnswer(id: MessageId): Batch | undefined {
    const request = this.#accepted[keyOf(id)];
    if (request !== undefined) this.#forget(keyOf(id), request);
    return request?.batch;
  }

  /** The answer is not awaited any more. Returns the batch that had awaited it. */
  onCancel(id: MessageId): Batch | undefined {
    const request = this.#accepted[keyOf(id)];
    if (request === undefined || request.cancelled) return undefined;
    const { batch } = request;
    if (request.runs) {
      request.cancelled = true;
      request.batch = undefined;
      this.#noLongerAwaited();
    } else this.#forget(keyOf(id), request);
    return batch;
  }

  /** The work of a cancelled request has ended. */
  finish(id: MessageId): void {
    const request = this.#accepted[keyOf(id)];
    if (request?.cancelled) this.#forget(keyOf(id), request);
  }

  async whenSettled(): Promise<void> {
    if (this.#awaited === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#nothingAwaited = resolve;
    await promise;
  }

  /** Marks all requests as answered. */
  clear(): void {
    for (const [key, request] of Object.entries(this.#accepted)) this.#forget(key, request);
  }

  #forget(key: string, request: Accepted): void {
    delete this.#accepted[key];
    this.#bytes -= request.bytes;
    if (!request.cancelled) this.#noLongerAwaited();
  }

  #noLongerAwaited(): void {
    if (--this.#awaited === 0) this.#nothingAwaited?.();
  }
}
