/** What there is room for of the definitions of all servers together: a server alone has a bound of its own. */

import { counted } from "../../text/plural.ts";
import { maxAllDefinitionsLength } from "./_bounds.ts";
import { type Definition, inMib, lengthOf } from "./definition.ts";
import type { LockComparison } from "./lock.ts";

/** What of one server may be served, and a sentence on what there is no room for. */
export interface Fitted {
  readonly held: LockComparison;
  readonly doubts: readonly string[];
}

/** Each of `all` with those of its definitions for which the ones before leave room. */
export function withinAll(all: readonly (LockComparison | undefined)[]): (Fitted | undefined)[] {
  let left = maxAllDefinitionsLength;
  return all.map((held) => {
    if (held === undefined) return undefined;
    const { definitions, description } = held.listing;
    const fitting: Definition[] = [];
    for (const definition of definitions) {
      const length = lengthOf(definition);
      if (length > left) break;
      left -= length;
      fitting.push(definition);
    }
    const missing = definitions.length - fitting.length;
    if (missing === 0) return { held, doubts: [] };
    // Of the servers behind this one nothing may take its place either
    left = 0;
    const room = inMib(maxAllDefinitionsLength);
    const doubt = `${counted(missing, "tool")} left out: the definitions of all servers have ` +
      `over ${room} together`;
    return { held: { ...held, listing: { definitions: fitting, description } }, doubts: [doubt] };
  });
}
