/** Turns lines of input into messages or errors, and bounds the requests without an answer. */

import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  isInitializeRequest,
  type JSONRPCMessage,
  type JSONRPCRequest,
  PROTOCOL_VERSION_META_KEY,
  ProtocolErrorCode,
} from "@modelcontextprotocol/server";
import { messageOf } from "../errors.ts";
import { withoutNulls } from "../text/absent.ts";
import { describeValue, quote } from "../text/excerpt.ts";
import {
  excessOf,
  isInexact,
  type MessageId,
  type MessageScan,
  readId,
  scanMessage,
} from "../text/message_scan.ts";
import { isObject } from "../text/own_property.ts";
import { parseMessage } from "./plain_calls.ts";
import { envelopeRevision, tasksExtension } from "./requests.ts";

/** Error code of JSON-RPC 2.0 (section 5.1) for invalid JSON. */
const parseError = -32700;

/** Error code of JSON-RPC 2.0 (section 5.1) for JSON that is no valid request. */
export const invalidRequest = -32600;

/** Error code of climax for requests beyond a bound. */
export const overloaded = -32000;

interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

interface Refusal {
  readonly id: MessageId;
  readonly error: RpcError;
}

interface Accepted {
  readonly bytes: number;
  /** True for a call: after a cancellation, the request counts as open until the program of the call has ended. */
  readonly runs: boolean;
  cancelled: boolean;
}

/** Only revision 2025-03-26 allows a list of messages. */
export const noBatch: RpcError = {
  code: invalidRequest,
  message: "Batches are not taken: send one message at a time",
};

export class Inbox {
  readonly #decoder = new TextDecoder();
  readonly #accepted = new Map<MessageId, Accepted>();
  #acceptedBytes = 0;
  #awaited = 0;
  #nothingAwaited: (() => void) | undefined;

  constructor(private readonly maxAcceptedBytes: number) {}

  receive(line: Uint8Array): { readonly message: JSONRPCMessage } | Refusal {
    const scan = scanMessage(line);
    const excess = this.#excessOf(scan, line);
    if (excess !== undefined) return { id: this.#freeId(readId(line, scan)), error: excess };
    let [text, value]: [string, unknown] = ["", undefined];
    try {
      text = this.#decoder.decode(line);
      value = JSON.parse(text);
    } catch (error) {
      const message = `Parse error: ${messageOf(error)}`;
      return { id: null, error: { code: parseError, message } };
    }
    if (Array.isArray(value)) return { id: null, error: noBatch };
    const read = /null|\[\s*\]/.test(text) ? withoutNulls(value) : value;
    return refuseInexact(read, line, scan) ?? this.#accept(read, line.length);
  }

  #excessOf(scan: MessageScan, line: Uint8Array): RpcError | undefined {
    const excess = excessOf(scan);
    if (excess !== undefined) return { code: invalidRequest, message: `Message has ${excess}` };
    const limit = this.maxAcceptedBytes;
    if (this.#acceptedBytes + line.length <= limit || readId(line, scan) === null) return undefined;
    const message = `Requests of ${limit} bytes are waiting already: try again later`;
    return { code: overloaded, message };
  }

  #accept(value: unknown, bytes: number): { readonly message: JSONRPCMessage } | Refusal {
    const given = isObject(value) ? value["id"] : undefined;
    let message: JSONRPCMessage;
    try {
      message = parseMessage(value);
    } catch {
      const id = typeof given === "string" || typeof given === "number" ? given : null;
      return refusal(this.#freeId(id), "expected one JSON-RPC 2.0 message");
    }
    if (!("method" in message)) return { message };
    if (!("id" in message)) {
      if (message.method === "notifications/cancelled") {
        this.#onCancel(message.params?.["requestId"] as MessageId);
      }
      return { message };
    }
    const { id, method } = message;
    if (this.#accepted.has(id)) {
      return refusal(null, "the id is that of a request that is not finished");
    }
    const error = validateRequest(message);
    if (error !== undefined) return { id, error };
    this.#accepted.set(id, { bytes, runs: method === "tools/call", cancelled: false });
    this.#acceptedBytes += bytes;
    this.#awaited++;
    return { message };
  }

  /** Returns null if `id` belongs to an open request: the client would take an error with it for that request's answer. */
  #freeId(id: MessageId): MessageId {
    return this.#accepted.has(id) ? null : id;
  }

