/** Serves a surface over stdin and stdout until the client leaves or the process must end. */

import { serveStdio as serveMcp } from "@modelcontextprotocol/server/stdio";
import { CallQueue } from "../call/call_queue.ts";
import { Elicitation } from "./elicitation.ts";
import { type Lifetime, type ServerConnection, serveThrough } from "./lifetime.ts";
import { createMcpServer, type ServedMcp } from "./mcp_server.ts";
import { logSdkError } from "./requests.ts";
import { StdioServerTransport } from "./stdio_transport.ts";
import type { Surface } from "./surface.ts";
import type { ByteSink, ByteSource } from "../text/lines.ts";
import { Socket } from "node:net";
import { fstatSync, type Stats } from "node:fs";
import { io, processIo } from "../io.ts";

/** After the end of stdin, accepted calls have this many milliseconds to be answered. */
const drainMs = 2000;

/** A message has at most this many bytes: 32 MiB have room for an input of 16 MB with its JSON escapes. */
const maxMessageBytes = 32 * 1024 * 1024;

/** Accepted and unfinished requests have at most this many bytes: 64 MiB. */
const maxAcceptedBytes = 64 * 1024 * 1024;

/** Unread answers have at most this many bytes: 64 MiB are over a hundred of the largest. */
const maxUnsentBytes = 64 * 1024 * 1024;

/** Clients may cache the list of tools for an hour, as they are notified of changes and list again after a restart. */
const listTtlMs = 60 * 60 * 1000;

/** Serves over stdin and stdout. Resolves when the connection is closed and `release` has finished. */
export async function serveStdio(surface: Surface, release: () => Promise<void>): Promise<void> {
  await serveThrough((lifetime) => openConnection(surface, lifetime), release);
}

function openConnection(surface: Surface, lifetime: Lifetime): ServerConnection {
  const closed = Promise.withResolvers<void>();
  const { input, output } = stdioStreams();
  const transport = new StdioServerTransport(input, output, {
    drainMs,
    maxMessageBytes,
    maxAcceptedBytes,
    maxUnsentBytes,
  });
  const queue = CallQueue.ofClient();
  const serving = {
    ...lifetime,
    listTtlMs,
    elicitation: new Elicitation({ isOneClient: true, stop: lifetime.stop.signal }),
    enter: () => queue.enter(),
    readAt: () => transport.readAt,
    mayStart: (signal: AbortSignal) => transport.mayStart(signal),
    finished: (id: string | number) => transport.finishRequest(id),
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
  // Subscriptions must be ended before the connection is closed
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
function stdioStreams(): { input: ByteSource; output: ByteSink } {
  const { stdin, stdout } = io();
  const isOwn = io() === processIo && Deno.build.os !== "windows";
  const [input, output, errors] = isOwn ? [0, 1, 2].map((fd) => fstatSync(fd)) : [];
  // If stderr is the same pipe, a non-blocking pipe would lose log lines while it is full
  const isShared = output?.dev === errors?.dev && output?.ino === errors?.ino;
  return {
    input: isPipe(input) ? pipeSource() : stdin.readable.getReader(),
    output: isPipe(output) && !isShared ? pipeSink() : stdout.writable.getWriter(),
  };
}

function isPipe(stat: Stats | undefined): boolean {
  return stat !== undefined && (stat.isFIFO() || stat.isSocket());
}

function pipeSink(): ByteSink {
  const pipe = new Socket({ fd: 1, readable: false, writable: true });
  // The failed write reports the same error
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
