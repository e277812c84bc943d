/** The bounds of a script. `docs/scripts.md` lists them. */

export interface ScriptLimits {
  /** Characters of the source: 64 KiB. */
  readonly sourceLength: number;
  /** Milliseconds of processor time, without the wait for calls; by the clock, three times as many. */
  readonly computingMs: number;
  /** Milliseconds in all. */
  readonly totalMs: number;
  /** Calls and searches. */
  readonly calls: number;
  /** Calls that run at once. Other calls wait. */
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

/** Milliseconds by the clock: on a busy machine a thread gets a part of the processor time. */
export const maxClockMs = (computingMs: number): number => 3 * computingMs;

/** MiB of the heap of a script. */
export const scriptHeap = 32;

/** Scripts of all clients that run at once. Each client has one. */
export const scriptsAtOnce = 4;

/** Most kept scripts in one folder. */
export const maxKept = 100;
