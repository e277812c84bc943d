/** Finds the lines of a text that an expression (RE2) matches. */

import { RE2JS, RE2JSException } from "re2js";
import { stripControlSequences } from "../text/control_sequences.ts";
import { excerpt } from "../text/excerpt.ts";
import { expressionOf, searchableLength } from "./bounded_expression.ts";
import { BudgetClock, BudgetExceeded, type WorkBudget } from "./work_budget.ts";

const maxSearchedLength = 100_000;
const linesBetween = 64;
const longLine = 1_000;
const maxShownLength = 2_000;

export interface MatchingInput {
  readonly text: string;
  readonly pattern: string;
  readonly ignoreCase: boolean;
  readonly from: number;
  readonly most: number;
  readonly context: number;
}

export interface MatchingLines {
  readonly at: readonly number[];
  readonly last: number;
  readonly isWhole: boolean;
  readonly count: number;
  readonly near: ReadonlyMap<number, string>;
}

/** Searches a text, or says why the pattern is invalid. @throws {BudgetExceeded} when a larger budget may be enough */
export function matchingLines(
  input: MatchingInput,
  budget: WorkBudget,
): MatchingLines | { readonly noPattern: string } {
  const expression = compilePattern(input, budget);
  if (typeof expression === "string") return { noPattern: expression };
  const lines = input.text.split("\n");
  const found = search(lines, expression, input, budget);
  return { ...found, count: lines.length, near: beside(lines, found.at, input) };
}

function compilePattern(
  { pattern, ignoreCase }: MatchingInput,
  budget: WorkBudget,
): RE2JS | string {
  try {
    return expressionOf(pattern, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0, budget);
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    return error.message.replace(/^error parsing regexp: /, "");
  }
}

function search(
  lines: readonly string[],
  expression: RE2JS,
  { from, most }: MatchingInput,
  budget: WorkBudget,
): Pick<MatchingLines, "at" | "last" | "isWhole"> {
  const clock = new BudgetClock(budget, linesBetween);
  const longest = searchableLength(expression, budget);
  const at: number[] = [];
  for (let line = from; line <= lines.length; line++) {
    // Colours and `\r` in the output of programs are removed, since the author of a pattern does not expect them
    const text = stripControlSequences(lines[line - 1]!.slice(0, maxSearchedLength)).replace(
      /\r$/,
      "",
    );
    if (at.length === most || clock.isOver(text.length > longLine)) {
      return { at, last: line - 1, isWhole: false };
    }
    if (text.length > longest && budget.isHere) throw new BudgetExceeded();
    if (expression.matcher(text.slice(0, longest)).find()) at.push(line);
  }
  return { at, last: lines.length, isWhole: true };
}

function beside(lines: readonly string[], at: readonly number[], { context, from }: MatchingInput) {
  const near = new Map<number, string>();
  for (const line of at) {
    const first = Math.max(from, line - context);
    for (let each = first; each <= Math.min(lines.length, line + context); each++) {
      if (!near.has(each)) near.set(each, excerpt(lines[each - 1]!, maxShownLength).toWellFormed());
    }
  }
  return near;
}
