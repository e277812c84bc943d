/** What of a run's output is longer than what a result has of it, where it is kept. */

import { Buffer } from "node:buffer";
import type { Spool } from "../../call/spool.ts";
import type { Captured, Outcome } from "../../exec/invocation.ts";
import type { OutputStream } from "../../exec/run.ts";
import { lineFeedsIn } from "../../text/lines.ts";
import type { Uncut } from "../../tool/result.ts";

/** Gives a place for a stream; nothing where there is none. */
export type Spooling = (() => Spool | undefined) | undefined;

/** The places of one run. */
export class Spools {
  readonly #spool: Spooling;
  readonly #byStream = new Map<OutputStream, Spool>();

  constructor(spool: Spooling) {
    this.#spool = spool;
  }

  /** Where `stream` goes as soon as it has more than is kept of it. */
  readonly overflow = (stream: OutputStream): Spool | undefined => {
    const spool = this.#spool?.();
    if (spool !== undefined) this.#byStream.set(stream, spool);
    return spool;
  };

  /** All that was kept of `outcome`, as `format` shows it; nothing where nothing was longer. */
  uncut(outcome: Outcome, format: (outcome: Outcome) => string): Uncut | undefined {
    const spools = [...this.#byStream];
    if (spools.length === 0) return undefined;
    const sum = (of: (spool: Spool, captured: Captured) => number) => {
      return spools.reduce((total, [stream, spool]) => total + of(spool, outcome[stream]), 0);
    };
    // Neither the line that says how much is missing is in it, nor the ends: they are in the whole
    const rest = withTexts(outcome, spools.map(([stream]) => [stream, ""]));
    return {
      lines: sum(({ lines }, { text }) => lines - lineFeedsIn(text)),
      bytes: sum((_, { bytes, text }) => bytes - Buffer.byteLength(text)),
      stored: {
        bytes: sum(({ bytes }) => bytes),
        isCut: spools.some(([, { isCut }]) => isCut),
      },
      read: () => format(withTexts(rest, spools.map(([stream, spool]) => [stream, spool.read()]))),
      discard: () => spools.forEach(([, spool]) => spool.discard()),
    };
  }
}

function withTexts(
  outcome: Outcome,
  texts: readonly (readonly [stream: OutputStream, text: string])[],
): Outcome {
  const streams = texts.map(([stream, text]) => [stream, { ...outcome[stream], text }] as const);
  return { ...outcome, ...Object.fromEntries(streams) };
}
