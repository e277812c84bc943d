/**
 * Answers plain calls of tools without the MCP SDK, whose checks of each message take 0.3 ms, half of the time of a
 * search over HTTP. A call is plain if its request has only a name, arguments and an envelope (what the client says of
 * itself), and its result only texts. A plain call that must notify the client or ask a person is handed over to the
 * SDK while it runs. Tests compare the answers with those of a server of the SDK.
 */

import {
  type CallToolResult,
  type JSONRPCMessage,
  parseJSONRPCMessage,
  type RequestId,
  SERVER_INFO_META_KEY,
  type ServerContext,
  SUPPORTED_PROTOCOL_VERSIONS,
  type Transport,
} from "@modelcontextprotocol/server";
import type { IncomingHttpHeaders } from "node:http";
import { version } from "../process/build_info.ts";
import { nextTurn } from "../text/lines.ts";
import { isObject } from "../text/own_property.ts";
import { isTextAnswer } from "../tool/result.ts";
import { type AnswerCall, type CallAnswer, envelopeRevision, signalOf } from "./requests.ts";

interface PlainRequest {
  readonly id: RequestId;
  readonly params: { readonly name: string; readonly arguments?: Record<string, unknown> };
  readonly meta: Record<string, unknown> | undefined;
  /** The keys of `_meta` by which clients of 2026-07-28 identify themselves; absent for older clients. */
  readonly envelope: Record<string, unknown> | undefined;
}

const envelopeKeys: readonly string[] = ["protocolVersion", "clientInfo", "clientCapabilities"]
  .map((key) => `io.modelcontextprotocol/${key}`);

/** Reads `value` as the SDK does, but without its slow schemas if `value` is a plain call. @throws if it is no message */
export function parseMessage(value: unknown): JSONRPCMessage {
  return plainRequest(value) ? value as JSONRPCMessage : parseJSONRPCMessage(value);
}

function plainRequest(message: unknown): PlainRequest | undefined {
  if (!isObject(message) || message["method"] !== "tools/call") return undefined;
  const { jsonrpc, id, params } = message;
  if (jsonrpc !== "2.0" || !isObject(params) || !has(message, 4) || !isId(id)) return undefined;
  const { name, arguments: args, _meta } = params;
  const keys = 1 + Number(args !== undefined) + Number(_meta !== undefined);
  if (typeof name !== "string" || !has(params, keys)) return undefined;
  if (args !== undefined && !isPlainObject(args)) return undefined;
  const given = _meta ?? {};
  if (!isPlainObject(given) || _meta === null) return undefined;
  const { progressToken } = given;
  if (progressToken !== undefined && !isId(progressToken)) return undefined;
  const [envelope, meta]: Record<string, unknown>[] = [{}, {}];
  for (const key in given) {
    if (envelopeKeys.includes(key)) envelope![key] = given[key];
    else if (/^(?=[^/]*\/)(?:[^/.]*\.)*?(?:modelcontextprotocol|mcp)[./]/.test(key)) {
      return undefined;
    } else meta![key] = given[key];
  }
  return {
    id,
    params: args === undefined ? { name } : { name, arguments: args },
    meta: has(meta!, 0) ? undefined : meta,
    envelope: has(envelope!, 0) ? undefined : envelope,
  };
}

function has(object: object, keys: number): boolean {
  return Object.keys(object).length === keys;
}

function isId(id: unknown): id is RequestId {
  return typeof id === "string" || Number.isSafeInteger(id);
}

/** Returns false for an object with the key `__proto__`, which the SDK would drop. */
function isPlainObject(value: unknown): value is Record<string, unknown> {
  return isObject(value) && !Object.hasOwn(value, "__proto__");
}

