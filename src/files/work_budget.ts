/** Bounds work on input from outside: what is too long for the main thread goes to a worker, within seconds. */

export interface WorkBudget {
  readonly ms: number;
  /** A search may have at most this size: the characters of the text times the instructions of the expression. */
  readonly work: number;
  /** True on the main thread, where work that exceeds the budget ends, and is done again in a worker. */
  readonly isHere: boolean;
  readonly isStopped?: () => boolean;
  /** Returns the time in milliseconds. @default performance.now */
  readonly now?: () => number;
}

/** A search of 40,000,000 (characters times instructions of the expression) takes about two seconds at worst. */
export const workerBudget: WorkBudget = { ms: 5_000, work: 40_000_000, isHere: false };
export const inlineBudget: WorkBudget = { ms: 30, work: 400_000, isHere: true };

export class BudgetExceeded extends Error {}

export class BudgetClock {
  readonly #now: () => number;
  #until = 0;
  #looks = 0;

  /** Starts the clock, which reads the time on each `between`th call of {@linkcode isOver}. */
  constructor(private readonly budget: WorkBudget, private readonly between: number) {
    this.#now = budget.now ?? (() => performance.now());
    this.start();
  }

  start(): void {
    this.#until = this.#now() + this.budget.ms;
  }

  /** Returns whether the time is over. @throws {BudgetExceeded} on the main thread if the time is over */
  isOver(isLong = false): boolean {
    if (!isLong && ++this.#looks % this.between !== 0) return false;
    const { isHere, isStopped } = this.budget;
    if (this.#now() <= this.#until && isStopped?.() !== true) return false;
    if (isHere) throw new BudgetExceeded();
    return true;
  }
}
