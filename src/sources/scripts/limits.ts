/** The bounds of a script. `docs/scripts.md` lists them. */

export interface ScriptLimits {
  /** The source has at most this many characters. */
  readonly sourceLength: number;
  /** A script may compute for this many milliseconds of processor time; by the clock, three times as many. */
  readonly computingMs: number;
  /** A script may run for this many milliseconds, with its calls. */
  readonly totalMs: number;
  /** A script may make this many calls and searches. */
  readonly calls: number;
  /** This many calls run at once. Other calls wait. */
  readonly callsAtOnce: number;
  /** A value between script and climax has at most this many characters as JSON: 4 MiB. */
  readonly valueLength: number;
  /** Such a value has at most this many levels of objects and lists. */
  readonly depth: number;
  /** All that a script logs has at most this many characters. */
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

/** The code may run for this many milliseconds by the clock, since a busy machine gives a thread less time. */
export const maxClockMs = (computingMs: number): number => 3 * computingMs;

/** The heap of a script has this many MiB. */
export const scriptHeap = 32;

/** This many scripts of all clients run at once. Each client has one. */
export const scriptsAtOnce = 4;

/** One folder has at most this many kept scripts. */
export const maxKept = 100;
