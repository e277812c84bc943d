/** The transports of MCP over HTTP. The token of a login is sent only to the origin of the server that it is for. */

import {
  extractWWWAuthenticateParams,
  type FetchLike,
  type JSONRPCMessage,
  type RequestId,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type Transport,
} from "@modelcontextprotocol/client";
import { sendOnce, type SendOptions } from "../../net/send_once.ts";
import { nextTurn } from "../../text/lines.ts";
import type { Login } from "./login/login.ts";
import type { UrlSpec } from "./spec.ts";
import { type EventSourceMessage, EventSourceParserStream } from "eventsource-parser/stream";
import { maxMessageBytes } from "./_bounds.ts";
import { readMessage } from "./_read_message.ts";
import { isObject } from "../../text/own_property.ts";
import { scopePattern } from "./schema.ts";
import { instance, instanceHeader } from "../../process/own_command.ts";

interface HttpTransportOptions {
  readonly login?: Login | undefined;
  readonly secrets?: readonly string[];
  readonly mask?: MaskMessage;
}

export type MaskMessage = (message: JSONRPCMessage) => JSONRPCMessage;

export function httpTransport(
  { url, headers }: UrlSpec,
  options: HttpTransportOptions = {},
): StreamableHTTPClientTransport {
  const requests = requestsTo(headers, options, { onExcess: () => void transport.close() });
  const transport: StreamableHTTPClientTransport = new StreamableHTTPClientTransport(
    new URL(url),
    requests,
  );
  return maskMessages(transport, options.mask, failBrokenRequests(transport));
}

export function sseTransport(
  { url, headers }: UrlSpec,
  options: HttpTransportOptions = {},
): SSEClientTransport {
  // Without its event stream a server cannot answer, and the SDK would let all requests wait until their timeout
  const onStreamEnd = () => void nextTurn().then(() => transport.close());
  const bounds = { onExcess: () => void transport.close(), onStreamEnd };
  const requests = requestsTo(headers, options, bounds);
  const transport: SSEClientTransport = new SSEClientTransport(new URL(url), requests);
  return maskMessages(transport, options.mask);
}

function requestsTo(
  headers: UrlSpec["headers"],
  options: HttpTransportOptions,
  bounds: Pick<SendOptions, "onExcess" | "onStreamEnd">,
) {
  const send = serverFetch(options, bounds);
  const fetch: FetchLike = async (url, init) => readAnswer(await send(url, init), init);
  return { requestInit: { headers: { ...headers, [instanceHeader]: instance } }, fetch };
}

export function maskMessages<T extends Pick<Transport, "onmessage">>(
  transport: T,
  mask: MaskMessage = (message) => message,
  see?: (message: JSONRPCMessage) => void,
): T {
  let handler: Transport["onmessage"];
  Object.defineProperty(transport, "onmessage", {
    get: () => handler,
    set(given: Transport["onmessage"]) {
      handler = given && ((message, extra) => {
        see?.(message);
        given(mask(message), extra);
      });
    },
  });
  return transport;
}

function serverFetch(
  { login, secrets = [] }: HttpTransportOptions,
  bounds: Pick<SendOptions, "onExcess" | "onStreamEnd">,
): FetchLike {
  const sendWith = (token?: string): FetchLike => (url, init) => {
    const headers = new Headers(init?.headers);
    if (token !== undefined) headers.set("authorization", `Bearer ${token}`);
    const own = { maxBytes: maxMessageBytes, secrets: [...secrets, token], hasEvents: true };
    return sendOnce(url, { ...init, headers }, { ...bounds, ...own });
  };
  return login === undefined ? sendWith() : loginFetch(login, sendWith);
}

async function readAnswer(
  response: Response,
  { method, body }: RequestInit = {},
): Promise<Response> {
  if (!response.ok || response.body === null) return response;
  const headers = new Headers(response.headers);
  if (/^text\/event-stream\b/i.test(headers.get("content-type")?.trim() ?? "")) {
    return new Response(readEvents(response.body), response);
  }
  if (method === "GET") {
    await response.body.cancel();
    return new Response(null, { status: 405 });
  }
  const [, id] = /,"id":(\d+)\}$/.exec(String(body).slice(-50)) ?? [];
  const text = await response.text();
  try {
    const messages = [JSON.parse(text)].flat().map((value) => {
      const isNamed = !isObject(value) ||
        (value["id"] ?? value["method"] ?? undefined) !== undefined;
      return readMessage(isNamed || id === undefined ? value : { ...value, id: Number(id) });
    });
    // Some servers name a wrong content type or none, for which the SDK would refuse the answer
    headers.set("content-type", "application/json");
    const { status, statusText } = response;
    const json = () => Promise.resolve(messages);
    return Object.assign(new Response(text, { status, statusText, headers }), { json });
  } catch {
    return new Response(text, response);
  }
}

