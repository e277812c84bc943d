/** MCP over a WebSocket, subprotocol `mcp`, one JSON-RPC message a frame, as version 1 of the SDK did it. */

import {
  type JSONRPCMessage,
  parseJSONRPCMessage,
  type Transport,
} from "@modelcontextprotocol/client";
import { messageOf } from "../../errors.ts";
import { excessOf, scanMessage } from "../../text/message_scan.ts";
import { maxMessageBytes } from "./_bounds.ts";

/** A connection over a WebSocket. */
export class WebSocketTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #url: string;
  readonly #headers: Readonly<Record<string, string>>;
  #socket: WebSocket | undefined;

  constructor(url: string, headers: Readonly<Record<string, string>>) {
    this.#url = url;
    this.#headers = headers;
  }

  async start(): Promise<void> {
    const opened = Promise.withResolvers<void>();
    // Deno's own second parameter: browsers cannot set headers
    const options = { protocols: ["mcp"], headers: { ...this.#headers } };
    const socket = new WebSocket(this.#url, options as unknown as string[]);
    this.#socket = socket;
    socket.onopen = () => opened.resolve();
    socket.onerror = (event) => {
      const error = new Error((event as ErrorEvent).message || "the connection failed");
      opened.reject(error);
      this.onerror?.(error);
    };
    socket.onclose = () => {
      opened.reject(new Error("the connection was closed"));
      this.onclose?.();
    };
    socket.onmessage = ({ data }) => this.#receive(data);
    await opened.promise;
  }

  send(message: JSONRPCMessage): Promise<void> {
    if (this.#socket?.readyState !== WebSocket.OPEN) {
      return Promise.reject(new Error("the connection is closed"));
    }
    this.#socket.send(JSON.stringify(message));
    return Promise.resolve();
  }

  close(): Promise<void> {
    this.#socket?.close();
    return Promise.resolve();
  }

  #receive(data: unknown): void {
    try {
      if (typeof data !== "string") throw new Error("expected a text frame");
      const isTooLarge = data.length > maxMessageBytes ||
        excessOf(scanMessage(new TextEncoder().encode(data))) !== undefined;
      if (isTooLarge) return void this.close();
      this.onmessage?.(parseJSONRPCMessage(JSON.parse(data)));
    } catch (error) {
      this.onerror?.(new Error(`Not a message: ${messageOf(error)}`));
    }
  }
}
