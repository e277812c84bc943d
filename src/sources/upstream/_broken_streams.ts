/**
 * Ends requests over HTTP whose answer can no longer come: the stream of the answer broke off, and was not resumed.
 * The SDK leaves them to their timeout.
 */

import type {
  JSONRPCMessage,
  RequestId,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";

/** The data of the error, which no server can send. */
const brokenOff = Symbol("broken off");

/** True for the error of a request whose answer broke off. */
export function isBrokenOff(error: { readonly data?: unknown }): boolean {
  return error.data === brokenOff;
}

/** Returns the function that must see each message of the server. */
export function failBrokenRequests(
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
