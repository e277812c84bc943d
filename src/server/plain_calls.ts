/**
 * Calls of tools in their plain form, answered beside the SDK, which parses each message several times. What is not
 * plain the SDK answers, and what stops to be: a call that notifies, asks or fails is handed over while it runs.
 */

import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type InputRequiredResult,
  PROTOCOL_VERSION_META_KEY,
  type RequestId,
  SERVER_INFO_META_KEY,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { version } from "../process/version.ts";
import { isTextAnswer } from "../tool/result.ts";
import { isObject } from "../text/own_property.ts";
import { envelopeRevision } from "./request_validation.ts";

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

const envelopeKeys: readonly string[] = [
  PROTOCOL_VERSION_META_KEY,
  CLIENT_INFO_META_KEY,
  CLIENT_CAPABILITIES_META_KEY,
];

/** Reads `message` as a plain call; nothing for all others. */
export function plainRequest(message: unknown): PlainRequest | undefined {
  if (!isObject(message) || message["method"] !== "tools/call") return undefined;
  const { jsonrpc, id, params } = message;
  if (jsonrpc !== "2.0" || !isObject(params) || !has(message, 4) || !isId(id)) return undefined;
  const { name, arguments: args, _meta } = params;
  const keys = 1 + Number(args !== undefined) + Number(_meta !== undefined);
  if (typeof name !== "string" || !has(params, keys)) return undefined;
  if (args !== undefined && !isPlainObject(args)) return undefined;
  if (_meta === undefined) {
    return { id, params: { name, ...ifGiven(args) }, meta: _meta, envelope: _meta };
  }
  if (!isPlainObject(_meta)) return undefined;
  const { progressToken } = _meta;
  if (progressToken !== undefined && !isId(progressToken)) return undefined;
  const [envelope, meta]: Record<string, unknown>[] = [{}, {}];
  for (const key in _meta) {
    if (envelopeKeys.includes(key)) envelope![key] = _meta[key];
    else if (/^(?:[^/]+\.)?(?:modelcontextprotocol|mcp)(?:\.[^/]*)?\//.test(key)) return undefined;
    else meta![key] = _meta[key];
  }
  return {
    id,
    params: { name, ...ifGiven(args) },
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

function ifGiven(args: Record<string, unknown> | undefined) {
  return args === undefined ? {} : { arguments: args };
}

/** The result of a plain call as the SDK would send it; nothing if it is not of texts alone. */
export function plainAnswer(
  { id, envelope }: PlainRequest,
  result: CallAnswer,
): string | undefined {
  if (!isTextAnswer(result)) return undefined;
  const { content, structuredContent, isError } = result;
  const own = JSON.stringify({ content, structuredContent, isError });
  const whole = envelope === undefined ? own : `${own.slice(0, -1)},${stamp}}`;
  return `{"result":${whole},"jsonrpc":"2.0","id":${JSON.stringify(id)}}`;
}

const stamp = JSON.stringify({
  resultType: "complete",
  _meta: { [SERVER_INFO_META_KEY]: { name: "climax", version } },
}).slice(1, -1);

/** Most envelopes that are known; clients have one each. */
const maxEnvelopes = 100;

/** The plain calls of one server of the SDK, or of all that answer one request. */
export class PlainCalls {
  readonly #envelopes = new Set<string>();
  readonly #running = new Set<PlainCall>();

  /** The SDK has accepted a call. Only its like are taken later. */
  learn({ mcpReq: { envelope } }: ServerContext): void {
    if (this.#envelopes.size < maxEnvelopes) this.#envelopes.add(textOf(envelope));
  }

  /** Begins a call as {@linkcode learn} knows them; nothing for others. */
  begin(
    request: PlainRequest,
    answer: AnswerCall,
    http?: ServerContext["http"],
  ): PlainCall | undefined {
    if (!this.#envelopes.has(textOf(request.envelope))) return undefined;
    const call = new PlainCall(request, answer, {
      http,
      onAnswered: () => this.#running.delete(call),
    });
    this.#running.add(call);
    return call;
  }

  /** The call that was handed over with the request of this id. */
  handedOver(id: RequestId): PlainCall | undefined {
    return this.#find(id, true);
  }

  cancel(id: RequestId, reason?: unknown): void {
    this.#find(id, false)?.cancel(reason);
  }

  close(): void {
    for (const call of this.#running) call.cancel("Connection closed");
  }

  #find(id: RequestId, isHandedOver: boolean): PlainCall | undefined {
    for (const call of this.#running) {
      if (call.request.id === id && call.isHandedOver === isHandedOver) return call;
    }
    return undefined;
  }
}

function textOf(envelope: unknown): string {
  return envelope === undefined ? "" : JSON.stringify(envelope);
}

/** One call, until its answer is known or the SDK has it. */
export class PlainCall {
  readonly request: PlainRequest;
  /** Settles with the answer; the SDK sends one that is not plain. */
  readonly ended: Promise<CallAnswer>;
  readonly #stop = new AbortController();
  readonly #handedOver = Promise.withResolvers<undefined>();
  readonly #attached = Promise.withResolvers<ServerContext>();
  #sent: Promise<unknown> = Promise.resolve();
  isHandedOver = false;

  readonly #onAnswered: () => void;

  constructor(
    request: PlainRequest,
    answer: AnswerCall,
    { http, onAnswered }: { readonly http: ServerContext["http"]; readonly onAnswered: () => void },
  ) {
    this.request = request;
    this.#onAnswered = onAnswered;
    this.#attached.promise.catch(() => {});
    this.ended = answer(request.params, this.#context(http));
  }

  get isCancelled(): boolean {
    return this.#stop.signal.aborted;
  }

  cancel(reason?: unknown): void {
    this.#stop.abort(reason);
  }

  /** Has the SDK answer, which is given the request now. */
  handOver(): void {
    this.isHandedOver = true;
    this.#handedOver.resolve(undefined);
  }

  /** The message to send, or nothing if the SDK shall answer. Without text: the call was cancelled. */
  async answer(): Promise<{ readonly text?: string } | undefined> {
    const answer = await this.#answer();
    // What is handed over must be found, or it would be run again
    if (answer !== undefined) this.#onAnswered();
    return answer;
  }

  async #answer(): Promise<{ readonly text?: string } | undefined> {
    try {
      const result = await Promise.race([this.ended, this.#handedOver.promise]);
      if (this.isHandedOver || result === undefined) return undefined;
      if (this.isCancelled) return {};
      const text = plainAnswer(this.request, result);
      if (text !== undefined) return { text };
    } catch {
      if (this.isCancelled && !this.isHandedOver) return {};
    }
    this.handOver();
    return undefined;
  }

  /** Continues as the call of a request of the SDK. */
  async attach(context: ServerContext): Promise<CallAnswer> {
    const { signal } = context.mcpReq;
    signal.addEventListener("abort", () => this.cancel(signal.reason), { once: true });
    this.#attached.resolve(context);
    try {
      return await this.ended;
    } finally {
      this.#onAnswered();
      await this.#sent.catch(() => {});
    }
  }

  /** The SDK has answered, perhaps without the call. */
  abandon(): void {
    this.#onAnswered();
    this.#attached.reject(new Error("The request was refused"));
    this.cancel("The request has its answer");
  }

  #context(http: ServerContext["http"]): ServerContext {
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
    return { mcpReq, http } as unknown as ServerContext;
  }

  async #withSdk<T>(use: (context: ServerContext["mcpReq"]) => T): Promise<Awaited<T>> {
    this.handOver();
    const { mcpReq } = await this.#attached.promise;
    return await use(mcpReq);
  }
}
