/** MCP over Streamable HTTP: the SDK's transport over a `fetch` whose answers are bounded. */

import {
  type FetchLike,
  SSEClientTransport,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import { boundedAnswer } from "./_bounded_answer.ts";
import type { UrlSpec } from "./spec.ts";

/** A connection to `spec`, whose variables are expanded. */
export function httpTransport({ url, headers }: UrlSpec): StreamableHTTPClientTransport {
  const transport: StreamableHTTPClientTransport = new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: { ...headers } },
    fetch: boundedFetch(() => void transport.close()),
  });
  return transport;
}

/** A connection as it was before Streamable HTTP (2024-11-05): events over one request, ours over others. */
export function sseTransport({ url, headers }: UrlSpec): SSEClientTransport {
  const transport: SSEClientTransport = new SSEClientTransport(new URL(url), {
    requestInit: { headers: { ...headers } },
    fetch: boundedFetch(() => void transport.close()),
  });
  return transport;
}

/** `fetch` whose answers are bounded. */
function boundedFetch(onExcess: () => void): FetchLike {
  return async (input, init) => boundedAnswer(await fetch(input, init), onExcess);
}
