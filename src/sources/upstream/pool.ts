/**
 * All upstream servers of a session, with their definitions: from the cache at first, and from each server as soon as
 * it answers. A failure is a warning, and no other server waits for it.
 */

import { type Environment } from "../../files/expand.ts";
import { messageOf } from "../../errors.ts";
import { type CancelTimer, type Clock, systemClock } from "../../async/clock.ts";
import { deadline } from "../../async/deadline.ts";
import { log } from "../../log.ts";
import { withinAll } from "./_all_definitions.ts";
import { firstRetryMs, maxRetryMs, refetchMs } from "./_bounds.ts";
import { type Listing, ListingCache } from "./cache.ts";
import { compareWithLock, hashOf, type LockComparison, type LockFile } from "./lock.ts";
import { UpstreamServer } from "./server.ts";
import { ownProperty } from "../../text/own_property.ts";
import { expandTransport, type ServerSpec, type StdioSpec, type UrlSpec } from "./spec.ts";
import type { DefinedServer } from "./tools.ts";

/** A server, and the lock of its config. */
export interface PoolServer {
  readonly spec: ServerSpec;
  readonly lock: LockFile | undefined;
}

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
  /** @default {@linkcode systemClock} */
  readonly clock?: Clock | undefined;
}

interface Member extends PoolServer {
  readonly server: UpstreamServer;
  readonly reached: StdioSpec | UrlSpec | undefined;
  listing: Listing | undefined;
  /** The reason of the last failure. */
  failure: string | undefined;
  /** The listing is from the server itself, not from the cache. */
  isFresh: boolean;
  fetching: Promise<void> | undefined;
  askedAgain: boolean;
  retryMs: number;
}

/** The state of one server, for warnings. */
export interface ServerState {
  readonly spec: ServerSpec;
  /** All definitions, accepted or not. */
  readonly listing: Listing | undefined;
  readonly comparison: LockComparison | undefined;
  readonly failure: string | undefined;
  readonly doubts: readonly string[];
}

export class UpstreamPool {
  readonly #members = new Map<string, Member>();
  readonly #listeners = new Set<() => void>();
  readonly #timers = new Set<CancelTimer>();
  readonly #cache = new ListingCache();
  #announced = "";
  /** Warnings that were logged. */
  #logged: ReadonlySet<string> = new Set();
  #isLive = false;
  #isClosed = false;

  readonly clock: Clock;

  private constructor(clock: Clock) {
    this.clock = clock;
  }

  /** The names of `servers` differ. Failures are part of the states, and not thrown. */
  static async open(servers: readonly PoolServer[], options: PoolOptions): Promise<UpstreamPool> {
    const { environment, patienceMs, useCache = true, clock = systemClock } = options;
    const pool = new UpstreamPool(clock);
    for (const member of servers) await pool.#add(member, environment, useCache);
    const unknown = [...pool.#members.values()].filter(({ listing }) => listing === undefined);
    const fetched = Promise.all(unknown.map((member) => pool.#fetch(member)));
    await (patienceMs === undefined ? fetched : deadline(fetched, patienceMs, undefined, clock));
    pool.#announced = pool.#digest();
    pool.#logged = pool.#allDoubts();
    return pool;
  }

  async #add(
    { spec, lock }: PoolServer,
    environment: Environment,
    useCache: boolean,
  ): Promise<void> {
    const expanded = expandTransport(spec.transport, environment);
    const reached = expanded.ok ? expanded.value : undefined;
    const cached = reached && useCache ? await this.#cache.read(reached) : undefined;
    const server = new UpstreamServer(spec, {
      environment,
      prior: cached?.prior,
      wasSeen: cached !== undefined || ownProperty(lock?.servers, spec.name) !== undefined,
      onListChanged: () => void this.#fetchAgain(spec.name),
      clock: this.clock,
    });
    this.#members.set(spec.name, {
      spec,
      lock,
      server,
      reached,
      listing: cached,
      failure: undefined,
      isFresh: false,
      fetching: undefined,
      askedAgain: false,
      retryMs: firstRetryMs,
    });
  }

  /** The definitions that may be served, in the order of the configs. */
  get defined(): DefinedServer[] {
    return this.states.flatMap(({ spec, comparison }) => {
      return comparison === undefined ? [] : [{ spec, ...comparison.listing }];
    });
  }

  get states(): ServerState[] {
    const members = [...this.#members.values()];
    const fitted = withinAll(members.map(({ spec, lock, listing }) => {
      return listing && compareWithLock(lock, spec.name, listing);
    }));
    return members.map(({ spec, listing, failure }, at) => {
      const doubts = [...listing?.doubts ?? [], ...fitted[at]?.doubts ?? []];
      return { spec, listing, comparison: fitted[at]?.comparison, failure, doubts };
    });
  }

  get(name: string): UpstreamServer | undefined {
    return this.#members.get(name)?.server;
  }

  /** Calls `listener` whenever the definitions that may be served have changed. Returns a function that stops this. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Asks every server that has not answered in this session, and retries those that fail. To be called after the
   * listeners are added and the first response is sent.
   */
  goLive(): void {
    if (this.#isLive) return;
    this.#isLive = true;
    this.#announce();
    for (const member of this.#members.values()) {
      if (!member.isFresh && member.failure === undefined) void this.#fetch(member);
      else if (member.failure !== undefined) this.#retryLater(member);
    }
  }

  /** Asks the server `name` for its tools now, if it has none and no pause. */
  retry(name: string): void {
    const member = this.#members.get(name);
    if (member?.listing !== undefined || !member?.server.mayConnect) return;
    void this.#fetch(member);
  }

  /** Ends every connection and its processes. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const cancel of this.#timers) cancel();
    await Promise.all([...this.#members.values()].map(({ server }) => server.close()));
  }

  #fetch(member: Member): Promise<void> {
    return member.fetching ??= this.#fetchOnce(member).finally(() => member.fetching = undefined);
  }

  /** Throttled: a server may report changes all the time. */
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
    const { spec, server, reached } = member;
    try {
      const listing = await server.list();
      Object.assign(member, { listing, failure: undefined, isFresh: true });
      member.retryMs = firstRetryMs;
      if (reached !== undefined) await this.#cache.write(reached, listing);
    } catch (error) {
      if (this.#isClosed) return;
      member.failure = messageOf(error);
      if (this.#isLive) log("warning", member.failure);
      if (this.#isLive) this.#retryLater(member);
    }
    log("info", `server '${spec.name}': ${member.listing?.definitions.length ?? "unknown"} tools`);
    this.#announce();
  }

  #retryLater(member: Member): void {
    this.#later(member.retryMs, () => void this.#fetch(member));
    member.retryMs = Math.min(2 * member.retryMs, maxRetryMs);
  }

  #announce(): void {
    if (!this.#isLive) return;
    const doubts = this.#allDoubts();
    for (const doubt of doubts) if (!this.#logged.has(doubt)) log("warning", doubt);
    this.#logged = doubts;
    const digest = this.#digest();
    if (digest === this.#announced) return;
    this.#announced = digest;
    for (const listener of this.#listeners) listener();
  }

  /** Equal while the definitions that may be served are equal. */
  #digest(): string {
    return JSON.stringify(this.defined.map(({ spec, description, definitions }) => {
      return [spec.name, description, definitions.map(hashOf)];
    }));
  }

  #allDoubts(): ReadonlySet<string> {
    return new Set(this.states.flatMap(({ spec, doubts }) => {
      return doubts.map((doubt) => `Server '${spec.name}': ${doubt}`);
    }));
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
