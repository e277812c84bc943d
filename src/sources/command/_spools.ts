/** What of a run's output is longer than what a result has of it, on its way to where it is kept. */

import type { Spool } from "../../call/outputs.ts";
import type { Captured, Outcome } from "../../exec/invocation.ts";
import type { OutputStream } from "../../exec/run.ts";

/** Gives a place for a stream; nothing where there is none. */
export type Spooling = (() => Spool | undefined) | undefined;

/** The places of one run. */
export class Spools {
  readonly #spool: Spooling;
  readonly #byStream = new Map<OutputStream, Spool>();

  constructor(spool: Spooling) {
    this.#spool = spool;
  }

  /** Where `stream` goes from its first byte that would be lost. */
  readonly overflow = (stream: OutputStream): Spool | undefined => {
    const spool = this.#spool?.();
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
    return spool === undefined ? captured : { ...captured, text: spool.read() };
  }
}
