/** How much of long outputs is kept. */

/** What the kept outputs of a process may take. */
export interface OutputBounds {
  /** Bytes of one output; what is beyond is lost. */
  readonly bytes: number;
  /** Bytes of all outputs. */
  readonly totalBytes: number;
  /** Outputs, those that are being written among them. */
  readonly count: number;
  /** Milliseconds that one is kept. */
  readonly ageMs: number;
}

/**
 * 4 MiB each, 64 MiB together, 24 of them, for an hour; of whoever has most, the oldest goes first. Of these
 * a client that is told apart has half. */
export const defaultOutputBounds: OutputBounds = {
  bytes: 4 * 1024 * 1024,
  totalBytes: 64 * 1024 * 1024,
  count: 24,
  ageMs: 60 * 60 * 1000,
};
