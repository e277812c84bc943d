/**
 * Sends the call of a tool to a server, and reads the answer.
 *
 * Most servers speak a protocol of 2025 over stdio. Their calls bypass the client of the SDK, by
 * {@linkcode PlainToolCalls}: for each request the client makes a timer and several closures, and parses the answer
 * three times, with schemas of all revisions. That would take half of the time of a call: climax passes on 2,400
 * calls a second over HTTP in this way, and 1,300 by the client.
 *
 * The class does what the client does, which a test compares for generated answers:
 * - It numbers its requests from 2^30 on, because the client counts from 0 on the same connection.
 * - It asks for progress with a token, and passes progress on to the call that the token names.
 * - It sends `notifications/cancelled` when a call is aborted, and then ignores the answer.
 * - It fails with the errors of the SDK, also when the connection ends.
 * - It checks a result that has more than texts by the schema of the SDK, which removes unknown keys.
 *
 * The client handles all other messages, and calls of servers of 2025 over HTTP, where each answer is a stream.
 */

import {
  type CallToolResult,
  type Client,
  type JSONRPCMessage,
  type JSONRPCResultResponse,
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
import { isObject } from "../../text/own_property.ts";
import { readCallResult, readMessage } from "./_read_message.ts";
import { isTextAnswer } from "../../tool/result.ts";

/** One request of a call: the definition of the tool, and its arguments or answers to questions. */
export interface ToolRequest {
  readonly definition: { readonly name: string; readonly inputSchema: object };
  readonly params: Readonly<Record<string, unknown>>;
}

/** Calls a tool by `plain`, if the transport has it and the server speaks a protocol of 2025; otherwise by `client`. */
export async function callTool(
  { client, plain }: { readonly client: Client; readonly plain?: PlainToolCalls | undefined },
  { definition, params }: ToolRequest,
  options: RequestOptions,
): Promise<CallToolResult> {
  const given = { ...params, name: definition.name };
  const isModern = client.getProtocolEra() === "modern";
  if (plain !== undefined && !isModern) return await plain.call(given, options);
  // Over HTTP, MCP 2026-07-28 repeats some arguments in headers, which only `callTool` sends
  if (isModern && client.transport?.hasPerRequestStream) {
    return await client.callTool(given, { ...options, toolDefinition: definition as Tool });
  }
  const request = { method: "tools/call" as const, params: given };
  return await client.request(request, answerSchema, options);
}

/** The schema of an answer: without one, the client would parse each answer once more. */
export const answerSchema: StandardSchemaV1<unknown, CallToolResult> = {
  "~standard": { version: 1, vendor: "climax", validate },
};

function validate(given: unknown) {
  const value = readCallResult(given);
  if (isTextAnswer(value)) return { value: value as CallToolResult };
  return specTypeSchemas.CallToolResult["~standard"].validate(value);
}

type WaitingCall = PromiseWithResolvers<unknown> & Pick<RequestOptions, "onprogress">;

/** The first id of a request here, far from those of the client. Some servers read ids as 32-bit numbers. */
const firstId = 2 ** 30;

export class PlainToolCalls {
  readonly #waiting = new Map<number, WaitingCall>();
  #count = 0;

  constructor(readonly send: (message: JSONRPCMessage) => Promise<void>) {}

  /** Does what `Client.request()` does for `tools/call`, except that there is no timeout. */
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

  /** Handles messages for these calls, and returns any other message for the client. @throws if it is no message */
  receive(value: unknown): JSONRPCMessage | undefined {
    const given = readMessage(value);
    const message = isResult(given) ? given : parseJSONRPCMessage(given);
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
    // A server may answer with the id as text, which the SDK accepts too
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

/** Returns whether `value` is plainly a result: the SDK would try all other forms of messages first. */
function isResult(value: unknown): value is JSONRPCResultResponse {
  if (!isObject(value) || value["jsonrpc"] !== "2.0" || Object.keys(value).length !== 3) {
    return false;
  }
  const { id, result } = value;
  return (typeof id === "string" || Number.isInteger(id)) && isObject(result) &&
    result["_meta"] === undefined;
}

function isProgress(event: Record<string, unknown>): event is Progress {
  const { progress, total = 0, message = "" } = event;
  return typeof progress === "number" && typeof total === "number" && typeof message === "string";
}
