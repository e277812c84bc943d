/** MCP over Streamable HTTP: the SDK's transport over a `fetch` whose answers are bounded. */

import {
  type FetchLike,
  SSEClientTransport,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import { maxMessageBytes } from "./_bounds.ts";
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
function boundedFetch(onOversized: () => void): FetchLike {
  return async (input, init) => {
    const response = await fetch(input, init);
    const { body } = response;
    if (body === null) return response;
    return new Response(body.pipeThrough(boundLines(onOversized)), response);
  };
}

/** Passes on what comes, until a line is longer than a message may be: one event's data is one line. */
function boundLines(onOversized: () => void): TransformStream<Uint8Array, Uint8Array> {
  let length = 0;
  return new TransformStream({
    transform(chunk, controller) {
      const last = chunk.lastIndexOf(10);
      length = last === -1 ? length + chunk.length : chunk.length - last - 1;
      if (length <= maxMessageBytes) return controller.enqueue(chunk);
      controller.error(new Error("the answer is longer than a message may be"));
      onOversized();
    },
  });
}
