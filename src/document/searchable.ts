/** How long a text may be for an expression: RE2 takes a time that grows with both. */

import type { RE2JS } from "re2js";
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
