/**
 * The clock for ages and timeouts. Setting the system clock, by hand or by a daemon, does not change them;
 * only dates that are shown or compared with those of files use `Date.now()`.
 */

/**
 * Milliseconds since 1970 by the clock at the start of the process, counted from there without a jump.
 *
 * It is also a date, wrong by the corrections of the system clock since then.
 */
export function monotonicNow(): number {
  return Math.round(performance.timeOrigin + performance.now());
}