function readEvents(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  let retry = "";
  const events = new EventSourceParserStream({ onRetry: (ms) => retry = `retry: ${ms}\n` });
  const write = new TransformStream<EventSourceMessage, string>({
    transform({ id, event, data }, controller) {
      let text = data;
      try {
        text = JSON.stringify(readMessage(JSON.parse(data)));
      } catch {
        // In MCP 2024-11-05 the first event that a server sends is a web address, not JSON: it stays unchanged
      }
      const name = event === undefined ? "" : `event: ${event}\n`;
      const place = id === undefined ? "" : `id: ${id}\n`;
      controller.enqueue(`${retry}${place}${name}data: ${text.replaceAll("\n", "\ndata: ")}\n\n`);
      retry = "";
    },
  });
  return body.pipeThrough(new TextDecoderStream()).pipeThrough(events).pipeThrough(write)
    .pipeThrough(new TextEncoderStream());
}

/** Marks errors that climax makes when an answer breaks off. A server cannot send a symbol, so it cannot fake one. */
export const brokenOff = Symbol("broken off");

/** Fails a request when its answer breaks off (https://github.com/modelcontextprotocol/typescript-sdk/issues/2739). */
function failBrokenRequests(
  transport: StreamableHTTPClientTransport,
): (message: JSONRPCMessage) => void {
  const waiting = new Set<RequestId>();
  const send = transport.send.bind(transport);
  transport.send = async (message, options) => {
    if (Array.isArray(message) || !("method" in message) || !("id" in message)) {
      return await send(message, options);
    }
    const { id } = message;
    waiting.add(id);
    options?.requestSignal?.addEventListener("abort", () => waiting.delete(id), { once: true });
    const onRequestStreamEnd = () => {
      options?.onRequestStreamEnd?.();
      if (!waiting.delete(id)) return;
      const text = "the connection broke off before the answer";
      const error = { code: -32000, message: text, data: brokenOff };
      transport.onmessage?.({ jsonrpc: "2.0", id, error });
    };
    try {
      await send(message, { ...options, onRequestStreamEnd });
    } catch (error) {
      waiting.delete(id);
      throw error;
    }
  };
  return (message) => {
    if (!("method" in message) && message.id !== undefined) waiting.delete(message.id);
  };
}

/**
 * After HTTP 401, renews the token and sends the request again. A tool that has run may also answer 401, so a call is
 * sent again only if the answer has the header by which a server refuses a token (`WWW-Authenticate`, RFC 6750).
 */
function loginFetch(login: Login, sendWith: (token?: string) => FetchLike): FetchLike {
  const { origin } = new URL(login.address);
  return async (url, init) => {
    if (new URL(url).origin !== origin) return await sendWith()(url, init);
    const token = await login.token();
    const response = await sendWith(token)(url, init);
    if (response.status !== 401) return await permitResponse(response, login);
    const isChallenge = /^\s*(?:Bearer|DPoP)\b/i.test(
      response.headers.get("www-authenticate") ?? "",
    );
    if (!isChallenge && String(init?.body).includes('"method":"tools/call"')) {
      if (token !== undefined) await login.renew(token);
      return response;
    }
    await response.body?.cancel();
    if (token === undefined) throw login.loginNeeded();
    const repeated = await sendWith(await login.renew(token))(url, init);
    if (repeated.status !== 401) return await permitResponse(repeated, login);
    await repeated.body?.cancel();
    throw login.loginNeeded("does not accept its login");
  };
}

async function permitResponse(response: Response, login: Login): Promise<Response> {
  const { error, scope = "" } = extractWWWAuthenticateParams(response);
  if (response.status !== 403 || error !== "insufficient_scope") return response;
  await response.body?.cancel();
  throw login.scopesNeeded(scope.split(/\s+/).filter((each) => scopePattern.test(each)));
}
