/** Bounds the definitions of all servers together; each server has a bound of its own as well. */

import { plural } from "../../text/plural.ts";
import { maxAllDefinitionsLength } from "./_bounds.ts";
import { type Definition, inMib, lengthOf } from "./definition.ts";
import type { LockComparison } from "./lock.ts";

/** The definitions of one server that fit, and a warning about the rest. */
export interface Fitted {
  readonly comparison: LockComparison;
  readonly doubts: readonly string[];
}

/** Takes definitions in order until the bound is reached. */
export function withinAll(all: readonly (LockComparison | undefined)[]): (Fitted | undefined)[] {
  let rest = maxAllDefinitionsLength;
  return all.map((comparison) => {
    if (comparison === undefined) return undefined;
    const { definitions, description } = comparison.listing;
    const fitting: Definition[] = [];
    for (const definition of definitions) {
      const length = lengthOf(definition);
      if (length > rest) break;
      rest -= length;
      fitting.push(definition);
    }
    const missing = definitions.length - fitting.length;
    if (missing === 0) return { comparison, doubts: [] };
    // Nothing of later servers takes its place either
    rest = 0;
    const room = inMib(maxAllDefinitionsLength);
    const doubt = `${plural(missing, "tool")} left out: the definitions of all servers have ` +
      `over ${room} together`;
    return {
      comparison: { ...comparison, listing: { definitions: fitting, description } },
      doubts: [doubt],
    };
  });
}
