/** Stores the outputs of a run that are longer than its result. */

import { Buffer } from "node:buffer";
import { defaultOutputBounds } from "../../jobs/output_text.ts";
import { Spool } from "../../jobs/spool.ts";
import type { Captured, RunOutcome } from "../../exec/invocation.ts";
import type { OutputStream } from "../../exec/run.ts";
import { lineFeedsIn } from "../../text/lines.ts";
import type { FullText } from "../../tool/result.ts";

/** Opens the store for a stream of a call; nothing if there is none. */
export type Spooling = ((owner?: string) => Spool | undefined) | undefined;

export interface SpoolsOptions {
  /** Absent: nothing is stored. */
  readonly spool: Spooling;
  readonly owner: string | undefined;
  /** The whole output is needed, if there is a store for it. */
  readonly needsWhole: boolean;
  /** More may be stored than the result has. The rest is counted in any case. */
  readonly mayKeep: boolean;
}

export class OverflowStore {
  readonly #options: SpoolsOptions;
  /** One of the stores is in memory. */
  #isInMemory = false;
  readonly #stored = new Map<OutputStream, Spool>();
  /** By stream, including those of which nothing is stored. */
  readonly #longer = new Map<OutputStream, Spool>();

  constructor(options: SpoolsOptions) {
    this.#options = options;
  }

  /** Opens the store of `stream` when the result cannot hold all of it. */
  readonly overflow = (stream: OutputStream): Spool => {
    const { spool, owner, mayKeep } = this.#options;
    const kept = mayKeep ? spool?.(owner) ?? this.#inMemory(stream) : undefined;
    if (kept !== undefined) this.#stored.set(stream, kept);
    const longer = kept ?? new Spool({ most: 0 });
    this.#longer.set(stream, longer);
    return longer;
  };

  #inMemory(stream: OutputStream): Spool | undefined {
    if (!this.#options.needsWhole || stream !== "stdout") return undefined;
    this.#isInMemory = true;
    return new Spool({ most: defaultOutputBounds.bytes });
  }

  /** The stored output of the program. */
  stdout(captured: Captured): Captured {
    const spool = this.#stored.get("stdout");
    return spool === undefined ? captured : { ...captured, text: spool.read(), isCut: spool.isCut };
  }

  /** The stored text as `format` shows it, and how much of it `outcome` omits; nothing if nothing was longer. */
  fullText(outcome: RunOutcome, format: (outcome: RunOutcome) => string): FullText | undefined {
    if (this.#longer.size === 0) return undefined;
    const missing = [...this.#longer].map(([stream, { lines }]) => {
      // The line that says how much is omitted is not part of the whole
      const { text, bytes } = outcome[stream];
      return { lines: lines - lineFeedsIn(text), bytes: bytes - Buffer.byteLength(text) };
    });
    const lines = sumOf(missing.map((each) => each.lines));
    const bytes = sumOf(missing.map((each) => each.bytes));
    const kept = [...this.#stored];
    if (kept.length === 0) return { lines, bytes, discard: () => {} };
    const spools = kept.map(([, spool]) => spool);
    // Frees the texts, which have both ends of the whole, while it is stored
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
