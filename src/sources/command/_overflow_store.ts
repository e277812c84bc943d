/** What of a run's output is longer than what a result has of it, where it is kept. */

import { Buffer } from "node:buffer";
import { defaultOutputBounds } from "../../jobs/output_bounds.ts";
import { Spool } from "../../jobs/spool.ts";
import type { Captured, RunOutcome } from "../../exec/invocation.ts";
import type { OutputStream } from "../../exec/run.ts";
import { lineFeedsIn } from "../../text/lines.ts";
import type { FullText } from "../../tool/result.ts";

/** Gives a place for a stream of an owner's call; nothing where there is none. */
export type Spooling = ((owner?: string) => Spool | undefined) | undefined;

/** What a run has of {@linkcode OverflowStore}. */
export interface SpoolsOptions {
  /** A place for a stream; absent: there is none. */
  readonly spool: Spooling;
  readonly owner: string | undefined;
  /** Whether what the program prints is read whole, wherever it can be. */
  readonly needsWhole: boolean;
  /** Whether more may be kept than the result has; what is gone is counted all the same. */
  readonly mayKeep: boolean;
}

/** The places of one run. */
export class OverflowStore {
  readonly #options: SpoolsOptions;
  /** Whether one of them is in memory. */
  #isInMemory = false;
  readonly #kept = new Map<OutputStream, Spool>();
  /** Those of which nothing is kept among them. */
  readonly #longer = new Map<OutputStream, Spool>();

  constructor(options: SpoolsOptions) {
    this.#options = options;
  }

  /** Where `stream` goes as soon as it has more than is kept of it. */
  readonly overflow = (stream: OutputStream): Spool => {
    const { spool, owner, mayKeep } = this.#options;
    const kept = mayKeep ? spool?.(owner) ?? this.#inMemory(stream) : undefined;
    if (kept !== undefined) this.#kept.set(stream, kept);
    const longer = kept ?? new Spool({ most: 0 });
    this.#longer.set(stream, longer);
    return longer;
  };

  #inMemory(stream: OutputStream): Spool | undefined {
    if (!this.#options.needsWhole || stream !== "stdout") return undefined;
    this.#isInMemory = true;
    return new Spool({ most: defaultOutputBounds.bytes });
  }

  /** All that was kept of what the program printed. */
  stdout(captured: Captured): Captured {
    const spool = this.#kept.get("stdout");
    return spool === undefined ? captured : { ...captured, text: spool.read(), isCut: spool.isCut };
  }

  /** What `outcome` lacks, and all that was kept as `format` shows it; nothing where nothing was longer. */
  fullText(outcome: RunOutcome, format: (outcome: RunOutcome) => string): FullText | undefined {
    if (this.#longer.size === 0) return undefined;
    const lacking = [...this.#longer].map(([stream, { lines }]) => {
      // Its line that says how much is missing is no part of the whole
      const { text, bytes } = outcome[stream];
      return { lines: lines - lineFeedsIn(text), bytes: bytes - Buffer.byteLength(text) };
    });
    const lines = sumOf(lacking.map((each) => each.lines));
    const bytes = sumOf(lacking.map((each) => each.bytes));
    const kept = [...this.#kept];
    if (kept.length === 0) return { lines, bytes, discard: () => {} };
    const spools = kept.map(([, spool]) => spool);
    // Not held for as long as the whole is: it has both ends
    const rest = withTexts(outcome, kept.map(([stream]) => [stream, ""]));
    const stored = {
      bytes: sumOf(spools.map(({ bytes }) => bytes)),
      isCut: spools.some(({ isCut }) => isCut),
    };
    return {
      lines,
      bytes,
      ...(this.#isInMemory ? {} : { stored }),
      read: () => format(withTexts(rest, kept.map(([stream, spool]) => [stream, spool.read()]))),
      discard: () => spools.forEach((spool) => spool.discard()),
    };
  }
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, each) => sum + each, 0);
}

function withTexts(
  outcome: RunOutcome,
  texts: readonly (readonly [stream: OutputStream, text: string])[],
): RunOutcome {
  const streams = texts.map(([stream, text]) => [stream, { ...outcome[stream], text }] as const);
  return { ...outcome, ...Object.fromEntries(streams) };
}
