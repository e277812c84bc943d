/** How long a text may be for an expression: RE2 takes a time that grows with both. */

import { RE2JS } from "re2js";
import { NotHere, type Patience } from "./patience.ts";

/**
 * Whether `expression` may be looked for in so many characters.
 *
 * @throws {NotHere} where it may not here, but elsewhere perhaps
 */
export function isSearchable(expression: RE2JS, length: number, patience: Patience): boolean {
  if (length <= searchableLength(expression, patience)) return true;
  if (patience.isHere) throw new NotHere();
  return false;
}

/** Characters of a text that `expression` may be looked for in. */
export function searchableLength(expression: RE2JS, { work }: Patience): number {
  return Math.floor(work / Math.max(1, expression.programSize()));
}

/**
 * The expression that `pattern` is. One that counts, such as `(a{0,1000})`, is written out as often, and
 * takes a second to be compiled where it does so a hundred times.
 *
 * @throws {NotHere} where that is too long here
 * @throws {RE2JSException} when it is none
 */
export function expressionOf(pattern: string, flags: number, { isHere }: Patience): RE2JS {
  if (isHere && /\{\d/.test(pattern)) throw new NotHere();
  return RE2JS.compile(pattern, flags);
}
