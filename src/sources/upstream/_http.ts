/** MCP over Streamable HTTP: the transport of the SDK over a `fetch` with bounded responses. */

import {
  type FetchLike,
  type JSONRPCMessage,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type Transport,
} from "@modelcontextprotocol/client";
import { boundedAnswer } from "./_bounded_answer.ts";
import { failBrokenRequests } from "./_broken_streams.ts";
import type { Login } from "./login/login.ts";
import { loginFetch } from "./login/login_fetch.ts";
import type { UrlSpec } from "./spec.ts";

/** The variables of `spec` are expanded. */
export function httpTransport(
  { url, headers }: UrlSpec,
  login?: Login,
): StreamableHTTPClientTransport {
  const transport: StreamableHTTPClientTransport = new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: { ...headers } },
    fetch: boundedFetch(() => void transport.close(), login),
  });
  return watched(transport, { login, see: failBrokenRequests(transport) });
}

/** The transport of 2024-11-05, before Streamable HTTP: events over one request, messages over others. */
export function sseTransport({ url, headers }: UrlSpec, login?: Login): SSEClientTransport {
  const transport: SSEClientTransport = new SSEClientTransport(new URL(url), {
    requestInit: { headers: { ...headers } },
    fetch: boundedFetch(() => void transport.close(), login),
  });
  return watched(transport, { login });
}

interface WatchOptions {
  readonly login: Login | undefined;
  /** Sees each message. */
  readonly see?: (message: JSONRPCMessage) => void;
}

/** Masks the tokens of `login` in every message of the server, which may repeat what it was sent. */
function watched<T extends Pick<Transport, "onmessage">>(
  transport: T,
  { login, see }: WatchOptions,
): T {
  let handler: Transport["onmessage"];
  Object.defineProperty(transport, "onmessage", {
    get: () => handler,
    set(given: Transport["onmessage"]) {
      handler = given && ((message, extra) => {
        see?.(message);
        given(login?.masked(message) ?? message, extra);
      });
    },
  });
  return transport;
}

/** No provider of the SDK logs in: its requests would send `headers` to the authorization server too. */
function boundedFetch(onExcess: () => void, login: Login | undefined): FetchLike {
  const bounded: FetchLike = async (input, init) => {
    return boundedAnswer(await fetch(input, init), onExcess);
  };
  return login === undefined ? bounded : loginFetch(login, bounded);
}
