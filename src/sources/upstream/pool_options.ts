/** How a pool of upstream servers is opened and changed. */

import type { Clock } from "../../async/clock.ts";
import type { Environment } from "../../files/expand.ts";
import type { Addresses } from "./addresses.ts";
import type { ServerState } from "./_pool_members.ts";

export interface PoolOptions {
  readonly environment: Environment;
  /**
   * Milliseconds to wait for servers that the cache does not have; others join when they answer.
   *
   * @default as long as each of them may take
   */
  readonly patienceMs?: number | undefined;
  /** Reads the cache. @default true */
  readonly useCache?: boolean;
  /** @default the system clock */
  readonly clock?: Clock | undefined;
}

/** The pool after a change of the configs. Before `commit`, nothing is started or ended. */
export interface PoolChange {
  readonly states: readonly ServerState[];
  readonly addresses: Addresses;
  commit(): void;
}
