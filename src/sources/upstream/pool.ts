/** Holds the upstream servers of a session. Until a server has answered, its definitions are those of the cache. */

import { isDeepStrictEqual } from "node:util";
import type { Environment } from "../../files/expand.ts";
import { messageOf } from "../../errors.ts";
import { type CancelTimer, type Clock, systemClock } from "../../async/clock.ts";
import { deadline } from "../../async/deadline.ts";
import { log } from "../../log.ts";
import { watch } from "../../process/progress.ts";
import { failedWaitMs, firstRetryMs, loginPollMs, maxRetryMs, refetchMs } from "./_bounds.ts";
import { Addresses } from "./addresses.ts";
import { ListingCache } from "./listing.ts";
import { explainMoved, isMoved, type LockedServer } from "./lock.ts";
import {
  describeAbsence,
  digestOf,
  type Member,
  newMember,
  outcomeOf,
  servedDefinitions,
  type ServerState,
  statesOf,
  warningTexts,
} from "./_pool_members.ts";
import { UpstreamError } from "./error.ts";
import type { UpstreamServer } from "./server.ts";
import { servedPart, type ServerSpec } from "./spec.ts";
import type { DefinedServer } from "./tools.ts";

export class UpstreamPool {
  addresses: Addresses = new Addresses([]);
  #members: ReadonlyMap<string, Member> = new Map();
  /** The computed states of all servers; absent after a change, so that they are computed again. */
  #states: readonly ServerState[] | undefined;
  readonly #listeners = new Set<() => void>();
  readonly #timers = new Set<CancelTimer>();
  readonly #cache = new ListingCache();
  #announced = "";
  #logged: ReadonlySet<string> = new Set();
  #isOpen = false;
  #isLive = false;
  #isClosed = false;

  readonly clock: Clock;
  readonly #environment: Environment;
  readonly #useCache: boolean;

  private constructor({ environment, useCache = true, clock = systemClock }: PoolOptions) {
    this.clock = clock;
    this.#environment = environment;
    this.#useCache = useCache;
  }

