/** Serves a surface over stdin and stdout until the client goes or the process is told to end. */

import { serveStdio as serveMcp } from "@modelcontextprotocol/server/stdio";
import { messageOf } from "../errors.ts";
import { log } from "../log.ts";
import { type Connection, type Lifetime, serveThrough } from "./lifetime.ts";
import { createMcpServer } from "./mcp_server.ts";
import { StdioTransport } from "./stdio_transport.ts";
import type { Surface } from "./surface.ts";

/** Milliseconds that accepted calls have to be answered once stdin has ended. */
const drainMs = 2000;

/** 128 MiB: room for an input of 50 MB and its JSON escapes. */
const maxMessageBytes = 128 * 1024 * 1024;

/** 64 MiB: over a hundred of the largest answers. */
const maxUnsentBytes = 64 * 1024 * 1024;

/** Serves `surface`; resolves when the connection is closed and `release` is done. */
export async function serveStdio(
  surface: Surface,
  release: () => Promise<void>,
): Promise<void> {
  await serveThrough((lifetime) => openConnection(surface, lifetime), release);
}

function openConnection(surface: Surface, lifetime: Lifetime): Connection {
  const closed = Promise.withResolvers<void>();
  const transport = new StdioTransport(Deno.stdin.readable, Deno.stdout.writable, {
    drainMs,
    maxMessageBytes,
    maxUnsentBytes,
  });
  const handle = serveMcp(() => createMcpServer(surface, lifetime), {
    transport,
    onerror: (error) => log("debug", `connection: ${messageOf(error)}`),
  });
  const { onclose } = transport;
  transport.onclose = () => {
    onclose?.();
    closed.resolve();
  };
  return {
    closed: closed.promise,
    get ending() {
      return transport.inputEnded;
    },
    close: () => handle.close().finally(closed.resolve),
  };
}
