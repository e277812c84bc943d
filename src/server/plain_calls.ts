/**
 * Calls of tools in their plain form, answered beside the SDK, which parses each message several times. What is not
 * plain the SDK answers, and what stops to be: a call that notifies, asks or fails is handed over while it runs.
 */

import {
  type CallToolResult,
  type InputRequiredResult,
  type JSONRPCMessage,
  type RequestId,
  SERVER_INFO_META_KEY,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { LinkedList } from "../async/linked_list.ts";
import { version } from "../process/build_info.ts";
import { abortReason } from "./_client.ts";
import { isTextAnswer } from "../tool/result.ts";
import { isObject } from "../text/own_property.ts";

type CallAnswer = CallToolResult | InputRequiredResult;

/** Carries out a call for the SDK, or beside it. */
export type AnswerCall = (
  params: { readonly name: string; readonly arguments?: unknown },
  context: ServerContext,
) => Promise<CallAnswer>;

/** A `tools/call` that has nothing unusual. */
export interface PlainRequest {
  readonly id: RequestId;
  readonly params: { readonly name: string; readonly arguments?: Record<string, unknown> };
  readonly meta: Record<string, unknown> | undefined;
  /** Of a client of 2026-07-28. */
  readonly envelope: Record<string, unknown> | undefined;
}

const envelopeKeys: readonly string[] = ["protocolVersion", "clientInfo", "clientCapabilities"]
  .map((key) => `io.modelcontextprotocol/${key}`);

/** Reads `message` as a plain call; nothing for all others. */
export function plainRequest(message: unknown): PlainRequest | undefined {
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
    params: { name, ...(args === undefined ? {} : { arguments: args }) },
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

/** The SDK drops this key. */
function isPlainObject(value: unknown): value is Record<string, unknown> {
  return isObject(value) && !Object.hasOwn(value, "__proto__");
}

/** The message as the SDK would send it; nothing for a result that is not of texts alone. */
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

/** Most envelopes that are known, of which clients have one each, and most characters of one. */
const [maxEnvelopes, maxEnvelopeLength] = [100, 4096];

/** The plain calls of one server of the SDK, or of all that answer one request. */
export class PlainCalls {
  readonly #envelopes = new Set<string>();
  readonly #running = new LinkedList<PlainCall>();

  /** The SDK has accepted a call. Only its like are taken later. */
  learn({ mcpReq: { envelope } }: ServerContext): void {
    if (this.#envelopes.size >= maxEnvelopes) this.#envelopes.clear();
    const text = String(JSON.stringify(envelope));
    if (text.length <= maxEnvelopeLength) this.#envelopes.add(text);
  }

  /** Begins a call as {@linkcode learn} knows them; nothing for others. */
  begin(
    request: PlainRequest,
    answer: AnswerCall,
  ): PlainCall | undefined {
    if (!this.#envelopes.has(String(JSON.stringify(request.envelope)))) return undefined;
    const call = new PlainCall(request, answer);
    call.onAnswered = this.#running.add(call);
    return call;
  }

  close(): void {
    for (const call of this.#running) call.cancel("Connection closed");
  }

  /** The call of the request `id`. */
  find(id: unknown): PlainCall | undefined {
    return [...this.#running].find(({ request }) => request.id === id);
  }
}

/** One call, until its answer is known or the SDK has it. */
export class PlainCall {
  readonly request: PlainRequest;
  /** Settles with the answer; the SDK sends one that is not plain. */
  readonly ended: Promise<CallAnswer>;
  readonly #stop = new AbortController();
  readonly #handedOver = Promise.withResolvers<"handed over">();
  readonly #attached = Promise.withResolvers<ServerContext>();
  #sent: Promise<unknown> = Promise.resolve();
  /** Called when it has its answer. */
  onAnswered = () => {};

  constructor(request: PlainRequest, answer: AnswerCall) {
    this.request = request;
    this.#attached.promise.catch(() => {});
    this.ended = answer(request.params, this.#context());
  }

  cancel(reason?: unknown): void {
    this.#stop.abort(reason);
  }

  /** Has the SDK answer, which is given the request now. */
  handOver(): void {
    this.#handedOver.resolve("handed over");
  }

  /** The message to send; what is handed over, the SDK answers. */
  async answer(): Promise<JSONRPCMessage | "handed over" | "cancelled"> {
    const ended = this.ended.catch(() => undefined);
    const result = await Promise.race([this.#handedOver.promise, ended]);
    // It must be found, or the SDK would run it again
    if (result === "handed over") return result;
    const cancelled = this.#stop.signal.aborted ? "cancelled" : undefined;
    const answer = cancelled ?? (result && plainAnswer(this.request, result));
    if (answer === undefined) return "handed over";
    this.onAnswered();
    return answer;
  }

  /** Continues as the call of a request of the SDK. */
  async attach(context: ServerContext): Promise<CallAnswer> {
    const { signal } = context.mcpReq;
    signal.addEventListener("abort", () => this.cancel(abortReason(context)), { once: true });
    this.#attached.resolve(context);
    try {
      return await this.ended;
    } finally {
      this.onAnswered();
      await this.#sent.catch(() => {});
    }
  }

  /** The SDK has answered, perhaps without the call. */
  abandon(): void {
    this.onAnswered();
    this.#attached.reject(new Error("The request was refused"));
    this.cancel("The request has its answer");
  }

  #context(): ServerContext {
    const { id, meta, envelope } = this.request;
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
