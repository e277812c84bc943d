/** How long a text may be for an expression: RE2 takes a time that grows with both. */

import type { RE2JS } from "re2js";

/** Characters, each times the instructions of the expression: about two seconds at worst. */
const mostWork = 40_000_000;

/** Characters of a text that `expression` may be looked for in. */
export function searchableLength(expression: RE2JS): number {
  return Math.floor(mostWork / Math.max(1, expression.programSize()));
}
