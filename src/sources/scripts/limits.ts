/** The bounds of a script, which docs/scripts.md lists. */

export const scriptLimits = {
  /** The code of a script has at most this many characters. */
  sourceLength: 64 * 1024,
  /** A script may compute for this many milliseconds of processor time, without its calls. */
  computingMs: 10_000,
  /** A script may take this many milliseconds in all, with its calls. */
  totalMs: 5 * 60_000,
  /** A script may make this many calls and searches. */
  calls: 200,
  callsAtOnce: 8,
  /** A value that goes into a script or out of it has at most this many characters as JSON. */
  valueLength: 4 * 1024 * 1024,
  /** A value that goes into a script or out of it has at most this many levels of objects and lists. */
  depth: 100,
  /** The lines that a script logs have at most this many characters together. */
  logLength: 64 * 1024,
};

export type ScriptLimits = Readonly<typeof scriptLimits>;

/** Returns how many milliseconds may pass while a script computes: a busy machine gives it only a part of the time. */
export const maxClockMs = (computingMs: number): number => 3 * computingMs;

/** A script has this much memory, in MiB. */
export const scriptHeap = 32;

/** This many scripts run at once, of all clients together; each client runs one at a time. */
export const scriptsAtOnce = 4;
