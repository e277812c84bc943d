/** Serves over any transport until the connection is closed and all calls have ended. */

import { FollowedSignal, PendingWork } from "../async/deadline.ts";
import { onEndSignals } from "../process/end_signals.ts";
import { log } from "../log.ts";

/** Milliseconds between the second signal and the forced end: clients of the SDK send SIGKILL 2 s after SIGTERM. */
const forceEndMs = 1000;

export interface Lifetime {
  readonly stop: FollowedSignal;
  /** Aborts when serving must end at once, which skips the grace period of programs. */
  readonly forceEnd: AbortSignal;
  track(call: Promise<unknown>): void;
}

export interface ServerConnection {
  readonly closed: Promise<void>;
  /** Resolves when the client has closed its input, even after `close()`. @default never, as over HTTP */
  readonly leaving?: Promise<void>;
  close(): Promise<void>;
  discard?(): Promise<void>;
}

/** Resolves when the connection is closed, all calls have ended, and `release` has closed what the calls used. */
export async function serveThrough(
  open: (lifetime: Lifetime) => ServerConnection | Promise<ServerConnection>,
  release: () => Promise<void>,
): Promise<void> {
  const stop = new AbortController();
  const forceEnd = new AbortController();
  const running = new PendingWork();
  const connection = await open({
    stop: new FollowedSignal(stop.signal),
    forceEnd: forceEnd.signal,
    track: running.add.bind(running),
  });

  let signals = 0;
  let hasEnded = false;
  let forceTimer: ReturnType<typeof setTimeout> | undefined;
  const forceEndSoon = () => {
    if (!hasEnded) forceTimer ??= setTimeout(() => forceEnd.abort(), forceEndMs);
  };
  const unlisten = onEndSignals((signal) => {
    log("info", `${signal}: ending`);
    if (++signals > 1) forceEndSoon();
    else void connection.leaving?.then(forceEndSoon);
    void connection.close();
  });
  await connection.closed;
  stop.abort();
  await running.settled();
  await release();
  hasEnded = true;
  clearTimeout(forceTimer);
  unlisten();
  await connection.discard?.();
}
