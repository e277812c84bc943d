/** Holds the upstream servers of a session. Before a server answers, it has the tools that an earlier start stored. */

import { isDeepStrictEqual } from "node:util";
import type { Environment } from "../../files/expand.ts";
import { messageOf } from "../../errors.ts";
import { type CancelTimer, type Clock, systemClock } from "../../async/clock.ts";
import { deadline } from "../../async/deadline.ts";
import { log } from "../../log.ts";
import { watch } from "../../process/progress.ts";
import { firstRetryMs, loginPollMs, maxRetryMs, refetchMs } from "./_bounds.ts";
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
  #states: readonly ServerState[] | undefined;
  #onChange: () => void = () => {};
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

  static async open(servers: readonly LockedServer[], options: PoolOptions): Promise<UpstreamPool> {
    const pool = new UpstreamPool(options);
    (await pool.change(servers)).commit();
    const unknown = [...pool.#members.values()].filter(({ listing }) => listing === undefined);
    if (unknown.some(({ reached }) => reached?.kind === "stdio")) await options.beforeStart?.();
    await Promise.all(unknown.map((member) => {
      const { spec: { name: subject } } = member;
      const work = { verb: "connecting to", subject, summary: () => outcomeOf(member) };
      const { patienceMs = Infinity } = options;
      return watch(work, async () => {
        const fetched = pool.#fetch(member);
        const isBounded = patienceMs !== Infinity;
        await (isBounded ? deadline(fetched, patienceMs, undefined, pool.clock) : fetched);
      });
    }));
    pool.#isOpen = true;
    pool.#announced = digestOf(pool.states);
    pool.#logged = warningTexts(pool.states);
    return pool;
  }

  async change(servers: readonly LockedServer[]): Promise<PoolChange> {
    const options = { environment: this.#environment, clock: this.clock };
    const cache = this.#useCache ? this.#cache : undefined;
    const pairs = await Promise.all(servers.map(async (server) => {
      const { name } = server.spec;
      const known = this.#members.get(name);
      const reachOf = ({ transport, auth }: ServerSpec) => [transport, auth];
      if (known && isDeepStrictEqual(reachOf(known.spec), reachOf(server.spec))) {
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

  absence(name: string): string {
    const member = this.#members.get(name);
    return member === undefined ? `Server '${name}' was removed` : describeAbsence(member);
  }

  get(name: string): Pick<UpstreamServer, "spec"> | undefined {
    return this.#members.get(name)?.connections.own;
  }

  /** Returns the connection for calls of the client `owner`. @throws {UpstreamError} if too many clients are calling */
  forCall(name: string, owner: string | undefined): UpstreamServer | undefined {
    return this.#members.get(name)?.connections.of(owner);
  }

  /** Returns the connection that follows resources for `owner`; nothing if it would show another person's resources. */
  forSubscription(name: string, owner: string | undefined): UpstreamServer | undefined {
    const { connections } = this.#members.get(name) ?? {};
    return owner !== undefined && connections?.isPersonal ? undefined : connections?.own;
  }

  goLive(onChange: () => void): void {
    if (this.#isLive) return;
    this.#isLive = true;
    this.#onChange = onChange;
    this.#announce();
    for (const member of this.#members.values()) {
      if (!member.isFresh && member.failure === undefined) void this.#fetch(member);
      else if (member.failure !== undefined) this.#retryLater(member);
    }
  }

  retry(name: string): void {
    const member = this.#members.get(name);
    if (member === undefined || member.listing !== undefined) return;
    if (member.connections.own.mayConnect) void this.#fetch(member);
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
      const known = { failure: undefined, isFresh: true, needsLogin: false, retryMs: firstRetryMs };
      Object.assign(member, { listing: servedPart(spec, listing), ...known });
      this.#states = undefined;
      if (reached !== undefined) await this.#cache.write(reached, listing);
    } catch (error) {
      if (this.#isClosed || this.#members.get(spec.name) !== member) return;
      member.failure = messageOf(error);
      member.needsLogin = error instanceof UpstreamError && error.kind === "needs a login";
      if (this.#isOpen) log("warning", member.failure);
      if (this.#isLive) this.#retryLater(member);
    }
    log("info", `server '${spec.name}': ${member.listing?.definitions.length ?? "unknown"} tools`);
    this.#announce();
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
    this.#onChange();
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

interface PoolOptions {
  readonly environment: Environment;
  readonly patienceMs?: number | undefined;
  readonly useCache?: boolean;
  readonly clock?: Clock | undefined;
  readonly beforeStart?: (() => Promise<void>) | undefined;
}

export interface PoolChange {
  readonly states: readonly ServerState[];
  readonly addresses: Addresses;
  commit(): void;
}
