/** MCP over Streamable HTTP: the transport of the SDK over a `fetch` with bounded responses. */

import {
  type FetchLike,
  SSEClientTransport,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import { boundedAnswer } from "./_bounded_answer.ts";
import type { UrlSpec } from "./spec.ts";

/** The variables of `spec` are expanded. */
export function httpTransport({ url, headers }: UrlSpec): StreamableHTTPClientTransport {
  const transport: StreamableHTTPClientTransport = new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: { ...headers } },
    fetch: boundedFetch(() => void transport.close()),
  });
  return transport;
}

/** The transport of 2024-11-05, before Streamable HTTP: events over one request, messages over others. */
export function sseTransport({ url, headers }: UrlSpec): SSEClientTransport {
  const transport: SSEClientTransport = new SSEClientTransport(new URL(url), {
    requestInit: { headers: { ...headers } },
    fetch: boundedFetch(() => void transport.close()),
  });
  return transport;
}

function boundedFetch(onExcess: () => void): FetchLike {
  return async (input, init) => boundedAnswer(await fetch(input, init), onExcess);
}
