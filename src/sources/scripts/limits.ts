/** The bounds of a script. `docs/scripts.md` lists them. */

export interface ScriptLimits {
  /** The code of a script has at most this many characters. */
  readonly sourceLength: number;
  /** A script may compute for this many milliseconds of processor time. */
  readonly computingMs: number;
  /** A script may run for this many milliseconds in all, including its calls. */
  readonly totalMs: number;
  /** A script may make this many calls and searches. */
  readonly calls: number;
  /** This many calls of a script run at once; others wait. */
  readonly callsAtOnce: number;
  /** Arguments and results of calls, as JSON, have at most this many characters each (4 MiB). */
  readonly valueLength: number;
  /** Arguments and results have at most this many levels of objects and lists. */
  readonly depth: number;
  /** The lines that a script logs have at most this many characters together. */
  readonly logLength: number;
}

export const scriptLimits: ScriptLimits = {
  sourceLength: 64 * 1024,
  computingMs: 10_000,
  totalMs: 5 * 60_000,
  calls: 200,
  callsAtOnce: 8,
  valueLength: 4 * 1024 * 1024,
  depth: 100,
  logLength: 64 * 1024,
};

/** Returns the bound by the clock: on a busy machine a thread gets only a part of the processor time. */
export const maxClockMs = (computingMs: number): number => 3 * computingMs;

/** The memory of a script, in MiB. */
export const scriptHeap = 32;

/** This many scripts of all clients run at once, and one of each client. */
export const scriptsAtOnce = 4;
