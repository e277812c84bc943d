/**
 * How long something may take whose time depends on what strangers wrote. On the thread that answers
 * everybody that is a moment, and who needs longer goes elsewhere; there, it is given up in seconds.
 */

/** What one step after the other may take. */
export interface WorkBudget {
  /** Milliseconds. */
  readonly ms: number;
  /** Characters of a text, each times the instructions of the expression that is looked for in it. */
  readonly work: number;
  /** Whether what takes longer can be done anew elsewhere. */
  readonly isHere: boolean;
  /** Whether nobody waits for it any more, which may become so at any time. */
  readonly isStopped?: () => boolean;
}

/** Seconds: 40,000,000 is about two of them at worst. */
export const workerBudget: WorkBudget = { ms: 5_000, work: 40_000_000, isHere: false };

/** A moment, which nobody notices. */
export const inlineBudget: WorkBudget = { ms: 30, work: 400_000, isHere: true };

/** Something takes too long here, and may be done elsewhere. */
export class BudgetExceeded extends Error {}

/** Ends what takes too long. */
export class BudgetClock {
  readonly #patience: WorkBudget;
  readonly #between: number;
  #until = Infinity;
  #looks = 0;

  /** Looks at the time once for each `between` looks that are asked for. */
  constructor(patience: WorkBudget, between: number) {
    this.#patience = patience;
    this.#between = between;
  }

  /** Begins anew. */
  start(): void {
    this.#until = performance.now() + this.#patience.ms;
  }

  /** Whether the time is over; `isLong` alone may take a while. @throws {BudgetExceeded} where it is, here */
  isOver(isLong = false): boolean {
    if (!isLong && ++this.#looks % this.#between !== 0) return false;
    const { isHere, isStopped } = this.#patience;
    if (performance.now() <= this.#until && isStopped?.() !== true) return false;
    if (isHere) throw new BudgetExceeded();
    return true;
  }
}