  /** Opens a pool of `servers`, whose names must differ. Failures of servers are in the states; nothing is thrown. */
  static async open(servers: readonly LockedServer[], options: PoolOptions): Promise<UpstreamPool> {
    const pool = new UpstreamPool(options);
    (await pool.change(servers)).commit();
    const unknown = [...pool.#members.values()].filter(({ listing }) => listing === undefined);
    if (unknown.some(({ reached }) => reached?.kind === "stdio")) await options.beforeStart?.();
    await Promise.all(unknown.map((member) => {
      const { name: subject } = member.spec;
      const work = { verb: "connecting to", subject, summary: () => outcomeOf(member) };
      return watch(work, () => pool.#fetchWithin(member, options.patienceMs));
    }));
    pool.#isOpen = true;
    pool.#announced = digestOf(pool.states);
    pool.#logged = warningTexts(pool.states);
    return pool;
  }

  /** Prepares the change to `servers`. Servers whose transport is unchanged stay connected. */
  async change(servers: readonly LockedServer[]): Promise<PoolChange> {
    const options = { environment: this.#environment, clock: this.clock };
    const cache = this.#useCache ? this.#cache : undefined;
    const pairs = await Promise.all(servers.map(async (server) => {
      const { name } = server.spec;
      const known = this.#members.get(name);
      if (known !== undefined && isSameTransport(known.spec, server.spec)) {
        return { member: known, server, isNew: false };
      }
      const onListChanged = () => void this.#fetchAgain(name);
      const member = await newMember(server, cache, { ...options, onListChanged });
      return { member, server, isNew: true };
    }));
    const addresses = new Addresses(servers.map(({ spec }) => spec.name));
    return {
      states: statesOf(pairs.map(({ member, server }) => ({ ...member, ...server }))),
      addresses,
      commit: () => {
        const unknown = pairs.filter(({ member: { spec, lock }, isNew }) => {
          return isNew || isMoved(lock, spec);
        });
        for (const { member, server } of pairs) Object.assign(member, server);
        const members = new Map(pairs.map(({ member }) => [member.spec.name, member]));
        for (const [name, member] of this.#members) {
          if (members.get(name) !== member) void member.connections.remove();
        }
        this.addresses = addresses;
        this.#states = undefined;
        this.#members = members;
        if (!this.#isLive) return;
        for (const { member } of unknown) void this.#fetch(member);
        this.#announce();
      },
    };
  }

  get defined(): DefinedServer[] {
    return servedDefinitions(this.states);
  }

  get states(): readonly ServerState[] {
    return this.#states ??= statesOf([...this.#members.values()]);
  }

  /** Says why the tools of the server `name` are missing, and when it is tried again. */
  absence(name: string): string {
    const member = this.#members.get(name);
    return member === undefined ? `Server '${name}' was removed` : describeAbsence(member);
  }

  /** Returns the spec of a server. {@linkcode forCall} returns the server for requests of a client. */
  get(name: string): Pick<UpstreamServer, "spec"> | undefined {
    return this.#members.get(name)?.connections.own;
  }

  /** Returns the server for calls of `owner`. @throws {UpstreamError} if too many clients are calling */
  forCall(name: string, owner: string | undefined): UpstreamServer | undefined {
    return this.#members.get(name)?.connections.of(owner);
  }

  /** Returns the server that follows resources for `owner`; nothing if reports would reach other people. */
  forSubscription(name: string, owner: string | undefined): UpstreamServer | undefined {
    const { connections } = this.#members.get(name) ?? {};
    return owner !== undefined && connections?.isPersonal ? undefined : connections?.own;
  }

  /** Calls `listener` whenever the definitions that may be served have changed. Returns a function that ends this. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Asks each server without an answer, and retries failed ones. It is called after the first response is sent. */
  goLive(): void {
    if (this.#isLive) return;
    this.#isLive = true;
    this.#announce();
    for (const member of this.#members.values()) {
      if (!member.isFresh && member.failure === undefined) void this.#fetch(member);
      else if (member.failure !== undefined) this.#retryLater(member);
    }
  }

  /** Asks the server `name` for its tools, if they are unknown and the server is not paused. */
  retry(name: string): void {
    const member = this.#members.get(name);
    if (member === undefined || member.listing !== undefined) return;
    if (!member.connections.own.mayConnect) return;
    void this.#fetch(member);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const cancel of this.#timers) cancel();
    await Promise.all([...this.#members.values()].map((member) => member.connections.close()));
  }

  #fetch(member: Member): Promise<void> {
    return member.fetching ??= this.#fetchOnce(member).finally(() => member.fetching = undefined);
  }

  /** Lists the tools of a server again after it reported a change, at intervals, as it may report all the time. */
  async #fetchAgain(name: string): Promise<void> {
    const member = this.#members.get(name);
    if (member === undefined || member.askedAgain) return;
    member.askedAgain = true;
    await member.fetching;
    this.#later(refetchMs, () => {
      member.askedAgain = false;
      void this.#fetch(member);
    });
  }

  async #fetchOnce(member: Member): Promise<void> {
    const { spec, lock, connections, reached } = member;
    if (isMoved(lock, spec)) {
      member.failure = explainMoved(spec.name);
      return this.#announce();
    }
    try {
      const listing = await connections.own.list();
      const served = servedPart(spec, listing);
      Object.assign(member, {
        listing: served,
        failure: undefined,
        isFresh: true,
        needsLogin: false,
      });
      this.#states = undefined;
      member.retryMs = firstRetryMs;
      if (reached !== undefined) await this.#cache.write(reached, listing);
    } catch (error) {
      if (this.#isClosed || this.#members.get(spec.name) !== member) return;
      member.failure = messageOf(error);
      member.needsLogin = error instanceof UpstreamError && error.kind === "needs a login";
      if (reached !== undefined && !member.needsLogin) await this.#cache.writeFailure(reached);
      // Failures before the pool is open are reported among the warnings of the start
      if (this.#isOpen) log("warning", member.failure);
      if (this.#isLive) this.#retryLater(member);
    }
    log("info", `server '${spec.name}': ${member.listing?.definitions.length ?? "unknown"} tools`);
    this.#announce();
  }

  /** Asks a server and waits for its answer, for a shorter time if the server has failed twice lately. */
  async #fetchWithin(member: Member, patienceMs = Infinity): Promise<void> {
    const { reached } = member;
    const hasFailed = this.#useCache && reached !== undefined &&
      await this.#cache.failures(reached) >= 2;
    const waitMs = hasFailed ? Math.min(failedWaitMs, patienceMs) : patienceMs;
    const fetched = this.#fetch(member);
    await (waitMs === Infinity ? fetched : deadline(fetched, waitMs, undefined, this.clock));
  }

  #retryLater(member: Member): void {
    const retry = () => void this.#fetch(member);
    const look = () => member.connections.hasOtherLogin ? retry() : this.#retryLater(member);
    if (member.needsLogin) return this.#later(loginPollMs, look);
    this.#later(member.retryMs, retry);
    member.retryMs = Math.min(2 * member.retryMs, maxRetryMs);
  }

  #announce(): void {
    this.#states = undefined;
    if (!this.#isLive) return;
    const warnings = warningTexts(this.states);
    for (const warning of warnings.difference(this.#logged)) log("warning", warning);
    this.#logged = warnings;
    const digest = digestOf(this.states);
    if (digest === this.#announced) return;
    this.#announced = digest;
    for (const listener of this.#listeners) listener();
  }

  #later(ms: number, work: () => void): void {
    if (this.#isClosed) return;
    const cancel = this.clock.after(ms, () => {
      this.#timers.delete(cancel);
      work();
    }, { unref: true });
    this.#timers.add(cancel);
  }
}

/** Returns whether both specs reach the server in the same way, so that it can stay connected. */
function isSameTransport(one: ServerSpec, other: ServerSpec): boolean {
  return isDeepStrictEqual([one.transport, one.auth], [other.transport, other.auth]);
}

interface PoolOptions {
  readonly environment: Environment;
  /** A start waits this many milliseconds for servers that are not in the cache. @default as long as each may take */
  readonly patienceMs?: number | undefined;
  readonly useCache?: boolean;
  readonly clock?: Clock | undefined;
  readonly beforeStart?: (() => Promise<void>) | undefined;
}

/** A prepared change of the pool. Until `commit`, no server is started or ended. */
export interface PoolChange {
  readonly states: readonly ServerState[];
  readonly addresses: Addresses;
  commit(): void;
}
