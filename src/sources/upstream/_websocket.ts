/**
 * The transport of MCP over a WebSocket: subprotocol `mcp`, one message in each frame. Deno's WebSocket has no bound
 * for messages (https://github.com/denoland/deno/issues/15809), so the package `ws` is used.
 */

import {
  type JSONRPCMessage,
  parseJSONRPCMessage,
  type Transport,
} from "@modelcontextprotocol/client";
import type { Buffer } from "node:buffer";
import { messageOf } from "../../errors.ts";
import { excessOf, scanMessage } from "../../text/message_scan.ts";
import { connectMs, maxMessageBytes } from "./_bounds.ts";
import { readMessage } from "./_read_message.ts";

/** The `readyState` of an open connection (WHATWG WebSockets, section 3.1). */
const openState = 1;
const closeTimeoutMs = 1000;

export class WebSocketTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly stderr = null;
  readonly pid = null;
  #socket: Socket | undefined;
  #isClosed = false;

  constructor(
    private readonly url: string,
    private readonly headers: Readonly<Record<string, string>>,
  ) {}

  async start(): Promise<void> {
    try {
      await this.#open(["mcp"]);
    } catch {
      // A client that names a subprotocol must refuse a server that names none, so climax tries again without one
      await this.#open([]);
    }
  }

  async #open(protocols: readonly string[]): Promise<void> {
    // The package `ws` reads environment variables when it loads, so it is loaded only for a WebSocket
    const { default: WebSocket } = await import("ws");
    if (this.#isClosed) throw new Error("the connection was closed");
    const opened = Promise.withResolvers<void>();
    const socket: Socket = new WebSocket(this.url, protocols, {
      headers: { ...this.headers },
      maxPayload: maxMessageBytes,
      perMessageDeflate: false,
      handshakeTimeout: connectMs,
    });
    this.#socket = socket;
    let isOpen = false;
    socket.on("open", () => {
      isOpen = true;
      opened.resolve();
    });
    socket.on("error", (error) => {
      opened.reject(error);
      socket.terminate();
      if (isOpen) this.onerror?.(error);
    });
    socket.on("close", () => {
      opened.reject(new Error("the connection was closed"));
      if (isOpen) this.onclose?.();
    });
    socket.on("message", (data, isBinary) => this.#receive(data, isBinary));
    await opened.promise;
  }

  send(message: JSONRPCMessage): Promise<void> {
    const socket = this.#socket;
    if (socket === undefined || socket.readyState !== openState) {
      return Promise.reject(new Error("the connection is closed"));
    }
    socket.send(JSON.stringify(message));
    return Promise.resolve();
  }

  close(): Promise<void> {
    const socket = this.#socket;
    this.#isClosed = true;
    if (socket !== undefined) {
      socket.close();
      // A server may never confirm that the connection is closed, so climax ends it after a time
      Deno.unrefTimer(setTimeout(() => socket.terminate(), closeTimeoutMs));
    }
    return Promise.resolve();
  }

  #receive(data: Buffer, isBinary: boolean): void {
    try {
      const isExcessive = isBinary || excessOf(scanMessage(data)) !== undefined;
      if (isExcessive) return void this.#socket?.terminate();
      this.onmessage?.(parseJSONRPCMessage(readMessage(JSON.parse(data.toString()))));
    } catch (error) {
      this.onerror?.(new Error(`Not a message: ${messageOf(error)}`));
    }
  }
}

/** The part of the package `ws` that climax uses; the package has no types. */
interface Socket {
  readonly readyState: number;
  on(event: "open" | "close", listener: () => void): void;
  on(event: "error", listener: (error: Error) => void): void;
  on(event: "message", listener: (data: Buffer, isBinary: boolean) => void): void;
  send(text: string): void;
  close(): void;
  terminate(): void;
}
