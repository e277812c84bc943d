/**
 * Serves a surface over stdin and stdout until the client goes or the process is told to end.
 */

import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { onEndSignals } from "../process/end_signals.ts";
import { messageOf } from "../errors.ts";
import { log } from "../log.ts";
import { createMcpServer } from "./mcp_server.ts";
import { StdioTransport } from "./stdio_transport.ts";
import type { Surface } from "./surface.ts";

/** Milliseconds that accepted calls have to be answered once stdin has ended. */
const drainMs = 2000;

/**
 * Milliseconds that processes have left when the end is asked for a second time. The clients of the
 * SDK close stdin, send SIGTERM after 2 s and SIGKILL after 2 s more: ours must be gone by then.
 */
const hurryMs = 1000;

/** 128 MiB: room for an input of 50 MB and its JSON escapes. */
const maxMessageBytes = 128 * 1024 * 1024;

/** 64 MiB: over a hundred of the largest answers. */
const maxUnsentBytes = 64 * 1024 * 1024;

/** Serves `surface`; resolves when the connection is closed and every call of it has ended. */
export async function serve(surface: Surface): Promise<void> {
  const closed = Promise.withResolvers<void>();
  const stop = new AbortController();
  const hurry = new AbortController();
  const running = new Set<Promise<unknown>>();
  const track = (call: Promise<unknown>): void => {
    running.add(call);
    const forget = () => running.delete(call);
    call.then(forget, forget);
  };

  const transport = new StdioTransport(Deno.stdin.readable, Deno.stdout.writable, {
    drainMs,
    maxMessageBytes,
    maxUnsentBytes,
  });
  const settings = { signal: stop.signal, hurry: hurry.signal, track };
  const handle = serveStdio(() => createMcpServer(surface, settings), {
    transport,
    onerror: (error) => log("debug", `connection: ${messageOf(error)}`),
  });
  const { onclose } = transport;
  transport.onclose = () => {
    onclose?.();
    closed.resolve();
  };

  let signals = 0;
  let hurryTimer: ReturnType<typeof setTimeout> | undefined;
  const unlisten = onEndSignals((signal) => {
    log("info", `${signal}: ending`);
    const asksAgain = transport.inputEnded || ++signals > 1;
    if (asksAgain) hurryTimer ??= setTimeout(() => hurry.abort(), hurryMs);
    void handle.close().finally(closed.resolve);
  });
  await closed.promise;
  stop.abort();
  await Promise.allSettled(running);
  clearTimeout(hurryTimer);
  unlisten();
}
