/** Bounds of the stored outputs. */

export interface OutputBounds {
  /** Most bytes of one output; the rest is discarded. */
  readonly bytes: number;
  /** Most bytes of all outputs. */
  readonly totalBytes: number;
  /** Most outputs, those that are being written included. */
  readonly count: number;
  /** Milliseconds that an output is stored. */
  readonly ageMs: number;
}

/**
 * 4 MiB each, 64 MiB together, 24 of them, for an hour. The oldest of the client that has most is evicted first.
 * A client that is distinguished from others has half of these.
 */
export const defaultOutputBounds: OutputBounds = {
  bytes: 4 * 1024 * 1024,
  totalBytes: 64 * 1024 * 1024,
  count: 24,
  ageMs: 60 * 60 * 1000,
};
