/** Calls of tools beside the SDK's client, which parses an answer several times: for servers of 2025 over stdio. */

import {
  type CallToolResult,
  type JSONRPCMessage,
  type ProgressNotification,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  type StandardSchemaV1,
} from "@modelcontextprotocol/client";
import type { SendOptions } from "./_running_calls.ts";

interface WaitingRequest {
  readonly onProgress: SendOptions["onprogress"];
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/** Beyond the ids of the SDK, which counts from 0. */
const firstId = 2 ** 40;

type Send = (message: JSONRPCMessage) => Promise<void>;

/** The calls of one connection. */
export class PlainRequests {
  readonly #send: Send;
  readonly #waiting = new Map<unknown, WaitingRequest>();
  #nextId = firstId;

  constructor(send: Send) {
    this.#send = send;
  }

  /** As `Client.request()` with these options. */
  async call(
    params: { readonly name: string; readonly [key: string]: unknown },
    schema: StandardSchemaV1<unknown, CallToolResult>,
    { onprogress: onProgress, onStop, signal }: SendOptions,
  ): Promise<CallToolResult> {
    if (signal?.aborted) throw new SdkError(SdkErrorCode.RequestTimeout, String(signal.reason));
    const id = this.#nextId++;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.#waiting.set(id, { onProgress, resolve, reject });
    onStop?.((reason) => {
      if (!this.#waiting.delete(id)) return;
      const cancelled = { requestId: id, reason };
      const method = "notifications/cancelled";
      this.#send({ jsonrpc: "2.0", method, params: cancelled }).catch(() => {});
      reject(new SdkError(SdkErrorCode.RequestTimeout, reason));
    });
    const _meta = { ...params["_meta"] as object, progressToken: id };
    this.#send({ method: "tools/call", params: { ...params, _meta }, jsonrpc: "2.0", id })
      .catch((error) => this.#take(id)?.reject(error));
    const { resultType: _, ...result } = await promise as Record<string, unknown>;
    const validated = await schema["~standard"].validate(result);
    if (validated.issues === undefined) return validated.value;
    const reasons = validated.issues.map(({ path = [], message }) => {
      return path.length === 0 ? message : `${path.map(keyOf).join(".")}: ${message}`;
    });
    const text = `Invalid result for tools/call: ${reasons.join(", ")}`;
    throw new SdkError(SdkErrorCode.InvalidResult, text);
  }

  /** Returns true if `message` is for one of these calls. */
  receive(message: JSONRPCMessage): boolean {
    if ("method" in message) {
      if (message.method !== "notifications/progress" || "id" in message) return false;
      const { progressToken, ...event } = message.params as ProgressNotification["params"];
      const waiting = this.#waiting.get(progressToken);
      if (waiting !== undefined && isProgress(event)) waiting.onProgress?.(event);
      return waiting !== undefined;
    }
    const waiting = this.#take(message.id);
    if (waiting === undefined) return false;
    if ("result" in message) waiting.resolve(message.result);
    else {
      const { code, message: text, data } = message.error;
      waiting.reject(ProtocolError.fromError(code, text, data));
    }
    return true;
  }

  close(): void {
    const error = new SdkError(SdkErrorCode.ConnectionClosed, "Connection closed");
    for (const id of this.#waiting.keys()) this.#take(id)?.reject(error);
  }

  #take(id: unknown): WaitingRequest | undefined {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    return waiting;
  }
}

function keyOf(step: PropertyKey | StandardSchemaV1.PathSegment): string {
  return String(typeof step === "object" ? step.key : step);
}

function isProgress({ progress, total, message }: Record<string, unknown>): boolean {
  return typeof progress === "number" && ["number", "undefined"].includes(typeof total) &&
    ["string", "undefined"].includes(typeof message);
}
