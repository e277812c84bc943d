/** What of a run's output is longer than what a result has of it, on its way to where it is kept. */

import { Buffer } from "node:buffer";
import { defaultOutputBounds, type Spool } from "../../call/outputs.ts";
import type { Captured, Outcome } from "../../exec/invocation.ts";
import type { OutputStream } from "../../exec/run.ts";

/** Gives a place for a stream; nothing where there is none. */
export type Spooling = (() => Spool | undefined) | undefined;

/** The places of one run. */
export class Spools {
  readonly #spool: Spooling;
  readonly #needsWhole: boolean;
  readonly #byStream = new Map<OutputStream, Spool>();

  /** `needsWhole`: whether what the program prints is read whole, wherever it can be. */
  constructor(spool: Spooling, needsWhole = false) {
    this.#spool = spool;
    this.#needsWhole = needsWhole;
  }

  /** Where `stream` goes from its first byte that would be lost. */
  readonly overflow = (stream: OutputStream): Spool | undefined => {
    const needsIt = this.#needsWhole && stream === "stdout";
    const spool = this.#spool?.() ?? (needsIt ? memorySpool() : undefined);
    if (spool !== undefined) this.#byStream.set(stream, spool);
    return spool;
  };

  /** Whether something was longer. */
  get areUsed(): boolean {
    return this.#byStream.size > 0;
  }

  /** `outcome` with all that was kept of its streams. */
  wholeOf(outcome: Outcome): Outcome {
    return {
      ...outcome,
      stdout: this.#whole("stdout", outcome.stdout),
      stderr: this.#whole("stderr", outcome.stderr),
    };
  }

  /** Frees the places. */
  discard(): void {
    for (const spool of this.#byStream.values()) spool.discard();
  }

  #whole(stream: OutputStream, captured: Captured): Captured {
    const spool = this.#byStream.get(stream);
    if (spool === undefined) return captured;
    return { ...captured, text: spool.read(), isCut: spool.isCut };
  }
}

/** A place in memory, for as much of one output as is kept. */
function memorySpool(): Spool {
  let chunks: Uint8Array[] = [];
  let room = defaultOutputBounds.bytes;
  let isCut = false;
  return {
    get isCut() {
      return isCut;
    },
    write(chunk) {
      const part = chunk.slice(0, room);
      chunks.push(part);
      room -= part.length;
      isCut ||= part.length < chunk.length;
    },
    read: () => new TextDecoder().decode(Buffer.concat(chunks)),
    discard() {
      chunks = [];
    },
  };
}
