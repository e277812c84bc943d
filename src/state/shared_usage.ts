/**
 * How much of its bounds a client has used at other instances, up to {@linkcode exchangeMs} ago: only what older counts
 * refuse waits. Meanwhile each instance has a part of what was free, so that all exceed a rate by less than the rate.
 */

import { type CancelTimer, type Clock, repeat, systemClock } from "../async/clock.ts";
import { log } from "../log.ts";
import { messageOf } from "../errors.ts";
import type { SharedState } from "./shared_state.ts";

/** Milliseconds between two exchanges. */
export const exchangeMs = 500;

/** Milliseconds between two exchanges while a request waits for newer counts. */
const lookMs = 100;

/** Milliseconds after which counts are of no use: their instance has ended, or the store is away. */
export const staleMs = 5000;

/** Milliseconds after which the counts of an instance are removed. */
const removedMs = 60_000;

/** Instances without a key in common do not read each other's counts. */
const recordOf = (keyName: string) => `usage:${keyName}`;

export interface ClientCounts {
  /** Requests that have been unanswered since the last exchange. */
  readonly running: number;
  /** Requests in the last minute. */
  readonly recent: number;
}

interface InstanceCounts {
  /** The time by the clock of the store. */
  readonly at: number;
  readonly clients: Readonly<Record<string, readonly [running: number, recent: number]>>;
}

const none: ClientCounts = { running: 0, recent: 0 };

export class SharedUsage {
  readonly #state: SharedState;
  readonly #clock: Clock;
  readonly #own: () => ReadonlyMap<string, ClientCounts>;
  #written: ReadonlyMap<string, ClientCounts> = new Map();
  #others = new Map<string, ClientCounts>();
  #instances = 1;
  /** The times at which other instances wrote their counts. */
  #writtenAt = new Map<string, number>();
  #exchangedAt = -Infinity;
  #exchanging: Promise<void> | undefined;
  readonly #stop: CancelTimer;

  constructor(
    state: SharedState,
    own: () => ReadonlyMap<string, ClientCounts>,
    clock: Clock = systemClock,
  ) {
    this.#state = state;
    this.#own = own;
    this.#clock = clock;
    const exchange = () => void this.exchange();
    this.#stop = repeat(clock, exchangeMs, exchange, { unref: true });
    exchange();
  }

  close(): void {
    this.#stop();
  }

  /** Returns whether `client`, which has `own` of `count` here, may have one more of `limit` at all instances. */
  hasRoom(
    client: string,
    count: keyof ClientCounts,
    { own, limit }: { readonly own: number; readonly limit: number },
  ): boolean {
    if (this.#clock.now() - this.#exchangedAt > staleMs) {
      return own < (this.#state.whenDown === "local" ? limit : Math.ceil(limit / this.#instances));
    }
    const free = limit - (this.#others.get(client) ?? none)[count];
    if (count === "running") return own < free;
    // Other instances may use the rest at the same time
    const written = (this.#written.get(client) ?? none)[count];
    const part = Math.ceil(Math.max(0, free - written) / this.#instances);
    if (own >= written + part / 2) void this.exchange();
    return own < written + part;
  }

  /** Resolves when all other instances have written their counts once more, or do not within {@linkcode staleMs}. */
  async refresh(): Promise<void> {
    // An exchange in progress may have read counts that are older than this call
    await this.#exchanging;
    await this.exchange();
    const before = this.#writtenAt;
    const isOld = () => before.entries().some(([name, at]) => this.#writtenAt.get(name) === at);
    for (let looks = staleMs / lookMs; looks > 0 && isOld(); looks--) {
      await new Promise<void>((resolve) => this.#clock.after(lookMs, resolve, { unref: true }));
      await this.exchange();
    }
  }

  /** Writes the counts of this instance and reads those of others; never rejects. */
  exchange(): Promise<void> {
    this.#exchanging ??= this.#exchange().finally(() => this.#exchanging = undefined);
    return this.#exchanging;
  }

  async #exchange(): Promise<void> {
    const { store, keyring } = this.#state;
    if (store.condition === "down") return;
    try {
      const own = new Map(this.#own());
      const clients = Object.fromEntries(
        own.entries().map(([client, { running, recent }]) => [client, [running, recent] as const]),
      );
      const counts: InstanceCounts = { at: store.now(), clients };
      const written = { [store.instance]: JSON.stringify(counts) };
      const [, ...read] = await Promise.all([
        store.putFields(recordOf(keyring.first.name), written, removedMs),
        ...keyring.names.map((name) => this.#read(recordOf(name))),
      ]);
      this.#add(read.flat());
      this.#written = own;
      this.#exchangedAt = this.#clock.now();
    } catch (error) {
      log("debug", `Counts were not exchanged: ${messageOf(error)}`);
    }
  }

  /** Reads the counts in a record, and removes those of instances that ended long ago. */
  async #read(record: string): Promise<(readonly [name: string, InstanceCounts])[]> {
    const { store } = this.#state;
    const fields = [...await store.getFields(record)].filter(([key]) => key !== store.instance);
    const all = fields.map(([key, text]) => [key, JSON.parse(text) as InstanceCounts] as const);
    const now = store.now();
    const gone = all.filter(([, { at }]) => now - at > removedMs);
    await store.deleteFields(record, gone.map(([key]) => key));
    return all.filter(([, { at }]) => now - at <= staleMs);
  }

  #add(instances: readonly (readonly [name: string, InstanceCounts])[]): void {
    const others = new Map<string, ClientCounts>();
    const all = instances.flatMap(([, { clients }]) => Object.entries(clients));
    for (const [client, [running, recent]] of all) {
      const sum = others.get(client) ?? none;
      others.set(client, { running: sum.running + running, recent: sum.recent + recent });
    }
    this.#others = others;
    this.#instances = instances.length + 1;
    this.#writtenAt = new Map(instances.map(([name, { at }]) => [name, at]));
  }
}
