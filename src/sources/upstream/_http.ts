/** MCP over HTTP: a `fetch` that bounds responses, and sends the token of a login to its server alone. */

import {
  extractWWWAuthenticateParams,
  type FetchLike,
  type JSONRPCMessage,
  type RequestId,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type Transport,
} from "@modelcontextprotocol/client";
import type { Login } from "./login/login.ts";
import type { UrlSpec } from "./spec.ts";
import { excessOf, maxMessageValues, scanMessage } from "../../text/message_scan.ts";
import { maxMessageBytes } from "./_bounds.ts";
import { scopePattern } from "./schema.ts";
import { instance, instanceHeader } from "../../process/own_command.ts";
import { GrowingBuffer } from "../../text/lines.ts";

/** The variables of `spec` are expanded. */
export function httpTransport(
  { url, headers }: UrlSpec,
  login?: Login,
): StreamableHTTPClientTransport {
  const transport: StreamableHTTPClientTransport = new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: { ...headers, [instanceHeader]: instance } },
    fetch: fetchBounded(() => void transport.close(), login),
  });
  return watchMessages(transport, { login, see: failBrokenRequests(transport) });
}

/** The transport of 2024-11-05, before Streamable HTTP: events over one request, messages over others. */
export function sseTransport({ url, headers }: UrlSpec, login?: Login): SSEClientTransport {
  const transport: SSEClientTransport = new SSEClientTransport(new URL(url), {
    requestInit: { headers: { ...headers, [instanceHeader]: instance } },
    fetch: fetchBounded(() => void transport.close(), login),
  });
  return watchMessages(transport, { login });
}

interface WatchOptions {
  readonly login: Login | undefined;
  readonly see?: (message: JSONRPCMessage) => void;
}

/** Masks the tokens of `login` in every message of the server, which may repeat what it was sent. */
function watchMessages<T extends Pick<Transport, "onmessage">>(
  transport: T,
  { login, see }: WatchOptions,
): T {
  let handler: Transport["onmessage"];
  Object.defineProperty(transport, "onmessage", {
    get: () => handler,
    set(given: Transport["onmessage"]) {
      handler = given && ((message, extra) => {
        see?.(message);
        given(login?.maskText(message) ?? message, extra);
      });
    },
  });
  return transport;
}

/** No provider of the SDK logs in: its requests would send `headers` to the authorization server too. */
function fetchBounded(onExcess: () => void, login: Login | undefined): FetchLike {
  const fetchWithBound: FetchLike = async (input, init) => {
    return boundAnswer(await fetch(input, init), onExcess);
  };
  return login === undefined ? fetchWithBound : loginFetch(login, fetchWithBound);
}

/** The data of the error, which no server can send. */
const brokenOff = Symbol("broken off");

/** True for the error of a request whose answer broke off. */
export function isBrokenOff(error: { readonly data?: unknown }): boolean {
  return error.data === brokenOff;
}

/**
 * Ends requests whose stream broke off, which the SDK leaves to their timeout; returns what must see each message
 * (https://github.com/modelcontextprotocol/typescript-sdk/issues/2739).
 */
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
    // The client waits no longer
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

const lineFeed = 10;
const carriageReturn = 13;

/** Bounds the body of `response`, which is passed on in whole messages; calls `onExcess` if it exceeds the bound. */
function boundAnswer(response: Response, onExcess: () => void): Response {
  const { body, headers } = response;
  if (body === null) return response;
  const isStream = /^text\/event-stream\b/i.test(headers.get("content-type")?.trim() ?? "");
  return new Response(body.pipeThrough(wholeMessages(isStream, onExcess)), response);
}

