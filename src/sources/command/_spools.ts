/** What of a run's output is longer than what a result has of it, where it is kept. */

import { Buffer } from "node:buffer";
import { defaultOutputBounds } from "../../call/outputs.ts";
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
  readonly #needsWhole: boolean;
  /** Whether one of them is in memory. */
  #isInMemory = false;
  readonly #byStream = new Map<OutputStream, Spool>();

  /** `needsWhole`: whether what the program prints is read whole, wherever it can be. */
  constructor(spool: Spooling, needsWhole = false) {
    this.#spool = spool;
    this.#needsWhole = needsWhole;
  }

  /** Where `stream` goes as soon as it has more than is kept of it. */
  readonly overflow = (stream: OutputStream): Spool | undefined => {
    const spool = this.#spool?.() ?? this.#inMemory(stream);
    if (spool !== undefined) this.#byStream.set(stream, spool);
    return spool;
  };

  #inMemory(stream: OutputStream): Spool | undefined {
    if (!this.#needsWhole || stream !== "stdout") return undefined;
    this.#isInMemory = true;
    return memorySpool();
  }

  /** All that was kept of what the program printed. */
  stdout(captured: Captured): Captured {
    const spool = this.#byStream.get("stdout");
    return spool === undefined ? captured : { ...captured, text: spool.read(), isCut: spool.isCut };
  }

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
      ...(this.#isInMemory ? {} : {
        stored: {
          bytes: sum(({ bytes }) => bytes),
          isCut: spools.some(([, { isCut }]) => isCut),
        },
      }),
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

/** A place in memory, for as much of one output as is kept. */
function memorySpool(): Spool {
  let chunks: Uint8Array[] = [];
  let total = 0;
  let bytes = 0;
  let lines = 0;
  return {
    get lines() {
      return lines;
    },
    get bytes() {
      return bytes;
    },
    get isCut() {
      return total > bytes;
    },
    write(chunk) {
      total += chunk.length;
      for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) lines++;
      const part = chunk.slice(0, defaultOutputBounds.bytes - bytes);
      chunks.push(part);
      bytes += part.length;
    },
    read: () => new TextDecoder().decode(Buffer.concat(chunks)),
    discard() {
      chunks = [];
    },
  };
}
