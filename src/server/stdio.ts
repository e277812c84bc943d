/**
 * Serves a surface over stdin and stdout until the client leaves or the process is told to end. A pipe of the event
 * loop costs no thread for each read and write, but ten milliseconds to load: pipes replace streams after the first call.
 */

import type { JSONRPCMessage } from "@modelcontextprotocol/server";
import { serveStdio as serveMcp } from "@modelcontextprotocol/server/stdio";
import { logSdkError } from "./serving.ts";
import { Elicitation } from "./elicitation.ts";
import { type Lifetime, type ServerConnection, serveThrough } from "./lifetime.ts";
import { createMcpServer, type ServedMcp } from "./mcp_server.ts";
import { plainRequest } from "./plain_calls.ts";
import { StdioServerTransport } from "./stdio_transport.ts";
import type { Surface } from "./surface.ts";
import type { ByteSink, ByteSource } from "../text/lines.ts";
import type { Socket } from "node:net";
import { io, processIo } from "../io.ts";

/** Milliseconds to answer accepted calls after the end of stdin. */
const drainMs = 2000;

/** 32 MiB: room for an input of 16 MB and its JSON escapes. */
const maxMessageBytes = 32 * 1024 * 1024;

/** 64 MiB of requests that are accepted and not finished. */
const maxAcceptedBytes = 64 * 1024 * 1024;

/** 64 MiB of unread answers: over a hundred of the largest. */
const maxUnsentBytes = 64 * 1024 * 1024;

/** An hour: clients are notified of changes, and list tools again after a restart. */
const listTtlMs = 60 * 60 * 1000;

/** Resolves when the connection is closed and `release` has finished. */
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
  const serving = {
    ...lifetime,
    listTtlMs,
    elicitation: new Elicitation({ isOneClient: true, stop: lifetime.stop.signal }),
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
    return mcp !== undefined && takePlain(message, mcp, transport);
  };
  transport.onsent = (message) => streams?.sent(message);
  // Completes open subscriptions before it closes
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

/** Answers a plain call beside the SDK; returns false for other messages. */
export function takePlain(
  message: JSONRPCMessage,
  { plain, answer }: ServedMcp,
  transport: StdioServerTransport,
): boolean {
  if ("method" in message && message.method === "notifications/cancelled") {
    plain.find(message.params?.["requestId"])?.cancel(message.params?.["reason"]);
    return false;
  }
  const request = plainRequest(message);
  const call = request && plain.begin(request, answer);
  if (call === undefined) return false;
  void call.answer().then((answer) => {
    if (answer === "handed over") transport.onmessage?.(message);
    else if (answer !== "cancelled") void transport.send(answer);
  });
  return true;
}

/** Answers before pipes are used: those to `initialize`, `tools/list` and the first call. */
const firstAnswers = 3;

function stdioStreams(): { input: ByteSource; output: ByteSink } {
  const { stdin, stdout } = io();
  if (io() !== processIo || Deno.build.os === "windows") {
    return { input: stdin.readable.getReader(), output: stdout.writable.getWriter() };
  }
  let source: ByteSource = stdin.readable.getReader();
  let sink: ByteSink = stdout.writable.getWriter();
  let pipes: Partial<Awaited<ReturnType<typeof loadPipes>>> = {};
  let answers = 0;
  return {
    input: {
      read() {
        // Between two reads: no other one waits for the same bytes
        source = pipes.source?.() ?? source;
        delete pipes.source;
        return source.read();
      },
      cancel: () => source.cancel(),
    },
    output: {
      async write(bytes) {
        sink = pipes.sink?.() ?? sink;
        delete pipes.sink;
        await sink.write(bytes);
        // Without them, the streams of Deno stay
        if (++answers === firstAnswers) loadPipes().then((each) => pipes = each).catch(() => {});
      },
    },
  };
}

/** Functions that open the pipes behind stdin and stdout; absent for files and terminals. */
async function loadPipes() {
  const [{ Socket }, { fstatSync }] = await Promise.all([import("node:net"), import("node:fs")]);
  const [input, output, errors] = [0, 1, 2].map((fd) => fstatSync(fd));
  const isPipe = (stat: typeof input) => stat!.isFIFO() || stat!.isSocket();
  // A pipe that does not block would refuse log lines while it is full
  const isShared = output!.dev === errors!.dev && output!.ino === errors!.ino;
  return {
    ...(isPipe(input) ? { source: () => pipeSource(Socket) } : {}),
    ...(isPipe(output) && !isShared ? { sink: () => pipeSink(Socket) } : {}),
  };
}

function pipeSink(PipeSocket: typeof Socket): ByteSink {
  const pipe = new PipeSocket({ fd: 1, readable: false, writable: true });
  // The write fails too
  pipe.on("error", () => {});
  // A client that does not read must not keep the process
  pipe.unref();
  return {
    write: (bytes) =>
      new Promise((resolve, reject) => {
        pipe.write(bytes, (error) => error ? reject(error) : resolve());
      }),
  };
}

/** Reads into two buffers, so a chunk is lost with the next: for new ones, V8 would collect old objects often. */
function pipeSource(PipeSocket: typeof Socket): ByteSource {
  const given = new Uint8Array(64 * 1024);
  let give: ((_: Awaited<ReturnType<ByteSource["read"]>>) => void) | undefined;
  let kept: Uint8Array | undefined;
  const pass = () => {
    given.set(kept!);
    give!({ value: given.subarray(0, kept!.length) });
    give = kept = undefined;
  };
  const callback = (length: number, bytes: Uint8Array) => {
    kept = bytes.subarray(0, length);
    if (give !== undefined) pass();
    return kept === undefined; // or pauses
  };
  const onread = { buffer: new Uint8Array(64 * 1024), callback };
  const pipe = new PipeSocket({ fd: 0, readable: true, writable: false, onread });
  pipe.on("error", (error) => logSdkError("connection", error));
  pipe.on("close", () => give?.({}));
  pipe.resume();
  return {
    read: () =>
      new Promise((resolve) => {
        give = resolve;
        if (kept !== undefined) {
          pass();
          pipe.resume();
        } else if (pipe.destroyed) resolve({});
      }),
    cancel: () => Promise.resolve(void pipe.destroy()),
  };
}
