/**
 * Transports MCP over stdin and stdout: one JSON-RPC message a line (MCP 2026-07-28, stdio). Unlike the transport of
 * the SDK, it answers invalid messages, continues after an oversized one, lets accepted calls finish, and bounds
 * requests and unread answers (`tests/upstream_faults/server_sdk_test.ts`).
 */

import {
  type JSONRPCMessage,
  SUBSCRIPTION_ID_META_KEY,
  type Transport,
} from "@modelcontextprotocol/server";
import { messageOf } from "../errors.ts";
import type { Clock } from "../async/clock.ts";
import { deadline } from "../async/deadline.ts";
import { log } from "../log.ts";
import { type ByteSink, type ByteSource, nextTurn, splitLines, TextWriter } from "../text/lines.ts";
import { errorAnswer, Inbox, invalidRequest, overloaded } from "./receive.ts";
import { isBlank, type MessageId } from "../text/message_scan.ts";
import { Buffer } from "node:buffer";

export interface StdioTransportOptions {
  /** After the end of the input, accepted requests have this many milliseconds to be answered. */
  readonly drainMs: number;
  /** A line of the input has at most this many bytes. */
  readonly maxMessageBytes: number;
  /** Accepted and unfinished requests have at most this many bytes. */
  readonly maxAcceptedBytes: number;
  /** Unread answers have at most this many bytes. */
  readonly maxUnsentBytes: number;
  readonly clock?: Clock;
}

