/** The lines of a text that an expression (RE2) matches. */

import { RE2JS, RE2JSException } from "re2js";
import { excerpt } from "../text/excerpt.ts";
import { BudgetClock, BudgetExceeded, type WorkBudget } from "./work_budget.ts";
import { expressionOf, searchableLength } from "./searchable.ts";

/** Characters of a line that an expression is looked for in; a large one in fewer. */
const longestSearched = 100_000;

/** Lines from one look at the clock to the next, and characters of one that is looked at by itself. */
const linesBetween = 64;
const longLine = 1_000;

/** Characters of a line that are shown. */
const longestShown = 2_000;

/** What is looked for, and where. */
export interface MatchingInput {
  readonly text: string;
  readonly pattern: string;
  readonly ignoreCase: boolean;
  /** The first line, from 1. */
  readonly from: number;
  /** Lines that match, at most. */
  readonly most: number;
  /** Lines to show before and behind each of them. */
  readonly context: number;
}

/** Lines that match. */
export interface MatchingLines {
  readonly at: readonly number[];
  /** The last line that was looked at. */
  readonly last: number;
  readonly isWhole: boolean;
  /** Lines of the text. */
  readonly count: number;
  /** Those that match and those beside them, by number, from the first that was asked for. */
  readonly near: ReadonlyMap<number, string>;
}

/** Finds them, or says why the pattern is none. @throws {BudgetExceeded} where another patience may do */
export function matchingLines(
  input: MatchingInput,
  patience: WorkBudget,
): MatchingLines | { readonly noPattern: string } {
  const expression = compiled(input, patience);
  if (typeof expression === "string") return { noPattern: expression };
  const lines = input.text.split("\n");
  const found = search(lines, expression, input, patience);
  return { ...found, count: lines.length, near: beside(lines, found.at, input) };
}

function compiled({ pattern, ignoreCase }: MatchingInput, patience: WorkBudget): RE2JS | string {
  try {
    return expressionOf(pattern, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0, patience);
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    return error.message.replace(/^error parsing regexp: /, "");
  }
}

function search(
  lines: readonly string[],
  expression: RE2JS,
  { from, most }: MatchingInput,
  patience: WorkBudget,
): Pick<MatchingLines, "at" | "last" | "isWhole"> {
  const clock = new BudgetClock(patience, linesBetween);
  clock.start();
  const longest = searchableLength(expression, patience);
  const at: number[] = [];
  for (let line = from; line <= lines.length; line++) {
    const text = lines[line - 1]!.slice(0, longestSearched);
    if (at.length === most || clock.isOver(text.length > longLine)) {
      return { at, last: line - 1, isWhole: false };
    }
    if (text.length > longest && patience.isHere) throw new BudgetExceeded();
    if (expression.matcher(text.slice(0, longest)).find()) at.push(line);
  }
  return { at, last: lines.length, isWhole: true };
}

function beside(
  lines: readonly string[],
  at: readonly number[],
  { context, from }: MatchingInput,
): Map<number, string> {
  const near = new Map<number, string>();
  for (const line of at) {
    // What is before was shown by whoever names the first line as the next
    const first = Math.max(from, line - context);
    for (let each = first; each <= Math.min(lines.length, line + context); each++) {
      // The lines that match are in order, so that these are
      if (!near.has(each)) near.set(each, excerpt(lines[each - 1]!, longestShown).toWellFormed());
    }
  }
  return near;
}
