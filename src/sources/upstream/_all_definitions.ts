/** Bounds the definitions of all servers together; each server has a bound of its own as well. */

import { plural } from "../../text/plural.ts";
import { maxAllDefinitionsLength, maxAllFeaturesLength } from "./_bounds.ts";
import { type Definition, inMib, lengthOf } from "./definition.ts";
import type { FeatureListing } from "./feature_definition.ts";
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

/** Prompts and resources of one server that fit, and a warning about those of a server that do not. */
export interface FittedFeatures {
  readonly features: FeatureListing | undefined;
  readonly doubts: readonly string[];
}

/** Takes the prompts and resources of whole servers in order until the bound is reached. */
export function featuresWithinAll(
  all: readonly (FeatureListing | undefined)[],
): readonly FittedFeatures[] {
  let rest = maxAllFeaturesLength;
  return all.map((features) => {
    rest -= features === undefined ? 0 : lengthOfFeatures(features);
    if (features === undefined || rest >= 0) return { features, doubts: [] };
    rest = 0;
    const doubt = "its prompts and resources are left out: those of all servers have over " +
      `${inMib(maxAllFeaturesLength)} together`;
    return { features: undefined, doubts: [doubt] };
  });
}

const featureLengths = new WeakMap<FeatureListing, number>();

function lengthOfFeatures(features: FeatureListing): number {
  const known = featureLengths.get(features) ?? JSON.stringify(features).length;
  featureLengths.set(features, known);
  return known;
}
