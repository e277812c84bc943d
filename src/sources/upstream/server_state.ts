/** What may be served of each server, and what is to be said of it. */

import { featuresWithinAll, withinAll } from "./_all_definitions.ts";
import type { Listing } from "./cache.ts";
import type { FeatureListing } from "./feature_definition.ts";
import { compareWithLock, type LockComparison, type LockFile } from "./lock.ts";
import type { ServerSpec } from "./spec.ts";

/** The state of one server, for warnings. */
export interface ServerState {
  readonly spec: ServerSpec;
  /** All definitions, accepted or not. */
  readonly listing: Listing | undefined;
  readonly comparison: LockComparison | undefined;
  /** The prompts and resources that may be served. */
  readonly features?: FeatureListing | undefined;
  readonly failure: string | undefined;
  /** A person must log in, as `failure` says. */
  readonly needsLogin: boolean;
  readonly doubts: readonly string[];
}

/** A server as it answered last. */
export interface KnownServer {
  readonly spec: ServerSpec;
  readonly lock: LockFile | undefined;
  readonly listing: Listing | undefined;
  /** The reason of the last failure. */
  readonly failure: string | undefined;
  readonly needsLogin?: boolean;
}

/** The states of `servers` under their locks, within the bounds on all of them together. */
export function statesOf(servers: readonly KnownServer[]): ServerState[] {
  const fitted = withinAll(servers.map(({ spec, lock, listing }) => {
    return listing && compareWithLock(lock, spec.name, listing);
  }));
  const features = featuresWithinAll(servers.map(({ listing }, at) => {
    return fitted[at]?.comparison.isTrusted ? listing?.features : undefined;
  }));
  return servers.map(({ spec, listing, failure, needsLogin = false }, at) => {
    const { comparison, doubts: more = [] } = fitted[at] ?? { comparison: undefined };
    const { features: own, doubts: others } = features[at]!;
    const doubts = [...listing?.doubts ?? [], ...more, ...others];
    return { spec, listing, comparison, features: own, failure, needsLogin, doubts };
  });
}
