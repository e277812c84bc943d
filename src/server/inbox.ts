/** Parses a line into a message or an error; tracks accepted requests by id and bytes. */

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

/** The refusal of a list of messages, which only the revision 2025-03-26 has. */
export const noBatch: RpcError = {
  code: invalidRequest,
  message: "Batches are not taken: send one message at a time",
};

/** Error code of climax for requests beyond a bound. */
export const overloaded = -32000;

/** The requests of one connection. */
export class Inbox {
  readonly admission: Admission;
  readonly #maxAcceptedBytes: number;
  readonly #decoder = new TextDecoder();

  constructor(maxAcceptedBytes: number) {
    this.#maxAcceptedBytes = maxAcceptedBytes;
    this.admission = new Admission(maxAcceptedBytes);
  }

  /** The line is not blank. */
  receive(line: Uint8Array): { readonly message: JSONRPCMessage } | Refusal {
    const scan = scanMessage(line);
    const excess = this.#excessOf(scan, line);
    if (excess !== undefined) {
      const id = readId(line, scan);
      return { id: this.admission.has(id) ? null : id, error: excess };
    }
    let value: unknown;
    try {
      value = JSON.parse(this.#decoder.decode(line));
    } catch (error) {
      const message = `Parse error: ${messageOf(error)}`;
      return { id: null, error: { code: parseError, message } };
    }
    if (Array.isArray(value)) return { id: null, error: noBatch };
    return this.#accept(value, line.length);
  }

  /** Returns why a message is refused before it is parsed. */
  #excessOf(scan: MessageScan, line: Uint8Array): RpcError | undefined {
    const excess = excessOf(scan);
    if (excess !== undefined) return { code: invalidRequest, message: `Message has ${excess}` };
    if (!this.admission.hasRoom(line.length) && readId(line, scan) !== null) {
      const limit = this.#maxAcceptedBytes;
      const message = `Requests of ${limit} bytes are waiting already: try again later`;
      return { code: overloaded, message };
    }
    return undefined;
  }

  #accept(value: unknown, bytes: number): { readonly message: JSONRPCMessage } | Refusal {
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
    if (!("method" in message)) return { message };
    if (!("id" in message)) {
      if (message.method === "notifications/cancelled") {
        this.admission.onCancel(message.params?.["requestId"] as MessageId);
      }
      return { message };
    }
    const { id, method } = message;
    if (this.admission.has(id)) {
      // With that id the client would take the error for the answer to the other request
      return refusal(null, "the id is that of a request that is not finished");
    }
    const error = validateRequest(message);
    if (error !== undefined) return { id, error };
    this.admission.accept(id, bytes, { runs: method === "tools/call" });
    return { message };
  }
}

interface Refusal {
  readonly id: MessageId;
  readonly error: RpcError;
}

function refusal(id: MessageId, reason: string): Refusal {
  return { id, error: { code: invalidRequest, message: `Invalid request: ${reason}` } };
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
  cancelled: boolean;
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

  accept(id: MessageId, bytes: number, { runs }: Pick<Accepted, "runs">): void {
    this.#accepted[keyOf(id)] = { bytes, runs, cancelled: false };
    this.#bytes += bytes;
    this.#awaited++;
  }

  /** The request has its answer, or will not get one. */
  onAnswer(id: MessageId): void {
    const request = this.#accepted[keyOf(id)];
    if (request !== undefined) this.#forget(keyOf(id), request);
  }

  /** The answer is not awaited any more. */
  onCancel(id: MessageId): void {
    const request = this.#accepted[keyOf(id)];
    if (request === undefined || request.cancelled) return;
    if (request.runs) {
      request.cancelled = true;
      this.#noLongerAwaited();
    } else this.#forget(keyOf(id), request);
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
