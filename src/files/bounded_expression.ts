/** Compiles and searches regular expressions (RE2) of strangers within a budget of time. */

import { RE2JS, RE2JSException } from "re2js";
import { BudgetExceeded, type WorkBudget } from "./work_budget.ts";

/** Returns whether searching `length` characters fits `budget`. @throws {BudgetExceeded} on the main thread if not */
export function isSearchable(expression: RE2JS, length: number, budget: WorkBudget): boolean {
  if (length <= searchableLength(expression, budget)) return true;
  if (budget.isHere) throw new BudgetExceeded();
  return false;
}

export function searchableLength(expression: RE2JS, { work }: WorkBudget): number {
  return Math.floor(work / Math.max(1, expression.programSize()));
}

/**
 * Compiles a pattern.
 * @throws {BudgetExceeded} if the main thread must not. @throws {RE2JSException} if it is wrong or large
 */
export function expressionOf(pattern: string, flags: number, budget: WorkBudget): RE2JS {
  // The largest pattern that a worker may compile has 200,000 instructions, which take about one second
  if (sizeWhenExpanded(pattern) > budget.work / 200) {
    if (budget.isHere) throw new BudgetExceeded();
    throw new RE2JSException("it counts to too much: write smaller numbers in braces");
  }
  return RE2JS.compile(pattern, flags);
}

interface Group {
  size: number;
  last: number;
}

const part =
  /\\[pPx]\{[^}]*(?:\}|$)|\\[^]|\[\^?\]?(?:\\[^]|\[:\w+:\]|[^\]\\])*(?:\]|$)|\{(\d+)(?:(,)(\d*))?\}|[^]/g;

/** Estimates the instructions of a pattern, rather too high: RE2 copies what a count such as `{0,1000}` repeats. */
export function sizeWhenExpanded(pattern: string): number {
  let open: Group = { size: 0, last: 0 };
  const outer: Group[] = [];
  const add = (size: number) => {
    open.size += size;
    open.last = size;
  };
  for (const [written, least, comma, most] of pattern.matchAll(part)) {
    if (least !== undefined) {
      const times = Math.max(1, Number(least) + (comma === undefined ? 0 : 1), Number(most ?? 0));
      // RE2 copies the repeated part, and each optional copy takes one more instruction
      const size = (open.last + 1) * times;
      open.size += size - open.last;
      open.last = size;
    } else if (written === "(") {
      outer.push(open);
      open = { size: 0, last: 0 };
    } else if (written === ")" && outer.length > 0) {
      const { size } = open;
      open = outer.pop()!;
      add(size + 2);
    } else if (/^[*+?|]$/.test(written)) open.size += 1;
    else add(1);
  }
  return outer.reduce((sum, { size }) => sum + size, open.size);
}
