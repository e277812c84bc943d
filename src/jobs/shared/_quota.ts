/** Limits what all instances store together, and what each owner stores, by an index in the store. */

import type { Clock } from "../../async/clock.ts";
import type { SharedStore } from "../../state/store.ts";
import { sha256 } from "../../text/hash.ts";
import admitScript from "./admit.lua" with { type: "text" };

export interface SharedOptions {
  readonly store: SharedStore;
  /** Clients of the same name in two scopes (two profiles) share no jobs and outputs. @default one scope for all */
  readonly scope?: string;
  readonly clock?: Clock;
}

type PlaceState = "open" | "ended";

interface PlaceBounds {
  readonly count: number;
  readonly bytes: number;
  readonly ownerCount: number;
  readonly ownerBytes: number;
  /** A job or output is deleted from the store after this many milliseconds, unless it is renewed. */
  readonly ageMs: number;
}

interface PlacesOptions {
  readonly kind: string;
  readonly scope: string;
  readonly bounds: (owner: string) => PlaceBounds;
  /** A running job whose instance has not renewed it for this many milliseconds may be deleted to make room. */
  readonly lostMs: number;
}

export class Quota {
  readonly #store: SharedStore;
  readonly #options: PlacesOptions;

  constructor(store: SharedStore, options: PlacesOptions) {
    this.#store = store;
    this.#options = options;
  }

  nameOf(id: string, owner: string): string {
    return `${this.#options.kind}/${this.#keyOf(owner)}/${id}`;
  }

  async admit(
    id: string,
    owner: string,
    { bytes, state, mustExist = false }: {
      readonly bytes: number;
      readonly state: PlaceState;
      readonly mustExist?: boolean;
    },
  ): Promise<boolean> {
    const { bounds, lostMs, kind } = this.#options;
    const { count, bytes: most, ownerCount, ownerBytes, ageMs } = bounds(owner);
    const args = [id, this.#keyOf(owner), bytes, state, ageMs, lostMs, mustExist ? 1 : 0];
    const all = [...args, count, ownerCount, most, ownerBytes];
    return await this.#store.run(admitScript, [this.#index, `${kind}/`], all) === 1;
  }

  async of(owner: string): Promise<string[]> {
    const fields = await this.#store.run(listScript, [this.#index], []) as string[];
    const key = this.#keyOf(owner);
    return fields.filter((_, at) => at % 2 === 0 && fields[at + 1]!.startsWith(`${key} `));
  }

  async free(id: string, owner: string): Promise<void> {
    await this.#store.deleteFields(this.#index, [id]);
    await this.#store.delete(this.nameOf(id, owner));
  }

  /** Hashes the owner's name, because names of records are not sealed. */
  #keyOf(owner: string): string {
    return hashOf(`${this.#options.scope}\0${owner}`);
  }

  get #index(): string {
    return `${this.#options.kind}s/${hashOf(this.#options.scope)}`;
  }
}

function hashOf(text: string): string {
  return sha256(text).slice(0, 32);
}

const listScript = "return redis.call('HGETALL', KEYS[1])";
