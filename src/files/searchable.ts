/** How long a text may be for an expression: RE2 takes a time that grows with both. */

import { RE2JS, RE2JSException } from "re2js";
import { BudgetExceeded, type WorkBudget } from "./work_budget.ts";

/**
 * Whether `expression` may be looked for in so many characters.
 *
 * @throws {BudgetExceeded} where it may not here, but elsewhere perhaps
 */
export function isSearchable(expression: RE2JS, length: number, patience: WorkBudget): boolean {
  if (length <= searchableLength(expression, patience)) return true;
  if (patience.isHere) throw new BudgetExceeded();
  return false;
}

/** Characters of a text that `expression` may be looked for in. */
export function searchableLength(expression: RE2JS, { work }: WorkBudget): number {
  return Math.floor(work / Math.max(1, expression.programSize()));
}

/** Instructions of an expression that is compiled at all, 200,000 in seconds: about one of them. */
function compilableSize({ work }: WorkBudget): number {
  return work / 200;
}

/**
 * The expression that `pattern` is. One that counts, such as `(a{0,1000})`, is written out as often, and
 * takes a second to be compiled where it does so a hundred times.
 *
 * @throws {BudgetExceeded} where that is too long here
 * @throws {RE2JSException} when it is none, or takes too long anywhere
 */
export function expressionOf(pattern: string, flags: number, patience: WorkBudget): RE2JS {
  if (writtenOutSize(pattern) > compilableSize(patience)) {
    if (patience.isHere) throw new BudgetExceeded();
    throw new RE2JSException("it counts to too much: write smaller numbers in braces");
  }
  return RE2JS.compile(pattern, flags);
}

/** A group that is open, or the whole: its size up to here, and that of its last part, which may be counted. */
interface Group {
  size: number;
  last: number;
}

/** One part of an expression: an escape, a class, a count, or any other character. */
const part =
  /\\[pPx]\{[^}]*\}|\\[^]|\[\^?\]?(?:\\[^]|\[:\w+:\]|[^\]\\])*\]|\{(\d+)(,?)(\d*)\}|[^]/g;

/** Instructions of `pattern` once what it counts is written out, about, and rather too many. */
export function writtenOutSize(pattern: string): number {
  let open: Group = { size: 0, last: 0 };
  const outer: Group[] = [];
  const add = (size: number) => {
    open.size += size;
    open.last = size;
  };
  for (const [written, least, comma, most] of pattern.matchAll(part)) {
    if (least !== undefined) {
      const times = Math.max(1, Number(least) + (comma === "" ? 0 : 1), Number(most));
      // What may be left out is another instruction
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
