/** A signal that follows others, as that of `AbortSignal.any` does, for as long as it is needed. */

export interface FollowingSignal {
  readonly signal: AbortSignal;
  /** Ends the following. */
  unfollow(): void;
}

/**
 * A signal that aborts with the first of `signals`. One of `AbortSignal.any` stays in the lists of those that it follows
 * until garbage collection finds it, which takes long beside a signal that lives as long as the process.
 */
export function anySignal(...signals: readonly AbortSignal[]): FollowingSignal {
  const controller = new AbortController();
  const abort = () => controller.abort(signals.find(({ aborted }) => aborted)?.reason);
  for (const signal of signals) signal.addEventListener("abort", abort, { once: true });
  if (signals.some(({ aborted }) => aborted)) abort();
  return {
    signal: controller.signal,
    unfollow() {
      for (const signal of signals) signal.removeEventListener("abort", abort);
    },
  };
}
