/**
 * MCP over stdin and stdout: one JSON-RPC message a line (MCP 2026-07-28, stdio).
 *
 * The SDK's own stdio transport drops what is not JSON without an answer, closes the connection at
 * a message of over 10 MB and aborts the calls that are running when stdin ends. This one answers
 * every broken message, goes on after an oversized one, and lets accepted calls finish.
 */

import {
  type JSONRPCMessage,
  parseJSONRPCMessage,
  type Transport,
} from "@modelcontextprotocol/server";
import { messageOf } from "../errors.ts";
import { log } from "../log.ts";
import { splitLines } from "../text/lines.ts";

/** Settings of {@linkcode StdioTransport}. */
export interface StdioTransportOptions {
  /** Milliseconds that accepted requests have to be answered once the input has ended. */
  readonly drainMs: number;
  /** Longest line that is read, in bytes. */
  readonly maxMessageBytes: number;
  /**
   * Bytes of answers that may wait for a client that does not read; beyond, nothing more is read
   * from it.
   */
  readonly maxUnsentBytes: number;
}

/** JSON-RPC 2.0, section 5.1. */
const parseError = -32700;
const invalidRequest = -32600;

type Id = string | number | null;

/** A connection over a pair of byte streams. */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #options: StdioTransportOptions;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  readonly #encoder = new TextEncoder();
  readonly #decoder = new TextDecoder();
  /** Requests that were handed on and have no answer yet. */
  readonly #unanswered = new Set<Id>();
  #unsent = 0;
  #lastWrite: Promise<void> = Promise.resolve();
  #answered: (() => void) | undefined;
  #inputEnded = false;
  #closed = false;

  constructor(
    input: ReadableStream<Uint8Array>,
    output: WritableStream<Uint8Array>,
    options: StdioTransportOptions,
  ) {
    this.#reader = input.getReader();
    this.#writer = output.getWriter();
    this.#options = options;
  }

  /** Whether the client has closed its end of the input. */
  get inputEnded(): boolean {
    return this.#inputEnded;
  }

  start(): Promise<void> {
    void this.#read();
    return Promise.resolve();
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#closed) return;
    const bytes = this.#encoder.encode(`${JSON.stringify(message)}\n`);
    this.#unsent += bytes.length;
    try {
      this.#lastWrite = this.#writer.write(bytes);
      await this.#lastWrite;
    } catch (error) {
      log("info", `The client does not read any more: ${messageOf(error)}`);
      await this.close();
    } finally {
      this.#unsent -= bytes.length;
    }
    if ("id" in message && !("method" in message)) this.#settle(message.id ?? null);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#answered?.();
    await this.#reader.cancel().catch(() => {});
    this.onclose?.();
  }

  async #read(): Promise<void> {
    try {
      for await (const line of splitLines(this.#reader, this.#options.maxMessageBytes)) {
        if (line === "oversized") {
          const limit = this.#options.maxMessageBytes;
          await this.#refuse(null, invalidRequest, `Message is longer than ${limit} bytes`);
        } else {
          await this.#receive(line);
        }
        if (this.#unsent > this.#options.maxUnsentBytes) await this.#lastWrite;
      }
    } catch (error) {
      this.onerror?.(error instanceof Error ? error : new Error(messageOf(error)));
    }
    this.#inputEnded = true;
    await this.#drain();
    await this.close();
  }

  async #receive(line: Uint8Array): Promise<void> {
    const text = this.#decoder.decode(line);
    if (text.trim() === "") return;
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch (error) {
      return await this.#refuse(null, parseError, `Parse error: ${messageOf(error)}`);
    }
    if (isInexact(idOf(value))) {
      const text = "Invalid request: the id is a number that cannot be sent back unchanged";
      return await this.#refuse(null, invalidRequest, text);
    }
    let message: JSONRPCMessage;
    try {
      message = parseJSONRPCMessage(value);
    } catch {
      const text = "Invalid request: expected one JSON-RPC 2.0 message";
      return await this.#refuse(idOf(value), invalidRequest, text);
    }
    if ("method" in message && "id" in message) this.#unanswered.add(message.id);
    else if ("method" in message && message.method === "notifications/cancelled") {
      this.#settle(message.params?.["requestId"] as Id);
    }
    this.onmessage?.(message);
  }

  async #refuse(id: Id, code: number, message: string): Promise<void> {
    // Not what was wrong with it: the message may hold a secret
    log("info", `refused a message, code ${code}`);
    await this.send({ jsonrpc: "2.0", id, error: { code, message } } as JSONRPCMessage);
  }

  #settle(id: Id): void {
    this.#unanswered.delete(id);
    if (this.#unanswered.size === 0) this.#answered?.();
  }

  /** Waits for the answers to accepted requests, but not for ever. */
  async #drain(): Promise<void> {
    if (this.#closed || this.#unanswered.size === 0) return;
    const answered = Promise.withResolvers<void>();
    this.#answered = answered.resolve;
    const timer = setTimeout(answered.resolve, this.#options.drainMs);
    await answered.promise;
    clearTimeout(timer);
  }
}

/** Whether a number may have changed when it was read, so that its answer would find nobody. */
function isInexact(id: Id): boolean {
  return typeof id === "number" && Number.isInteger(id) && !Number.isSafeInteger(id);
}

function idOf(value: unknown): Id {
  const id = (value as { id?: unknown } | null)?.id;
  return typeof id === "string" || typeof id === "number" ? id : null;
}