/** Reads the body of an HTTP request as a plain call, if the SDK would accept the headers; else returns nothing. */
export function plainHttpRequest(
  headers: IncomingHttpHeaders,
  body: unknown,
): PlainRequest | undefined {
  const request = plainRequest(body);
  if (request === undefined || headers["traceparent"] !== undefined) return undefined;
  const { "content-type": type = "", accept = "" } = headers;
  if (!/^application\/json(?:; ?charset=utf-8)?$/i.test(type)) return undefined;
  const revision = headers["mcp-protocol-version"]?.toString();
  const { params: { name }, envelope } = request;
  const isPlain = envelope === undefined
    ? (revision === undefined || SUPPORTED_PROTOCOL_VERSIONS.includes(revision)) &&
      accept.includes("application/json") && accept.includes("text/event-stream")
    : revision === envelopeRevision && headers["mcp-method"] === "tools/call" &&
      headers["mcp-name"] === name && /^[\w./-]+$/.test(name);
  return isPlain ? request : undefined;
}

/** Returns the message that the SDK would send for `result`; nothing unless the result is text only. */
function plainAnswer(
  { id, envelope }: PlainRequest,
  result: CallAnswer,
): JSONRPCMessage | undefined {
  if (!isTextAnswer(result)) return undefined;
  const { content, structuredContent, isError } = result;
  const own = { content, structuredContent, isError };
  const stamped = envelope === undefined ? own : { ...own, resultType: "complete", _meta };
  return { result: stamped as CallToolResult, jsonrpc: "2.0", id };
}

const _meta = { [SERVER_INFO_META_KEY]: { name: "climax", version } };

const eventHeaders = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache, no-transform",
  "x-accel-buffering": "no",
};

/** At most this many envelopes (what a client says of itself with each call) are remembered, of at most this length. */
const [maxEnvelopes, maxEnvelopeLength] = [100, 4096];

export class PlainCalls {
  readonly #envelopes = new Set<string>();
  /** True for one turn of the event loop after the SDK got a call, because a plain call would overtake that call. */
  #followsSdk = false;
  /** Running calls by their ids as JSON; no `Map`, which would keep ended calls in memory for long. */
  readonly #running: Record<string, PlainCall> = Object.create(null);

  handler(answer: AnswerCall) {
    return async (
      { params }: { readonly params: Parameters<AnswerCall>[0] },
      context: ServerContext,
    ) => {
      const begun = context.http === undefined
        ? this.#find(context.mcpReq.id)
        : context.http.authInfo?.extra?.["plain"] as PlainCall | undefined;
      if (begun !== undefined) return await begun.attach(context);
      this.#learn(context);
      return await answer(params, context);
    };
  }

