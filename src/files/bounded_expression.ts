/** Compiles and searches regular expressions from outside within a budget. A start does not load RE2 for them. */

import { RE2JS, RE2JSException } from "re2js";
import { BudgetExceeded, type WorkBudget } from "./work_budget.ts";

/** Returns whether `length` characters may be searched. @throws {BudgetExceeded} if only a worker may do it */
export function isSearchable(expression: RE2JS, length: number, budget: WorkBudget): boolean {
  if (length <= searchableLength(expression, budget)) return true;
  if (budget.isHere) throw new BudgetExceeded();
  return false;
}

/** Returns the length of the texts in which `expression` may be searched for, in characters. */
export function searchableLength(expression: RE2JS, { work }: WorkBudget): number {
  return Math.floor(work / Math.max(1, expression.programSize()));
}

/**
 * Compiles `pattern`. A count such as `(a{0,1000})` is expanded, so a hundred of them take a second to compile.
 * @throws {BudgetExceeded} when compiling takes too long for this thread
 * @throws {RE2JSException} when the pattern is invalid, or takes too long in a worker as well
 */
export function expressionOf(pattern: string, flags: number, budget: WorkBudget): RE2JS {
  // Compiling to 200,000 instructions takes about one second: as many as the budget of a worker allows
  if (sizeWhenExpanded(pattern) > budget.work / 200) {
    if (budget.isHere) throw new BudgetExceeded();
    throw new RE2JSException("it counts to too much: write smaller numbers in braces");
  }
  return RE2JS.compile(pattern, flags);
}

/** An open group, or the whole: its size in instructions, and the size of its last part, which a count repeats. */
interface Group {
  size: number;
  last: number;
}

/** Matches one part of an expression: an escape, a class, a count, or any other character. */
const part =
  /\\[pPx]\{[^}]*(?:\}|$)|\\[^]|\[\^?\]?(?:\\[^]|\[:\w+:\]|[^\]\\])*(?:\]|$)|\{(\d+)(?:(,)(\d*))?\}|[^]/g;

/** Estimates the instructions of `pattern` with expanded counts, rather too high than too low. */
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
      // Each copy of an optional part takes one more instruction
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
