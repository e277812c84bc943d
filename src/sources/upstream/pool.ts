/**
 * All upstream servers of a session, with their definitions: from the cache at first, and from each server as soon as
 * it answers. A failure is a warning, and no other server waits for it.
 */

import { type Environment } from "../../files/expand.ts";
import { messageOf } from "../../errors.ts";
import { type CancelTimer, type Clock, systemClock } from "../../async/clock.ts";
import { deadline } from "../../async/deadline.ts";
import { log } from "../../log.ts";
import { watched } from "../../process/progress.ts";
import { failedPatienceMs, firstRetryMs, loginPollMs, maxRetryMs, refetchMs } from "./_bounds.ts";
import { Addresses } from "./addresses.ts";
import { ListingCache } from "./cache.ts";
import { hashOf } from "./lock.ts";
import { type Member, outcomeOf, type PoolServer } from "./_pool_member.ts";
import { type ServerState, statesOf } from "./server_state.ts";
import { ServerConnections } from "./_server_connections.ts";
import { UpstreamError } from "./error.ts";
import { UpstreamServer } from "./server.ts";
import { expandTransport } from "./spec.ts";
import type { LogMessage } from "../../tool/runner.ts";
import type { DefinedServer } from "./tools.ts";

export interface PoolOptions {
  readonly environment: Environment;
  /** Milliseconds to wait for servers that the cache does not have; others join when they answer. */
  readonly patienceMs: number;
  /** Reads the cache. @default true */
  readonly useCache?: boolean;
  /** @default {@linkcode systemClock} */
  readonly clock?: Clock | undefined;
}

export class UpstreamPool {
  /** Those of the resources of all servers. */
  readonly addresses: Addresses;
  /** Called with log messages that belong to no call. */
  readonly onLog = new Set<(message: LogMessage) => void>();
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

  private constructor(servers: readonly PoolServer[], clock: Clock) {
    this.addresses = new Addresses(servers.map(({ spec }) => spec.name));
    this.clock = clock;
  }

  /** The names of `servers` differ. Failures are part of the states, and not thrown. */
  static async open(servers: readonly PoolServer[], options: PoolOptions): Promise<UpstreamPool> {
    const { environment, patienceMs, useCache = true, clock = systemClock } = options;
    const pool = new UpstreamPool(servers, clock);
    for (const member of servers) await pool.#add(member, environment, useCache);
    const unknown = [...pool.#members.values()].filter(({ listing }) => listing === undefined);
    await Promise.all(unknown.map((member) => {
      const work = {
        verb: "connecting to",
        subject: member.spec.name,
        summary: () => outcomeOf(member),
      };
      return watched(work, async () => {
        const isDoubtful = useCache && await pool.#failedTwice(member);
        const waitMs = isDoubtful ? Math.min(failedPatienceMs, patienceMs) : patienceMs;
        await deadline(pool.#fetch(member), waitMs, undefined, clock);
      });
    }));
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
    const connections = new ServerConnections(spec, {
      environment,
      prior: cached?.prior,
      onListChanged: () => void this.#fetchAgain(spec.name),
      onLog: (message) => this.onLog.forEach((listener) => listener(message)),
      clock: this.clock,
    });
    this.#members.set(spec.name, {
      spec,
      lock,
      connections,
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
    return this.states.flatMap(({ spec, comparison, features }) => {
      return comparison === undefined ? [] : [{ spec, ...comparison.listing, features }];
    });
  }

  get states(): ServerState[] {
    return statesOf([...this.#members.values()]);
  }

  /** What is known of a server; requests for a person go by way of {@linkcode forCall}. */
  get(name: string): Pick<UpstreamServer, "spec" | "patterns"> | undefined {
    return this.#members.get(name)?.connections.own;
  }

  /** The connection for calls of `owner`. @throws {UpstreamError} if too many clients are calling */
  forCall(name: string, owner: string | undefined): UpstreamServer | undefined {
    return this.#members.get(name)?.connections.of(owner);
  }

  /** The connection that follows resources for `owner`; absent where news of one person would reach others. */
  forSubscription(name: string, owner: string | undefined): UpstreamServer | undefined {
    const { connections } = this.#members.get(name) ?? {};
    return owner !== undefined && connections?.isPersonal ? undefined : connections?.own;
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

  /** Ends every connection and its processes. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const cancel of this.#timers) cancel();
    await Promise.all([...this.#members.values()].map((member) => member.connections.close()));
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
    const { spec, connections, reached } = member;
    try {
      const listing = await connections.own.list();
      Object.assign(member, { listing, failure: undefined, isFresh: true, needsLogin: false });
      member.retryMs = firstRetryMs;
      if (reached !== undefined) await this.#cache.write(reached, listing);
    } catch (error) {
      if (this.#isClosed) return;
      member.failure = messageOf(error);
      member.needsLogin = error instanceof UpstreamError && error.kind === "needs a login";
      if (reached !== undefined && !member.needsLogin) await this.#cache.writeFailure(reached);
      if (this.#isLive) log("warning", member.failure);
      if (this.#isLive) this.#retryLater(member);
    }
    log("info", `server '${spec.name}': ${member.listing?.definitions.length ?? "unknown"} tools`);
    this.#announce();
  }

  async #failedTwice({ reached }: Member): Promise<boolean> {
    return reached !== undefined && await this.#cache.failures(reached) >= 2;
  }

  #retryLater(member: Member): void {
    const retry = () => void this.#fetch(member);
    const look = () => member.connections.hasOtherLogin ? retry() : this.#retryLater(member);
    if (member.needsLogin) return this.#later(loginPollMs, look);
    this.#later(member.retryMs, retry);
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
    return JSON.stringify(this.defined.map(({ spec, description, definitions, features }) => {
      return [spec.name, description, definitions.map(hashOf), features];
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
