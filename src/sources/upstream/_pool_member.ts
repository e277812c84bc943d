/** A server of the pool, and what is known of it. */

import { plural } from "../../text/plural.ts";
import type { Listing } from "./cache.ts";
import type { LockFile } from "./lock.ts";
import type { ServerConnections } from "./_server_connections.ts";
import type { ServerSpec, StdioSpec, UrlSpec } from "./spec.ts";

/** A server, and the lock of its config. */
export interface PoolServer {
  readonly spec: ServerSpec;
  readonly lock: LockFile | undefined;
}

export interface Member extends PoolServer {
  readonly connections: ServerConnections;
  readonly reached: StdioSpec | UrlSpec | undefined;
  listing: Listing | undefined;
  /** The reason of the last failure. */
  failure: string | undefined;
  /** The listing is from the server itself, not from the cache. */
  isFresh: boolean;
  needsLogin?: boolean;
  fetching: Promise<void> | undefined;
  askedAgain: boolean;
  retryMs: number;
}

/** What came of the first connection, in a few words. */
export function outcomeOf({ listing, failure }: Member): string {
  if (failure !== undefined) return "failed";
  return listing === undefined
    ? "has not answered yet"
    : plural(listing.definitions.length, "tool");
}
