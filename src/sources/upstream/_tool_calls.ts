/**
 * Sends the call of a tool to a server, and reads the answer.
 *
 * Calls over stdio to a server of MCP 2025 use {@linkcode PlainToolCalls}: the client of the SDK takes half of the time
 * of a call. The class must fail as that client does; a test compares both.
 */

import {
  type CallToolResult,
  type Client,
  type JSONRPCMessage,
  parseJSONRPCMessage,
  type Progress,
  ProtocolError,
  type RequestOptions,
  SdkError,
  SdkErrorCode,
  specTypeSchemas,
  type StandardSchemaV1,
  type Tool,
} from "@modelcontextprotocol/client";
import { readCallResult, readMessage } from "./_read_message.ts";
import { isTextAnswer } from "../../tool/result.ts";

export interface ToolRequest {
  readonly definition: { readonly name: string; readonly inputSchema: object };
  readonly params: Readonly<Record<string, unknown>>;
}

export async function callTool(
  { client, plain }: { readonly client: Client; readonly plain?: PlainToolCalls | undefined },
  { definition, params }: ToolRequest,
  options: RequestOptions,
): Promise<CallToolResult> {
  const given = { ...params, name: definition.name };
  const isModern = client.getProtocolEra() === "modern";
  if (plain !== undefined && !isModern) return await plain.call(given, options);
  // MCP 2026-07-28 demands over HTTP that some arguments are repeated in headers, which `callTool` of the SDK does
  if (isModern && client.transport?.hasPerRequestStream) {
    return await client.callTool(given, { ...options, toolDefinition: definition as Tool });
  }
  const request = { method: "tools/call" as const, params: given };
  return await client.request(request, answerSchema, options);
}

export const answerSchema: StandardSchemaV1<unknown, CallToolResult> = {
  "~standard": { version: 1, vendor: "climax", validate },
};

function validate(given: unknown) {
  const value = readCallResult(given);
  if (isTextAnswer(value)) return { value: value as CallToolResult };
  return specTypeSchemas.CallToolResult["~standard"].validate(value);
}

type WaitingCall = PromiseWithResolvers<unknown> & Pick<RequestOptions, "onprogress">;
/** The first id of a call: ids of the SDK's requests begin at 0, and some servers read ids as 32-bit numbers. */
const firstId = 2 ** 30;

export class PlainToolCalls {
  readonly #waiting = new Map<number, WaitingCall>();
  #count = 0;

  constructor(readonly send: (message: JSONRPCMessage) => Promise<void>) {}

  async call(
    params: Readonly<Record<string, unknown>>,
    { onprogress = () => {}, signal }: RequestOptions,
  ): Promise<CallToolResult> {
    signal?.throwIfAborted();
    const id = firstId + this.#count++ % firstId;
    const waiting = { ...Promise.withResolvers<unknown>(), onprogress };
    this.#waiting.set(id, waiting);
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
    const checked = await validate(result);
    if (checked.issues === undefined) return checked.value;
    const reasons = checked.issues.map(({ path = [], message }) =>
      path.length === 0 ? message : `${path.join(".")}: ${message}`
    );
    const text = `Invalid result for tools/call: ${reasons.join(", ")}`;
    throw new SdkError(SdkErrorCode.InvalidResult, text);
  }

  /** Takes the answers and the progress of calls, and returns any other message. @throws if `value` is no message */
  receive(value: unknown): JSONRPCMessage | undefined {
    const message = parseJSONRPCMessage(readMessage(value));
    return this.#takeMessage(message) ? undefined : message;
  }

  close(): void {
    const error = new SdkError(SdkErrorCode.ConnectionClosed, "Connection closed");
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }

  #takeMessage(message: JSONRPCMessage): boolean {
    if ("method" in message) {
      if (message.method !== "notifications/progress" || "id" in message) return false;
      const { progressToken, ...event } = message.params ?? {};
      const waiting = this.#waiting.get(Number(progressToken));
      if (isProgress(event)) waiting?.onprogress?.(event);
      return waiting !== undefined;
    }
    // Some servers answer with the id of the request as a text, which the SDK accepts too
    const waiting = this.#take(Number(message.id));
    if ("result" in message) waiting?.resolve(message.result);
    else {
      const { code, message: text, data } = message.error;
      waiting?.reject(ProtocolError.fromError(code, text, data));
    }
    return waiting !== undefined;
  }

  #take(id: number): WaitingCall | undefined {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    return waiting;
  }
}

function isProgress(event: Record<string, unknown>): event is Progress {
  const { progress, total = 0, message = "" } = event;
  return typeof progress === "number" && typeof total === "number" && typeof message === "string";
}
