/**
 * The time that ages and time-outs are measured by. Whoever sets the clock of the machine, or a daemon that
 * corrects it, changes neither: only what is shown as a date or compared with a file's is `Date.now()`.
 */

/**
 * Milliseconds since 1970 as the clock was when the process started, and on from there without a jump.
 *
 * It is a date as well, off by what the clock of the machine was corrected by since.
 */
export function monotonicNow(): number {
  return Math.round(performance.timeOrigin + performance.now());
}
