/** Calls of tools beside the SDK's client, which parses an answer several times: for servers of 2025 over stdio. */

import {
  type CallToolResult,
  type JSONRPCMessage,
  type Progress,
  ProtocolError,
  type RequestOptions,
  SdkError,
  SdkErrorCode,
  type StandardSchemaV1,
} from "@modelcontextprotocol/client";

type WaitingRequest = PromiseWithResolvers<unknown> & Pick<RequestOptions, "onprogress">;

/** Those of the SDK count from 0. Servers may have 32 bits for a number. */
const firstId = 2 ** 30;

/** The calls of one connection. */
export class PlainRequests {
  /** By the number of the call. A `Map` keeps what was in it: see `async/linked_list.ts`. */
  readonly #waiting: Record<number, WaitingRequest> = {};
  #count = 0;

  constructor(readonly send: (message: JSONRPCMessage) => Promise<void>) {}

  /** As `Client.request()` with these options, without a timeout. */
  async call(
    params: Readonly<Record<string, unknown>>,
    schema: StandardSchemaV1<unknown, CallToolResult>,
    { onprogress = () => {}, signal }: RequestOptions,
  ): Promise<CallToolResult> {
    signal?.throwIfAborted();
    const id = firstId + this.#count++ % firstId;
    const waiting = { ...Promise.withResolvers<unknown>(), onprogress };
    this.#waiting[id - firstId] = waiting;
    signal?.addEventListener("abort", () => {
      if (this.#take(id) === undefined) return;
      const reason = String(signal.reason);
      waiting.reject(new SdkError(SdkErrorCode.RequestTimeout, reason));
      const method = "notifications/cancelled";
      this.send({ jsonrpc: "2.0", method, params: { requestId: id, reason } }).catch(() => {});
    });
    const _meta = { ...params["_meta"] as object, progressToken: id };
    this.send({ method: "tools/call", params: { ...params, _meta }, jsonrpc: "2.0", id })
      .catch((error) => this.#take(id)?.reject(error));
    const { resultType: _, ...result } = await waiting.promise as Record<string, unknown>;
    const checked = await schema["~standard"].validate(result);
    if (checked.issues === undefined) return checked.value;
    const reasons = checked.issues.map(({ path = [], message }) =>
      path.length === 0 ? message : `${path.join(".")}: ${message}`
    );
    const text = `Invalid result for tools/call: ${reasons.join(", ")}`;
    throw new SdkError(SdkErrorCode.InvalidResult, text);
  }

  /** Returns true if `message` is for one of these calls. */
  receive(message: JSONRPCMessage): boolean {
    if ("method" in message) {
      if (message.method !== "notifications/progress" || "id" in message) return false;
      const { progressToken, ...event } = message.params ?? {};
      const waiting = this.#waiting[Number(progressToken) - firstId];
      if (isProgress(event)) waiting?.onprogress?.(event);
      return waiting !== undefined;
    }
    // As the SDK reads them: a server may answer with texts
    const waiting = this.#take(Number(message.id));
    if ("result" in message) waiting?.resolve(message.result);
    else {
      const { code, message: text, data } = message.error;
      waiting?.reject(ProtocolError.fromError(code, text, data));
    }
    return waiting !== undefined;
  }

  close(): void {
    const error = new SdkError(SdkErrorCode.ConnectionClosed, "Connection closed");
    for (const at in this.#waiting) this.#take(Number(at) + firstId)?.reject(error);
  }

  #take(id: number): WaitingRequest | undefined {
    const waiting = this.#waiting[id - firstId];
    delete this.#waiting[id - firstId];
    return waiting;
  }
}

function isProgress(event: Record<string, unknown>): event is Progress {
  const { progress, total = 0, message = "" } = event;
  return typeof progress === "number" && typeof total === "number" && typeof message === "string";
}
