/**
 * How long serving lasts, whatever it is served over: until the connection has closed and every
 * call has ended. The signals that ask for the end, and who has to hear of it, stand here.
 */

import { onEndSignals } from "../process/end_signals.ts";
import { log } from "../log.ts";

/**
 * Milliseconds that processes have left when the end is asked for a second time. The clients of the
 * SDK close stdin, send SIGTERM after 2 s and SIGKILL after 2 s more: ours must be gone by then.
 */
const hurryMs = 1000;

/** What a transport and its calls have to do with each other. */
export interface Lifetime {
  /** Aborts when the connection has closed; every call ends then. */
  readonly stop: AbortSignal;
  /** Aborts when the end is urgent; the grace of processes is cut short then. */
  readonly hurry: AbortSignal;
  /** Told of each call, so that the end can wait for it. */
  track(call: Promise<unknown>): void;
  /** Resolves when none of the calls told of is running. */
  idle(): Promise<void>;
}

/** A transport as its lifetime sees it. */
export interface ServerConnection {
  /** Resolves when nothing comes in and nothing goes out any more. */
  readonly closed: Promise<void>;
  /** True when the other side has asked for the end already. */
  readonly ending: boolean;
  /** Closes it; asking twice is asking once. */
  close(): Promise<void>;
}

/**
 * Opens a connection; resolves when it is closed, every call of it has ended and `release` has let
 * go of what they needed.
 */
export async function serveThrough(
  open: (lifetime: Lifetime) => ServerConnection,
  release: () => Promise<void>,
): Promise<void> {
  const stop = new AbortController();
  const hurry = new AbortController();
  const running = new Set<Promise<unknown>>();
  const connection = open({
    stop: stop.signal,
    hurry: hurry.signal,
    track(call) {
      running.add(call);
      const forget = () => running.delete(call);
      call.then(forget, forget);
    },
    async idle() {
      while (running.size > 0) await Promise.allSettled(running);
    },
  });

  let signals = 0;
  let hurryTimer: ReturnType<typeof setTimeout> | undefined;
  const unlisten = onEndSignals((signal) => {
    log("info", `${signal}: ending`);
    const asksAgain = connection.ending || ++signals > 1;
    if (asksAgain) hurryTimer ??= setTimeout(() => hurry.abort(), hurryMs);
    void connection.close();
  });
  await connection.closed;
  stop.abort();
  await Promise.allSettled(running);
  await release();
  clearTimeout(hurryTimer);
  unlisten();
}
