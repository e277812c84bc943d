/** Serves a surface over stdin and stdout until the client leaves or the process is told to end. */

import type { McpServer } from "@modelcontextprotocol/server";
import { serveStdio as serveMcp } from "@modelcontextprotocol/server/stdio";
import { logSdkError } from "./_sdk_error.ts";
import { Elicitation } from "./elicitation.ts";
import { type Lifetime, type ServerConnection, serveThrough } from "./lifetime.ts";
import { createMcpServer } from "./mcp_server.ts";
import { stdioStreams } from "./stdio_streams.ts";
import { StdioServerTransport } from "./stdio_transport.ts";
import type { Surface } from "./surface.ts";

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
export async function serveStdio(
  surface: Surface,
  release: () => Promise<void>,
): Promise<void> {
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
    elicitation: new Elicitation({ isOneClient: true, stop: lifetime.stop }),
    readAt: () => transport.readAt,
    mayStart: (signal: AbortSignal) => transport.mayStart(signal),
    finished: (id: string | number) => transport.finished(id),
  };
  let mcp: McpServer | undefined;
  const handle = serveMcp(({ era }) => {
    mcp = createMcpServer(surface, serving, era === "modern" ? "streams" : "connection");
    return mcp;
  }, {
    transport,
    onerror: (error) => logSdkError("connection", error),
  });
  const streams = surface.features?.stdioSubscriptions((uri) => {
    mcp?.server.sendResourceUpdated({ uri }).catch((error) => logSdkError("protocol", error));
  });
  transport.onreceived = (message) => streams?.received(message);
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