  /** Returns false if the SDK must answer `message`. */
  take(
    message: JSONRPCMessage,
    answer: AnswerCall,
    transport: Pick<Transport, "send" | "onmessage">,
  ): boolean {
    this.cancelBy(message);
    const request = plainRequest(message);
    const call = request && !this.#followsSdk ? this.begin(request, answer) : undefined;
    if (call === undefined) {
      if ("method" in message && message.method === "tools/call") {
        this.#followsSdk = true;
        void nextTurn().then(() => this.#followsSdk = false);
      }
      return false;
    }
    void call.answer().then((answer) => {
      if (answer === "handed over") transport.onmessage?.(message);
      else if (answer !== "cancelled") void transport.send(answer);
    });
    return true;
  }

  /** Begins a call if the SDK has accepted a call of the same client before, which had the same envelope. */
  begin(request: PlainRequest, answer: AnswerCall): PlainCall | undefined {
    if (!this.#envelopes.has(String(JSON.stringify(request.envelope)))) return undefined;
    const key = JSON.stringify(request.id);
    const call: PlainCall = new PlainCall(request, answer, () => {
      if (this.#running[key] === call) delete this.#running[key];
    });
    return this.#running[key] = call;
  }

  cancelBy(message: unknown): void {
    if (!isObject(message) || message["method"] !== "notifications/cancelled") return;
    const { requestId, reason } = (message["params"] ?? {}) as Record<string, unknown>;
    this.#find(requestId)?.cancel(reason);
  }

  close(): void {
    for (const call of Object.values(this.#running)) call.cancel("Connection closed");
  }

  #learn({ mcpReq: { envelope } }: ServerContext): void {
    if (this.#envelopes.size >= maxEnvelopes) this.#envelopes.clear();
    const text = String(JSON.stringify(envelope));
    if (text.length <= maxEnvelopeLength) this.#envelopes.add(text);
  }

  #find(id: unknown): PlainCall | undefined {
    return this.#running[JSON.stringify(id)];
  }
}

export class PlainCall {
  readonly #request: PlainRequest;
  readonly #ended: Promise<CallAnswer>;
  readonly #stop = new AbortController();
  readonly #handedOver = Promise.withResolvers<"handed over">();
  readonly #attached = Promise.withResolvers<ServerContext>();
  readonly #onAnswered: () => void;
  #sent: Promise<unknown> = Promise.resolve();

  constructor(request: PlainRequest, answer: AnswerCall, onAnswered: () => void) {
    this.#request = request;
    this.#onAnswered = onAnswered;
    this.#attached.promise.catch(() => {});
    this.#ended = answer(request.params, this.#context());
  }

  cancel(reason?: unknown): void {
    this.#stop.abort(reason);
  }

  handOver(): void {
    this.#handedOver.resolve("handed over");
  }

  async answer(): Promise<JSONRPCMessage | "handed over" | "cancelled"> {
    const ended = this.#ended.catch(() => undefined);
    const result = await Promise.race([this.#handedOver.promise, ended]);
    // A call that was handed over must stay among the running ones, or the SDK would run the tool again
    if (result === "handed over") return result;
    const cancelled = this.#stop.signal.aborted ? "cancelled" : undefined;
    const answer = cancelled ?? (result && plainAnswer(this.#request, result));
    if (answer === undefined) return "handed over";
    this.#onAnswered();
    return answer;
  }

  /** Resolves to the HTTP response that the SDK would write; nothing if the SDK must answer. */
  async response(session: string | undefined) {
    const answer = await this.answer();
    if (answer === "handed over") return undefined;
    const text = answer === "cancelled" ? "" : JSON.stringify(answer);
    if (this.#request.envelope !== undefined) {
      return { headers: { "content-type": "application/json" }, text };
    }
    const own = session === undefined ? {} : { "mcp-session-id": session };
    const event = text === "" ? "" : `event: message\ndata: ${text}\n\n`;
    return { headers: { ...eventHeaders, ...own }, text: event };
  }

  async attach(context: ServerContext): Promise<CallAnswer> {
    const signal = signalOf(context);
    signal.addEventListener("abort", () => this.cancel(signal.reason), { once: true });
    this.#attached.resolve(context);
    try {
      return await this.#ended;
    } finally {
      this.#onAnswered();
      await this.#sent.catch(() => {});
    }
  }

  abandon(): void {
    this.#onAnswered();
    this.#attached.reject(new Error("The request was refused"));
    this.cancel("The request has its answer");
  }

  #context(): ServerContext {
    const { id, meta, envelope } = this.#request;
    const mcpReq = {
      id,
      method: "tools/call",
      _meta: meta,
      envelope,
      requestState: () => undefined,
      signal: this.#stop.signal,
      notify: (...given: Parameters<ServerContext["mcpReq"]["notify"]>) =>
        this.#sent = this.#withSdk((context) => context.notify(...given)),
      send: (...given: unknown[]) =>
        this.#withSdk((context) => (context.send as (...all: unknown[]) => unknown)(...given)),
    };
    return { mcpReq } as unknown as ServerContext;
  }

  async #withSdk<T>(use: (context: ServerContext["mcpReq"]) => T): Promise<Awaited<T>> {
    this.handOver();
    const { mcpReq } = await this.#attached.promise;
    return await use(mcpReq);
  }
}
