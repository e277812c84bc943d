/**
 * Serves a surface over stdin and stdout, with one JSON-RPC message on each line (MCP 2026-07-28, stdio). Unlike the
 * transport of the SDK, this one answers invalid messages, continues after an oversized one, lets accepted calls
 * finish, and bounds requests and unread answers (`tests/upstream_faults/server_sdk_test.ts`).
 */

import {
  type JSONRPCMessage,
  SUBSCRIPTION_ID_META_KEY,
  type Transport,
} from "@modelcontextprotocol/server";
import { serveStdio as serveMcp } from "@modelcontextprotocol/server/stdio";
import { Buffer } from "node:buffer";
import { fstatSync, type Stats } from "node:fs";
import { Socket } from "node:net";
import type { Clock } from "../async/clock.ts";
import { deadline } from "../async/deadline.ts";
import { CallQueue } from "../call/call_queue.ts";
import { messageOf } from "../errors.ts";
import { io, processIo } from "../io.ts";
import { log } from "../log.ts";
import { type ByteSink, type ByteSource, nextTurn, splitLines, TextWriter } from "../text/lines.ts";
import { isBlank, type MessageId } from "../text/message_scan.ts";
import { Elicitation } from "./elicitation.ts";
import { type Lifetime, type ServerConnection, serveThrough } from "./lifetime.ts";
import { createMcpServer, type ServedMcp } from "./mcp_server.ts";
import { errorAnswer, Inbox, invalidRequest, overloaded } from "./receive.ts";
import { logSdkError } from "./requests.ts";
import type { Surface } from "./surface.ts";

const mib = 1024 * 1024;

const bounds = {
  /** After the end of the input, accepted requests have this many milliseconds to be answered. */
  drainMs: 2000,
  /** The most bytes of one message: an input of 16 MB fits in, even with the escapes of JSON. */
  maxMessageBytes: 32 * mib,
  maxAcceptedBytes: 64 * mib,
  maxUnsentBytes: 64 * mib,
};

export type StdioTransportOptions = Readonly<typeof bounds> & { readonly clock?: Clock };

/** Clients may cache the list of tools for an hour, as they are notified of changes and list again after a restart. */
const listTtlMs = 60 * 60 * 1000;

export async function serveStdio(surface: Surface, release: () => Promise<void>): Promise<void> {
  await serveThrough((lifetime) => openConnection(surface, lifetime), release);
}

function openConnection(surface: Surface, lifetime: Lifetime): ServerConnection {
  const closed = Promise.withResolvers<void>();
  const transport = new StdioServerTransport(...stdioStreams(), bounds);
  const queue = CallQueue.ofClient();
  const serving = {
    ...lifetime,
    listTtlMs,
    elicitation: new Elicitation({ isOneClient: true, stop: lifetime.stop.signal }),
    enter: () => queue.enter(),
    readAt: () => transport.readAt,
    mayStart: (signal: AbortSignal) => transport.mayStart(signal),
    finished: (id: MessageId) => transport.finishRequest(id),
  };
  let mcp: ServedMcp | undefined;
  const handle = serveMcp(({ era }) => {
    mcp = createMcpServer(surface, serving, era === "modern" ? "streams" : "connection");
    return mcp;
  }, { transport, onerror: (error) => logSdkError("connection", error) });
  const streams = surface.features?.stdioSubscriptions((uri) => {
    mcp?.server.sendResourceUpdated({ uri }).catch((error) => logSdkError("protocol", error));
  });
  transport.onreceived = (message) => {
    streams?.onReceive(message);
    return mcp !== undefined && mcp.plain.take(message, mcp.answer, transport);
  };
  transport.onsent = (message) => streams?.sent(message);
  transport.ondrained = () => handle.close();
  const { onclose } = transport;
  transport.onclose = () => {
    onclose?.();
    streams?.close();
    closed.resolve();
  };
  return {
    closed: closed.promise,
    leaving: transport.inputEnd,
    close: () => handle.close().finally(closed.resolve),
    discard: () => transport.stopReading(),
  };
}

