/** The lines of a text that an expression (RE2) matches. */

import { RE2JS } from "re2js";
import { Clock, NotHere, type Patience } from "./patience.ts";
import { searchableLength } from "./searchable.ts";

/** Characters of a line that an expression is looked for in; a large one in fewer. */
const longestSearched = 100_000;

/** Lines from one look at the clock to the next, and characters of one that is looked at by itself. */
const linesBetween = 64;
const longLine = 1_000;

/** What is looked for, and where. */
export interface MatchingInput {
  readonly text: string;
  readonly pattern: string;
  readonly ignoreCase: boolean;
  /** The first line, from 1. */
  readonly from: number;
  /** Lines that match, at most. */
  readonly most: number;
}

/** Lines that match. */
export interface MatchingLines {
  readonly at: readonly number[];
  /** The last line that was looked at. */
  readonly last: number;
  readonly isWhole: boolean;
}

/** Finds them. @throws {NotHere} where `patience` is at its end, and another might not be */
export function matchingLines(
  { text, pattern, ignoreCase, from, most }: MatchingInput,
  patience: Patience,
): MatchingLines {
  const expression = RE2JS.compile(pattern, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0);
  const clock = new Clock(patience, linesBetween);
  clock.start();
  const longest = searchableLength(expression, patience);
  const at: number[] = [];
  let line = 0;
  for (const each of text.split("\n")) {
    if (++line < from) continue;
    if (at.length === most || clock.isOver(each.length > longLine)) {
      return { at, last: line - 1, isWhole: false };
    }
    const searched = each.slice(0, longestSearched);
    if (searched.length > longest && patience.isHere) throw new NotHere();
    if (expression.matcher(searched.slice(0, longest)).find()) at.push(line);
  }
  return { at, last: line, isWhole: true };
}
