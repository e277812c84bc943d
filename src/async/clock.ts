/** The clock for ages and timers, as a parameter; setting the system clock does not change it. */

/** Cancels a timer. Has no effect after the timer has fired. */
export type CancelTimer = () => void;

interface TimerOptions {
  /** The timer does not keep the process alive. @default false */
  readonly unref?: boolean;
}

export interface Clock {
  /** Milliseconds since 1970 by the system clock at the start, counted on without a jump. */
  now(): number;
  /** Calls `act` once, after `ms` milliseconds. */
  after(ms: number, act: () => void, options?: TimerOptions): CancelTimer;
}

/** The clock of the process, which everything takes by default. */
export const systemClock: Clock = {
  now: () => Math.round(performance.timeOrigin + performance.now()),
  after(ms, act, { unref = false } = {}) {
    const timer = setTimeout(act, ms);
    if (unref) Deno.unrefTimer(timer);
    return () => clearTimeout(timer);
  },
};

/** A signal that aborts after `ms` milliseconds, unless it is cancelled. */
export function abortAfter(clock: Clock, ms: number) {
  const timeout = new AbortController();
  // The reason that `AbortSignal.timeout` has
  const reason = new DOMException("Signal timed out.", "TimeoutError");
  const cancel = clock.after(ms, () => timeout.abort(reason));
  return { signal: timeout.signal, cancel };
}

/** Calls `act` every `ms` milliseconds, until it is cancelled. */
export function repeat(
  clock: Clock,
  ms: number,
  act: () => void,
  options?: TimerOptions,
): CancelTimer {
  let cancel = clock.after(ms, tick, options);
  function tick(): void {
    cancel = clock.after(ms, tick, options);
    act();
  }
  return () => cancel();
}

/** One timer. It does not keep the process alive. */
export class ExpiryTimer {
  readonly #clock: Clock;
  #cancel: CancelTimer | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Calls `act` after `untilMs` by the clock, in place of an earlier call; `undefined`: stops. */
  set(untilMs: number | undefined, act: () => void): void {
    this.stop();
    if (untilMs === undefined) return;
    const ms = Math.max(0, untilMs - this.#clock.now()) + 1;
    this.#cancel = this.#clock.after(ms, act, { unref: true });
  }

  stop(): void {
    this.#cancel?.();
  }
}