  onAnswer(id: MessageId): void {
    const request = this.#accepted.get(id);
    if (request !== undefined) this.#forget(id, request);
  }

  #onCancel(id: MessageId): void {
    const request = this.#accepted.get(id);
    if (request === undefined || request.cancelled) return;
    if (!request.runs) return this.#forget(id, request);
    request.cancelled = true;
    this.#noLongerAwaited();
  }

  finish(id: MessageId): void {
    const request = this.#accepted.get(id);
    if (request?.cancelled) this.#forget(id, request);
  }

  async whenSettled(): Promise<void> {
    if (this.#awaited === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#nothingAwaited = resolve;
    await promise;
  }

  clear(): void {
    for (const [id, request] of this.#accepted) this.#forget(id, request);
  }

  #forget(id: MessageId, request: Accepted): void {
    this.#accepted.delete(id);
    this.#acceptedBytes -= request.bytes;
    if (!request.cancelled) this.#noLongerAwaited();
  }

  #noLongerAwaited(): void {
    if (--this.#awaited === 0) this.#nothingAwaited?.();
  }
}

/** Refuses a message whose id is no exact integer in JavaScript. The answer repeats the digits from `bytes`. */
export function refuseInexact(value: unknown, bytes: Uint8Array, scan: MessageScan) {
  if (!isObject(value) || !isInexact(value["id"])) return undefined;
  return refusal(readId(bytes, scan), "the id is beyond the integers that are exact: send a text");
}

function refusal(id: MessageId, reason: string): Refusal {
  return { id, error: { code: invalidRequest, message: `Invalid request: ${reason}` } };
}

export function errorAnswer({ id, error }: Refusal): JSONRPCMessage {
  return { jsonrpc: "2.0", id, error } as JSONRPCMessage;
}

export function validateRequest(message: JSONRPCRequest): RpcError | undefined {
  const claimed = message.params?._meta?.[PROTOCOL_VERSION_META_KEY];
  if (claimed !== undefined && claimed !== envelopeRevision) {
    if (typeof claimed !== "string") {
      return invalid(`'${PROTOCOL_VERSION_META_KEY}' must be the name of a protocol revision`);
    }
    return {
      code: ProtocolErrorCode.UnsupportedProtocolVersion,
      message: `Unsupported protocol version: ${quote(claimed)}`,
      data: { supported: [envelopeRevision], requested: claimed },
    };
  }
  if (message.method === "initialize" && claimed === undefined && !isInitializeRequest(message)) {
    return invalid(
      "expected 'protocolVersion' (a string), 'capabilities' (an object) and 'clientInfo' (an " +
        "object with the strings 'name' and 'version')",
    );
  }
  // Models send arguments that are no object; the SDK would answer with JSON of a schema, which tells them less
  const args = message.method === "tools/call" ? message.params?.["arguments"] : undefined;
  if (args !== undefined && !isObject(args)) {
    return invalid(`'arguments' must be an object, found ${describeValue(args)}`);
  }
  return validateSubscription(message);
}

export function validateSubscription(
  { method, params }: { readonly method: string; readonly params?: unknown },
): RpcError | undefined {
  if (method !== "subscriptions/listen") return undefined;
  const { notifications, _meta } = (params ?? {}) as Record<string, Record<string, unknown> | null>;
  if (notifications?.["taskIds"] === undefined) return undefined;
  const { extensions } = (_meta?.[CLIENT_CAPABILITIES_META_KEY] ?? {}) as ClientCapabilities;
  if (extensions?.[tasksExtension] !== undefined) return undefined;
  return {
    code: ProtocolErrorCode.MissingRequiredClientCapability,
    message: "Missing required client capabilities: extensions",
    data: { requiredCapabilities: { extensions: { [tasksExtension]: {} } } },
  };
}

function invalid(what: string): RpcError {
  return { code: ProtocolErrorCode.InvalidParams, message: `Invalid params: ${what}` };
}
