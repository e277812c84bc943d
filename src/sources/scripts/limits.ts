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
  /** Characters of a value that goes in or out, as JSON. */
  valueLength: 4 * 1024 * 1024,
  /** Levels of objects and lists in a value that goes in or out. */
  depth: 100,
  /** Characters of all logged lines together. */
  logLength: 64 * 1024,
};

export type ScriptLimits = Readonly<typeof scriptLimits>;

/** Returns how many milliseconds may pass while a script computes: a busy machine gives it only a part of the time. */
export const maxClockMs = (computingMs: number): number => 3 * computingMs;

/** The memory of a script, in MiB. */
export const scriptHeap = 32;

/** This many scripts of all clients run at once, and one script of each client. */
export const scriptsAtOnce = 4;