/** Opens stdin and stdout: pipes on the event loop, which need no thread; for files and terminals Deno's streams. */
function stdioStreams(): [ByteSource, ByteSink] {
  const { stdin, stdout } = io();
  const isOwn = io() === processIo && Deno.build.os !== "windows";
  const [input, output, errors] = isOwn ? [0, 1, 2].map((fd) => fstatSync(fd)) : [];
  // If stdout and stderr are the same pipe, stdout must block: a full non-blocking pipe would lose log lines
  const isShared = output?.dev === errors?.dev && output?.ino === errors?.ino;
  return [
    isPipe(input) ? pipeSource() : stdin.readable.getReader(),
    isPipe(output) && !isShared ? pipeSink() : stdout.writable.getWriter(),
  ];
}

function isPipe(stat: Stats | undefined): boolean {
  return stat !== undefined && (stat.isFIFO() || stat.isSocket());
}

function pipeSink(): ByteSink {
  const pipe = new Socket({ fd: 1, readable: false, writable: true });
  // Without a listener, an `error` of the pipe would end climax; the failed write reports the same error
  pipe.on("error", () => {});
  pipe.unref();
  return {
    write: (bytes) =>
      new Promise((resolve, reject) => {
        pipe.write(bytes, (error) => error ? reject(error) : resolve());
      }),
  };
}

function pipeSource(): ByteSource {
  const pipe = new Socket({ fd: 0, readable: true, writable: false });
  const chunks: AsyncIterator<Uint8Array> = pipe.iterator();
  return {
    read: () => chunks.next(),
    cancel: () => Promise.resolve(void pipe.destroy()),
  };
}

