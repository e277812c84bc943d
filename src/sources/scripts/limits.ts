/** The bounds of a script. Each has a test; `docs/scripts.md` has the table. */

export interface ScriptLimits {
  /** Characters of the source: 64 KiB. */
  readonly sourceLength: number;
  /** Milliseconds of its own computing, without the wait for calls; three times as many by the clock. */
  readonly computingMs: number;
  /** Milliseconds in all. */
  readonly totalMs: number;
  /** Calls and searches. */
  readonly calls: number;
  /** Calls that run at once; the others wait. */
  readonly callsAtOnce: number;
  /** Characters of a value that crosses the boundary, as JSON: 4 MiB. */
  readonly valueLength: number;
  /** Levels of objects and lists of such a value. */
  readonly depth: number;
  /** Characters of all that a script logs. */
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

/** By the clock, since a busy machine leaves a thread a part of its time. */
export const maxClockMs = (computingMs: number): number => 3 * computingMs;

/** MiB of the heap of a script. */
export const scriptHeap = 32;

/** Scripts that run at once, of all clients; a client has one. */
export const scriptsAtOnce = 4;

/** Kept scripts in one folder. */
export const maxKept = 100;
