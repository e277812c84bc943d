/** Defines the clock for ages and timers, which setting the clock of the system does not move. Tests replace it. */

import { bound } from "../io.ts";

export type CancelTimer = () => void;

interface TimerOptions {
  /** True: the timer does not keep the process alive. @default false */
  readonly unref?: boolean;
}

export interface Clock {
  /** Returns milliseconds since 1970 that never jump: the system time at the start, and the time since then. */
  now(): number;
  after(ms: number, act: () => void, options?: TimerOptions): CancelTimer;
}

export const systemClock: Clock = {
  now: () => Math.round(performance.timeOrigin + performance.now()),
  after(ms, act, { unref = false } = {}) {
    if (ms >= minSharedMs && ms < maxTimerMs && !unref) return addDeadline(ms, act);
    const timer = setTimeout(act, ms);
    if (unref) Deno.unrefTimer(timer);
    return () => clearTimeout(timer);
  },
};

/** Timeouts from 1 second to 24 days share one timer of the system; `setTimeout` fires at once for longer ones. */
const [minSharedMs, maxTimerMs] = [1000, 2 ** 31 - 1];

/** The shared timer may fire this many milliseconds late. */
const maxLateMs = 50;

/** The timeouts that share one timer of the system, because setting a timer costs each call ten microseconds. */
const deadlines = new Set<{ readonly at: number; readonly act: () => void }>();
let timer: ReturnType<typeof setTimeout> | undefined;
let firesAt = Infinity;

function addDeadline(ms: number, act: () => void): CancelTimer {
  const added = { at: performance.now() + ms, act: bound(act) };
  deadlines.add(added);
  if (added.at < firesAt) setTimer(added.at);
  else if (deadlines.size === 1) Deno.refTimer(timer!);
  return () => {
    if (deadlines.delete(added) && deadlines.size === 0) Deno.unrefTimer(timer!);
  };
}

export function clearIdleTimer(): void {
  if (deadlines.size > 0) return;
  clearTimeout(timer);
  firesAt = Infinity;
}

function setTimer(at: number): void {
  clearTimeout(timer);
  firesAt = at;
  timer = setTimeout(fireDeadlines, Math.max(maxLateMs, at - performance.now()));
}

function fireDeadlines(): void {
  // The system may fire a timer a millisecond early, so deadlines within the next millisecond fire too
  const now = performance.now() + 1;
  const ordered = [...deadlines].toSorted((one, other) => one.at - other.at);
  firesAt = Infinity;
  const next = ordered.find(({ at }) => at > now);
  if (next !== undefined) setTimer(next.at);
  for (const each of ordered) if (each.at <= now && deadlines.delete(each)) each.act();
}

export function abortAfter(clock: Clock, ms: number) {
  const timeout = new AbortController();
  const reason = new DOMException("Signal timed out.", "TimeoutError");
  const cancel = clock.after(ms, () => timeout.abort(reason));
  return { signal: timeout.signal, cancel };
}

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

/** Calls a function at a time that may change, without keeping the process alive. */
export class ExpiryTimer {
  readonly #clock: Clock;
  #cancel: CancelTimer | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

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
