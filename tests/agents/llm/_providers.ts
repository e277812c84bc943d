/**
 * Servers on loopback that speak the HTTP formats of the six providers, so that the real packages of
 * the AI SDK run against them. What they answer is scripted.
 */

import type { LlmSettings, ProviderType } from "../../../src/agents/llm/settings.ts";

/** What a model does in one step. */
export type Reply =
  | { readonly text: string; readonly calls?: readonly ModelCall[]; readonly finish?: "length" }
  | { readonly status: number; readonly message: string; readonly headers?: HeadersInit }
  /** Sends the beginning of an answer, and never the end. */
  | { readonly stalls: true; readonly cancelled?: () => void };

/** A tool call of the model; `input` that is a text is sent as it is, broken or not. */
export interface ModelCall {
  readonly name: string;
  readonly input: unknown;
}

/** A request as the server saw it. */
export interface Asked {
  readonly path: string;
  readonly headers: Headers;
  /** The body as it was sent. */
  readonly body: string;
}

/** What answers each request, by its number from 0. */
export type Script = (asked: Asked, number: number) => Reply | Promise<Reply>;

/** A provider that is listening. */
export interface FakeProvider extends AsyncDisposable {
  readonly settings: LlmSettings & { readonly endpointOverride: string };
  readonly asked: readonly Asked[];
}

/** What each provider's format is like. */
interface Format {
  readonly base: string;
  readonly path: RegExp;
  readonly keyOf: (headers: Headers) => string | null | undefined;
  readonly body: (text: string, calls: readonly ModelCall[], finish?: "length") => unknown;
  readonly error: (status: number, message: string) => unknown;
}

const bearer = (headers: Headers) => headers.get("authorization")?.replace(/^Bearer /, "");
const openAiError = (status: number, message: string) => {
  return { error: { message, type: "error", param: null, code: status } };
};

let ids = 0;

function chatCompletion(text: string, calls: readonly ModelCall[], finish?: "length"): unknown {
  return {
    id: `chatcmpl-${++ids}`,
    object: "chat.completion",
    created: 1_790_000_000,
    model: "fake",
    choices: [{
      index: 0,
      message: {
        role: "assistant",
        content: text,
        ...(calls.length === 0 ? {} : {
          tool_calls: calls.map(({ name, input }) => ({
            id: `call_${++ids}`,
            type: "function",
            function: { name, arguments: textOfInput(input) },
          })),
        }),
      },
      finish_reason: finish ?? (calls.length === 0 ? "stop" : "tool_calls"),
    }],
    usage: { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 },
  };
}

function textOfInput(input: unknown): string {
  return typeof input === "string" ? input : JSON.stringify(input);
}

/** The six formats. */
export const formats: Readonly<Record<ProviderType, Format>> = {
  anthropic: {
    base: "/v1",
    path: /^\/v1\/messages$/,
    keyOf: (headers) => headers.get("x-api-key"),
    body: (text, calls, finish) => ({
      id: `msg_${++ids}`,
      type: "message",
      role: "assistant",
      model: "fake",
      content: [
        ...(text === "" ? [] : [{ type: "text", text }]),
        ...calls.map(({ name, input }) => ({
          type: "tool_use",
          id: `toolu_${++ids}`,
          name,
          input,
        })),
      ],
      stop_reason: finish === "length"
        ? "max_tokens"
        : calls.length === 0
        ? "end_turn"
        : "tool_use",
      stop_sequence: null,
      usage: { input_tokens: 100, output_tokens: 10 },
    }),
    error: (status, message) => ({ type: "error", error: { type: `error_${status}`, message } }),
  },
  openai: {
    base: "/v1",
    path: /^\/v1\/chat\/completions$/,
    keyOf: bearer,
    body: chatCompletion,
    error: openAiError,
  },
  gemini: {
    base: "/v1beta",
    path: /^\/v1beta\/models\/[^/]+:generateContent$/,
    keyOf: (headers) => headers.get("x-goog-api-key"),
    body: (text, calls, finish) => ({
      candidates: [{
        content: {
          role: "model",
          parts: [
            ...(text === "" ? [] : [{ text }]),
            ...calls.map(({ name, input }) => ({ functionCall: { name, args: input } })),
          ],
        },
        finishReason: finish === "length" ? "MAX_TOKENS" : "STOP",
        index: 0,
      }],
      usageMetadata: { promptTokenCount: 100, candidatesTokenCount: 10, totalTokenCount: 110 },
    }),
    error: (code, message) => ({ error: { code, message, status: "FAILED" } }),
  },
  vercel: {
    base: "/v4/ai",
    path: /^\/v4\/ai\/language-model$/,
    keyOf: bearer,
    body: (text, calls, finish) => ({
      content: [
        ...(text === "" ? [] : [{ type: "text", text }]),
        ...calls.map(({ name, input }) => ({
          type: "tool-call",
          toolCallId: `call_${++ids}`,
          toolName: name,
          input: textOfInput(input),
        })),
      ],
      finishReason: { unified: finish ?? (calls.length === 0 ? "stop" : "tool-calls"), raw: "x" },
      usage: { inputTokens: { total: 100 }, outputTokens: { total: 10 } },
      warnings: [],
    }),
    error: (statusCode, message) => ({
      error: { message, type: "internal_server_error", statusCode },
    }),
  },
  bedrock: {
    base: "",
    path: /^\/model\/[^/]+\/converse$/,
    keyOf: bearer,
    body: (text, calls, finish) => ({
      output: {
        message: {
          role: "assistant",
          content: [
            ...(text === "" ? [] : [{ text }]),
            ...calls.map(({ name, input }) => ({
              toolUse: { toolUseId: `tooluse_${++ids}`, name, input },
            })),
          ],
        },
      },
      stopReason: finish === "length" ? "max_tokens" : calls.length === 0 ? "end_turn" : "tool_use",
      usage: { inputTokens: 100, outputTokens: 10, totalTokens: 110 },
      metrics: { latencyMs: 1 },
    }),
    error: (_status, message) => ({ message }),
  },
  openrouter: {
    base: "/api/v1",
    path: /^\/api\/v1\/chat\/completions$/,
    keyOf: bearer,
    body: chatCompletion,
    error: openAiError,
  },
};

/** Starts a server of the provider `type` that answers by `script`. */
export function fakeProvider(type: ProviderType, script: Script): FakeProvider {
  const format = formats[type];
  const asked: Asked[] = [];
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    const { pathname } = new URL(request.url);
    const each = { path: pathname, headers: request.headers, body: await request.text() };
    if (request.method !== "POST" || !format.path.test(pathname)) {
      return Response.json(format.error(404, `No ${request.method} ${pathname}`), { status: 404 });
    }
    asked.push(each);
    return respond(format, await script(each, asked.length - 1));
  });
  const endpointOverride = `http://127.0.0.1:${server.addr.port}${format.base}`;
  return {
    settings: { type, model: "fake-model", endpointOverride },
    asked,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

function respond(format: Format, reply: Reply): Response {
  if ("status" in reply) {
    const { status, message, headers } = reply;
    return Response.json(format.error(status, message), { status, headers: headers ?? {} });
  }
  if ("stalls" in reply) {
    const body = new ReadableStream({
      start: (controller) => controller.enqueue(new TextEncoder().encode('{"id":')),
      cancel: () => reply.cancelled?.(),
    });
    return new Response(body, { headers: { "content-type": "application/json" } });
  }
  return Response.json(format.body(reply.text, reply.calls ?? [], reply.finish));
}