export class StdioServerTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  /** Gets each message before `onmessage`, and returns true if it has handled the message. */
  onreceived?: (message: JSONRPCMessage) => boolean;
  onsent?: (message: JSONRPCMessage) => void;
  /** Called when the input has ended and accepted requests are answered. @default closes the connection */
  ondrained: () => Promise<void> = () => this.close();
  /** The time of the last read of the input, by `performance.now()`, in milliseconds. */
  readAt = 0;
  readonly #reader: ByteSource;
  readonly #inbox: Inbox;
  readonly #outbox: Outbox;
  readonly #inputEnd = Promise.withResolvers<void>();
  /** Resolves at the end of the input, which is read to its end even after the connection was closed. */
  readonly inputEnd = this.#inputEnd.promise;
  #closed = false;

  constructor(
    input: ByteSource,
    output: ByteSink,
    private readonly options: StdioTransportOptions,
  ) {
    this.#reader = input;
    this.#inbox = new Inbox(options.maxAcceptedBytes);
    this.#outbox = new Outbox(output, options.maxUnsentBytes);
  }

  start(): Promise<void> {
    void this.#read();
    return Promise.resolve();
  }

  async send(message: JSONRPCMessage): Promise<void> {
    this.onsent?.(message);
    if (!("method" in message)) {
      const id = message.id ?? null;
      this.#inbox.onAnswer(id);
      return await this.#write(message, id);
    }
    const { method, params } = message;
    if (method === "notifications/progress" && this.#outbox.isCrowded) return;
    if (method === "notifications/subscriptions/acknowledged") {
      // A subscription gets no answer while it is open, so its acknowledgement counts as the answer
      this.#inbox.onAnswer(params?._meta?.[SUBSCRIPTION_ID_META_KEY] as MessageId);
    }
    await this.#write(message);
  }

  mayStart(signal: AbortSignal): Promise<void> | undefined {
    return this.#outbox.isCrowded ? this.#outbox.roomy(signal) : undefined;
  }

  finishRequest(id: MessageId): void {
    this.#inbox.finish(id);
  }

  close(): Promise<void> {
    if (this.#closed) return Promise.resolve();
    this.#closed = true;
    this.#inbox.clear();
    this.#outbox.close();
    this.onclose?.();
    return Promise.resolve();
  }

  async stopReading(): Promise<void> {
    await this.#reader.cancel().catch(() => {});
  }

  async #read(): Promise<void> {
    const { maxMessageBytes, drainMs, clock } = this.options;
    try {
      for await (const line of splitLines({ read: () => this.#nextChunk() }, maxMessageBytes)) {
        if (this.#closed) continue;
        if (line === "oversized") {
          const message = `Message is longer than ${maxMessageBytes} bytes`;
          await this.#refuse({ id: null, error: { code: invalidRequest, message } });
        } else if (!isBlank(line)) await this.#receive(line);
        await this.#outbox.belowLimit();
      }
    } catch (error) {
      this.onerror?.(error instanceof Error ? error : new Error(messageOf(error)));
    }
    this.#inputEnd.resolve();
    if (this.#closed) return;
    const sent = this.#inbox.whenSettled().then(() => this.#outbox.empty());
    await deadline(sent, drainMs, undefined, clock);
    if (!this.#closed) await this.ondrained();
  }

  async #nextChunk(): ReturnType<ByteSource["read"]> {
    // Handling a call before the next read halves the time until its program starts
    await nextTurn();
    const chunk = await this.#reader.read();
    this.readAt = performance.now();
    return chunk;
  }

  async #receive(line: Uint8Array): Promise<void> {
    const received = this.#inbox.receive(line);
    if ("error" in received) return await this.#refuse(received);
    const { message } = received;
    if (this.onreceived?.(message) !== true) this.onmessage?.(message);
  }

  async #refuse(refusal: Parameters<typeof errorAnswer>[0]): Promise<void> {
    // The log has no details of the error, because they may quote a secret in the message
    log("info", `refused a message, code ${refusal.error.code}`);
    await this.#write(errorAnswer(refusal));
  }

  async #write(message: JSONRPCMessage, id: MessageId = null): Promise<void> {
    if (this.#closed) return;
    try {
      const sent = this.#outbox.send(message);
      if (sent !== "full") return await sent;
      const limit = this.options.maxUnsentBytes;
      const reason = `Result withheld: answers of ${limit} bytes wait to be read`;
      const error = { code: overloaded, message: reason };
      await this.#outbox.send(errorAnswer({ id, error }), "always");
    } catch (error) {
      log("info", `The client stopped reading: ${messageOf(error)}`);
      await this.close();
    }
  }
}

/** Calls wait while unread answers use more than this share of `maxUnsentBytes`. */
const crowdedAt = 0.5;

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

export class Outbox {
  readonly #writer: TextWriter;
  #bytes = 0;
  #closed = false;
  #change = Promise.withResolvers<void>();

  constructor(output: ByteSink, private readonly maxBytes: number) {
    this.#writer = new TextWriter(output);
  }

  get isCrowded(): boolean {
    return this.#bytes > this.maxBytes * crowdedAt;
  }

  /** Sends `message` as a line, or returns `full` if too many answers are unread, unless `always` is given. */
  send(message: unknown, how?: "always"): Promise<void> | "full" {
    // Some clients take U+0085, U+2028 and U+2029 for the end of a line, so these characters are escaped
    const text = JSON.stringify(message).replaceAll(/[\x85\u2028\u2029]/g, escapeCharacter);
    const line = `${text}\n`;
    const bytes = Buffer.byteLength(line);
    const fits = this.#bytes === 0 || this.#bytes + bytes <= this.maxBytes;
    if (!fits && how === undefined) return "full";
    return this.#write(line, bytes);
  }

  async roomy(signal: AbortSignal): Promise<void> {
    const wake = () => this.#wake();
    signal.addEventListener("abort", wake);
    await this.#until(() => !this.isCrowded || signal.aborted);
    signal.removeEventListener("abort", wake);
  }

  async belowLimit(): Promise<void> {
    await this.#until(() => this.#bytes <= this.maxBytes);
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

  async #until(holds: () => boolean): Promise<void> {
    while (!holds() && !this.#closed) await this.#change.promise;
  }

  #wake(): void {
    this.#change.resolve();
    this.#change = Promise.withResolvers();
  }
}