export class StdioServerTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  /** Gets each message before `onmessage`; returns true if it has handled the message. */
  onreceived?: (message: JSONRPCMessage) => boolean;
  onsent?: (message: JSONRPCMessage) => void;
  /** Called when the input has ended and accepted requests are answered. @default closes the connection */
  ondrained: () => Promise<void> = () => this.close();
  readonly #options: StdioTransportOptions;
  readonly #reader: ByteSource;
  readonly #inbox: Inbox;
  readonly #outbox: Outbox;
  readonly #inputEnd = Promise.withResolvers<void>();
  #readAt = 0;
  #closed = false;

  constructor(input: ByteSource, output: ByteSink, options: StdioTransportOptions) {
    this.#reader = input;
    this.#inbox = new Inbox(options.maxAcceptedBytes);
    this.#outbox = new Outbox(output, options.maxUnsentBytes);
    this.#options = options;
  }

  /** Resolves at the end of the input, which is read to its end even after the connection was closed. */
  get inputEnd(): Promise<void> {
    return this.#inputEnd.promise;
  }

  get readAt(): number {
    return this.#readAt;
  }

  start(): Promise<void> {
    void this.#read();
    return Promise.resolve();
  }

  async send(message: JSONRPCMessage): Promise<void> {
    this.onsent?.(message);
    if (!("method" in message)) {
      const id = message.id ?? null;
      this.#inbox.admission.onAnswer(id);
      return await this.#write(message, id);
    }
    if (message.method === "notifications/progress" && this.#outbox.isCrowded) return;
    if (message.method === "notifications/subscriptions/acknowledged") {
      // A subscription gets no answer while it is open, so its acknowledgement counts as the answer
      this.#inbox.admission.onAnswer(
        message.params?._meta?.[SUBSCRIPTION_ID_META_KEY] as MessageId,
      );
    }
    await this.#write(message);
  }

  /** Resolves when the client has read enough, so that a further result fits into memory. */
  mayStart(signal: AbortSignal): Promise<void> | undefined {
    return this.#outbox.isCrowded ? this.#outbox.roomy(signal) : undefined;
  }

  /** Called when the work of a request has ended, even if the client no longer waits for the answer. */
  finishRequest(id: MessageId): void {
    this.#inbox.admission.finish(id);
  }

  close(): Promise<void> {
    if (this.#closed) return Promise.resolve();
    this.#closed = true;
    this.#inbox.admission.clear();
    this.#outbox.close();
    this.onclose?.();
    return Promise.resolve();
  }

  async stopReading(): Promise<void> {
    await this.#reader.cancel().catch(() => {});
  }

  async #read(): Promise<void> {
    try {
      for await (
        const line of splitLines({ read: () => this.#nextChunk() }, this.#options.maxMessageBytes)
      ) {
        if (this.#closed) continue;
        if (line === "oversized") await this.#refuseOversized();
        else if (!isBlank(line)) await this.#receive(line);
        await this.#outbox.belowLimit();
      }
    } catch (error) {
      this.onerror?.(error instanceof Error ? error : new Error(messageOf(error)));
    }
    this.#inputEnd.resolve();
    if (this.#closed) return;
    await this.#drain();
    if (!this.#closed) await this.ondrained();
  }

  async #nextChunk(): ReturnType<ByteSource["read"]> {
    // Handling a call before the next read halves the time until its program starts
    await nextTurn();
    const chunk = await this.#reader.read();
    this.#readAt = performance.now();
    return chunk;
  }

  async #receive(line: Uint8Array): Promise<void> {
    const received = this.#inbox.receive(line);
    if ("message" in received) {
      const { message } = received;
      if (this.onreceived?.(message) !== true) this.onmessage?.(message);
      return;
    }
    // The log line has no details, since the message may have a secret
    log("info", `refused a message, code ${received.error.code}`);
    await this.#write(errorAnswer(received));
  }

  async #refuseOversized(): Promise<void> {
    log("info", `refused a message, code ${invalidRequest}`);
    const message = `Message is longer than ${this.#options.maxMessageBytes} bytes`;
    await this.#write(errorAnswer({ id: null, error: { code: invalidRequest, message } }));
  }

  /** Sends `message`, or an error instead if too many answers are unread. */
  async #write(message: JSONRPCMessage, id: MessageId = null): Promise<void> {
    if (this.#closed) return;
    try {
      const sent = this.#outbox.send(message);
      if (sent !== "full") return await sent;
      const limit = this.#options.maxUnsentBytes;
      const reason = `Result withheld: answers of ${limit} bytes wait to be read`;
      const error = { code: overloaded, message: reason };
      await this.#outbox.send(errorAnswer({ id, error }), "always");
    } catch (error) {
      log("info", `The client stopped reading: ${messageOf(error)}`);
      await this.close();
    }
  }

  async #drain(): Promise<void> {
    const sent = this.#inbox.admission.whenSettled().then(() => this.#outbox.empty());
    await deadline(sent, this.#options.drainMs, undefined, this.#options.clock);
  }
}

/** Calls wait while unread answers use more than this share of their bound. */
const crowdedAt = 0.5;

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

export class Outbox {
  readonly #writer: TextWriter;
  readonly #maxBytes: number;
  #bytes = 0;
  #closed = false;
  /** Called whenever a message was sent. */
  #waiting = new Set<() => void>();

  constructor(output: ByteSink, maxBytes: number) {
    this.#writer = new TextWriter(output);
    this.#maxBytes = maxBytes;
  }

  get isCrowded(): boolean {
    return this.#bytes > this.#maxBytes * crowdedAt;
  }

  /** Sends `message` as a line, or returns `full` if too many answers are unread, unless `always` is given. */
  send(message: unknown, how?: "always"): Promise<void> | "full" {
    // Some clients take these characters for the end of a line
    const text = JSON.stringify(message).replaceAll(/[\x85\u2028\u2029]/g, escapeCharacter);
    const line = `${text}\n`;
    const bytes = Buffer.byteLength(line);
    const fits = this.#bytes === 0 || this.#bytes + bytes <= this.#maxBytes;
    if (!fits && how === undefined) return "full";
    return this.#write(line, bytes);
  }

  async roomy(signal: AbortSignal): Promise<void> {
    await this.#until(() => !this.isCrowded || signal.aborted, signal);
  }

  async belowLimit(): Promise<void> {
    await this.#until(() => this.#bytes <= this.#maxBytes);
  }

  async empty(): Promise<void> {
    await this.#until(() => this.#bytes === 0);
  }

  close(): void {
    this.#closed = true;
    this.#wake();
  }

  async #write(line: string, bytes: number): Promise<void> {
    this.#bytes += bytes;
    try {
      await this.#writer.write(line);
    } finally {
      this.#bytes -= bytes;
      this.#wake();
    }
  }

  async #until(holds: () => boolean, signal?: AbortSignal): Promise<void> {
    if (holds() || this.#closed) return;
    const wake = () => this.#wake();
    signal?.addEventListener("abort", wake);
    while (!holds() && !this.#closed) {
      await new Promise<void>((resolve) => this.#waiting.add(resolve));
    }
    signal?.removeEventListener("abort", wake);
  }

  #wake(): void {
    if (this.#waiting.size === 0) return;
    const waiting = this.#waiting;
    this.#waiting = new Set();
    for (const resolve of waiting) resolve();
  }
}
