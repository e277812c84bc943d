/**
 * Keeps the order of a client's calls, if one of them changes something. It is a read-write lock in which a call takes
 * its place on arrival, before its tool is known.
 */

import { type Clock, systemClock } from "../async/clock.ts";
import { deadline, delay } from "../async/deadline.ts";
import { nextTurn } from "../text/lines.ts";
import { maxSoftMs } from "./background.ts";

type Access = "reads" | "writes" | "answered";

export interface Ticket {
  turn(access: Access, signal?: AbortSignal): Promise<string | undefined>;
  /** Returns a text if an earlier call was still running when this read began: then the result may be out of date. */
  passes(): string | undefined;
  /** Ends the place of a call in the queue. With `why`, later calls that change something are refused. */
  leave(why?: ReasonToRefuse): Promise<void>;
}

export type ReasonToRefuse = readonly [kind: "unfinished" | "failed", text: string];

/** Calls that a client sent together: within {@linkcode burstMs}, and before all of them have ended. */
interface Burst {
  readonly until: number;
  readonly places: Set<Place>;
  failed?: { readonly rank: number; readonly text: string };
}

interface Place {
  readonly rank: number;
  readonly burst: Burst;
  access?: Access;
  refused?: string;
  start?: () => void;
}

/** Calls within this many milliseconds count as sent together, as a model makes several calls in one turn. */
const burstMs = 100;

/** A failed call is answered after this many milliseconds, so that calls sent together with it are refused by then. */
const readMs = 25;

export class CallQueue {
  readonly #maxMs: number | undefined;
  readonly #clock: Clock;
  readonly #waiting = new Set<Place>();
  readonly #active = new Set<Place>();
  readonly #overdue = new Set<Place>();
  #burst: Burst | undefined;
  #entered = 0;

  constructor(maxMs: number | undefined, clock: Clock = systemClock) {
    this.#maxMs = maxMs;
    this.#clock = clock;
  }

  /** Makes a queue in which a call waits at most 45 s, since most clients give up after a minute. */
  static ofClient(): CallQueue {
    return new CallQueue(maxSoftMs);
  }

  get isEmpty(): boolean {
    return this.#waiting.size + this.#active.size + this.#overdue.size === 0;
  }

  /**
   * Puts a call at the end of the queue. Over HTTP, calls may arrive in another order than they were sent: then the
   * numbers that the client gave them (`count`) order calls that were sent together.
   */
  enter(count?: number): Ticket {
    const burst = this.#currentBurst();
    const place: Place = { rank: count ?? ++this.#entered, burst };
    const later = [...count === undefined ? [] : this.#waiting].filter((each) => {
      return each.burst === burst && each.rank > place.rank;
    });
    burst.places.add(place);
    for (const each of [place, ...later]) {
      this.#waiting.delete(each);
      this.#waiting.add(each);
    }
    return {
      passes: () => place.access === "reads" ? place.refused : undefined,
      turn: async (...asked) => {
        if (count !== undefined) await nextTurn();
        return await this.#turn(place, ...asked);
      },
      leave: async (why) => {
        const isEarly = burst.places.has(place) && this.#clock.now() <= burst.until;
        if (why?.[0] === "failed" && isEarly) await delay(readMs, undefined, this.#clock);
        this.#leave(place, why);
      },
    };
  }

  #currentBurst(): Burst {
    const [now, last] = [this.#clock.now(), this.#burst];
    if (last !== undefined && last.places.size > 0 && now <= last.until) return last;
    return this.#burst = { until: now + burstMs, places: new Set() };
  }

  async #turn(place: Place, access: Access, signal: AbortSignal | undefined) {
    place.access = access;
    const { promise, resolve } = Promise.withResolvers<void>();
    place.start = resolve;
    if (this.#isRefused(place)) this.#leave(place);
    else this.#advance();
    const waits = this.#waiting.has(place);
    const ended = waits && await deadline(promise, this.#maxMs, signal, this.#clock);
    if (ended === "timed out") this.#giveUpWaiting(place);
    if (ended === "aborted") {
      this.#leave(place);
      return "Call cancelled while it waited for those before it";
    }
    if (access === "reads" && this.#overdue.size > 0) place.refused ??= this.#overdueText();
    if (access === "reads" || place.refused === undefined) return undefined;
    return `Call not made: ${place.refused}\nCall it again, once their answers are known`;
  }

  #advance(): void {
    for (const place of this.#waiting) {
      const [active] = this.#active;
      const isShared = place.access === "reads" && active?.access === "reads";
      if (place.access === undefined || (active !== undefined && !isShared)) break;
      this.#waiting.delete(place);
      this.#active.add(place);
      place.start?.();
    }
  }

  #giveUpWaiting(place: Place): void {
    for (const each of [...this.#active, ...this.#waiting]) {
      if (each === place) break;
      if (!this.#active.delete(each) && each.access !== undefined) continue;
      this.#waiting.delete(each);
      this.#overdue.add(each);
    }
    this.#refuseWrites();
  }

  #leave(place: Place, why?: ReasonToRefuse): void {
    const { burst } = place;
    const isKnown = [this.#active, this.#waiting, this.#overdue].some((each) => each.delete(place));
    if (!isKnown) return;
    burst.places.delete(place);
    const [kind, text = ""] = why ?? [];
    if (kind === "unfinished") this.#waiting.forEach((each) => each.refused ??= text);
    const { rank } = place;
    if (kind === "failed" && rank < (burst.failed?.rank ?? Infinity)) burst.failed = { rank, text };
    if (why === undefined) this.#advance();
    else this.#refuseWrites();
  }

  #refuseWrites(): void {
    for (const each of this.#waiting) {
      if (each.access === undefined || !this.#isRefused(each)) continue;
      this.#waiting.delete(each);
      each.burst.places.delete(each);
      each.start?.();
    }
    this.#advance();
  }

  #overdueText(): string {
    return `a call before it has not ended in ${this.#maxMs! / 1000} s`;
  }

  #isRefused(place: Place): boolean {
    const { access, burst: { failed }, rank } = place;
    if (access === "reads") return false;
    if (access === "answered") delete place.refused;
    else if (failed !== undefined && failed.rank < rank) place.refused ??= failed.text;
    if (this.#overdue.size > 0) place.refused ??= this.#overdueText();
    return place.refused !== undefined;
  }
}