/** For server-sent events, an empty line ends a message; otherwise the body is one message. */
function wholeMessages(
  isStream: boolean,
  onExcess: () => void,
): TransformStream<Uint8Array, Uint8Array<ArrayBuffer>> {
  const ends = new EventEnds();
  const buffer = new GrowingBuffer();
  const finish = () => {
    const message = buffer.take();
    const excess = isStream ? excessOfEvent(message) : excessOf(scanMessage(message));
    if (excess !== undefined) throw new Error(`the answer has ${excess}`);
    return message;
  };
  const append = (bytes: Uint8Array) => {
    if (buffer.length + bytes.length > maxMessageBytes) {
      throw new Error("the answer is longer than a message may be");
    }
    buffer.append(bytes);
  };
  const orFail = (controller: TransformStreamDefaultController, work: () => void) => {
    try {
      work();
    } catch (error) {
      controller.error(error);
      onExcess();
    }
  };
  return new TransformStream({
    transform(chunk, controller) {
      orFail(controller, () => {
        let from = 0;
        for (const end of isStream ? ends.in(chunk) : []) {
          append(chunk.subarray(from, end));
          controller.enqueue(finish());
          from = end;
        }
        append(chunk.subarray(from));
      });
    },
    flush(controller) {
      orFail(controller, () => controller.enqueue(finish()));
    },
  });
}

/** Where events end: behind an empty line, whose own end is LF, CR or both. Empty lines alone end none. */
class EventEnds {
  #isEmpty = true;
  #isLineEmpty = true;
  #wasReturn = false;

  *in(chunk: Uint8Array): Generator<number> {
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at];
      if (byte !== lineFeed && byte !== carriageReturn) {
        this.#isEmpty = false;
        this.#isLineEmpty = false;
        this.#wasReturn = false;
        continue;
      }
      const isSecondHalf = byte === lineFeed && this.#wasReturn;
      this.#wasReturn = byte === carriageReturn;
      if (isSecondHalf) continue;
      if (this.#isLineEmpty && !this.#isEmpty) {
        yield at + 1;
        this.#isEmpty = true;
      }
      this.#isLineEmpty = true;
    }
  }
}

/** Scans line by line: a quotation mark in a line without data would hide the following lines. */
function excessOfEvent(event: Uint8Array): string | undefined {
  let values = 0;
  let depth = 0;
  for (let from = 0; from < event.length && values <= maxMessageValues;) {
    const end = lineEnd(event, from);
    const line = scanMessage(event.subarray(from, end));
    values += line.values + 1;
    depth = Math.max(depth, line.depth);
    from = end + 1;
  }
  return excessOf({ values, depth });
}

function lineEnd(bytes: Uint8Array, from: number): number {
  for (let at = from; at < bytes.length; at++) {
    if (bytes[at] === lineFeed || bytes[at] === carriageReturn) return at;
  }
  return bytes.length;
}

/** Renews the token when the server rejects it, and repeats the request once. */
function loginFetch(login: Login, inner: FetchLike): FetchLike {
  const { origin } = new URL(login.address);
  return async (url, init) => {
    if (new URL(url).origin !== origin) return await inner(url, init);
    const token = await login.token();
    const response = await inner(url, withToken(init, token));
    if (response.status !== 401) return await permitResponse(response, login);
    await response.body?.cancel();
    if (token === undefined) throw login.loginNeeded();
    const repeated = await inner(url, withToken(init, await login.renew(token)));
    if (repeated.status !== 401) return await permitResponse(repeated, login);
    await repeated.body?.cancel();
    throw login.loginNeeded("does not accept its login");
  };
}

function withToken(init: RequestInit | undefined, token: string | undefined): RequestInit {
  const headers = new Headers(init?.headers);
  if (token !== undefined) headers.set("authorization", `Bearer ${token}`);
  return { ...init, headers };
}

async function permitResponse(response: Response, login: Login): Promise<Response> {
  const { error, scope = "" } = extractWWWAuthenticateParams(response);
  if (response.status !== 403 || error !== "insufficient_scope") return response;
  await response.body?.cancel();
  throw login.scopesNeeded(scope.split(/\s+/).filter((each) => scopePattern.test(each)));
}
