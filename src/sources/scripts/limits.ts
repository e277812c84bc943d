/** The bounds of a script, which docs/scripts.md lists. */

export const scriptLimits = {
  /** Characters of the code. */
  sourceLength: 64 * 1024,
  /** Milliseconds of processor time for the script's own computing. */
  computingMs: 10_000,
  /** Milliseconds in all, calls included. */
  totalMs: 5 * 60_000,
  /** Calls and searches. */
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

/** Returns the bound by the clock: on a busy machine, a thread gets only a part of the processor time. */
export const maxClockMs = (computingMs: number): number => 3 * computingMs;

/** The memory of a script, in MiB. */
export const scriptHeap = 32;

/** This many scripts of all clients run at once, and one script of each client. */
export const scriptsAtOnce = 4;
