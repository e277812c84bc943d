/**
 * Keeps the calls of one client in the order of their arrival where one of them changes something: a lock for reading and
 * writing, whose places are taken before anything is known about a call.
 */

import { type Clock, systemClock } from "../async/clock.ts";
import { deadline } from "../async/deadline.ts";
import { nextTurn } from "../text/lines.ts";
import { maxSoftMs } from "./background.ts";

type Access = "reads" | "writes";

/** The place of one call in the queue. */
export interface Ticket {
  /** Waits for the calls before it. Resolves to the reason if the call must not be made. */
  turn(access: Access, signal?: AbortSignal): Promise<string | undefined>;
  /** Gives the place up. Of those behind it, `unfinished` refuses the calls that change something, and says why. */
  leave(unfinished?: string): void;
}

interface Place {
  readonly count: number | undefined;
  access?: Access;
  refused?: string;
  start?: () => void;
}

/** The calls of one client that have not ended, or those that one script or request makes. */
export class CallQueue {
  readonly #maxMs: number | undefined;
  readonly #clock: Clock;
  readonly #active = new Set<Place>();
  readonly #waiting = new Set<Place>();

  /** A call waits `maxMs` at most; what is before it then holds up no call any more. `undefined`: it waits as long as needed. */
  constructor(maxMs: number | undefined, clock: Clock = systemClock) {
    this.#maxMs = maxMs;
    this.#clock = clock;
  }

  /** Makes the queue of a client, which itself waits a minute. */
  static ofClient(): CallQueue {
    return new CallQueue(maxSoftMs);
  }

  /**
   * Takes the place after all that were taken before. `count` is that of the client, if its calls may arrive in another order:
   * of calls that arrive in one turn of the event loop, it decides.
   */
  enter(count?: number): Ticket {
    const place: Place = { count };
    const later = [...count === undefined ? [] : this.#waiting].filter((each) => {
      return each.count! > count!;
    });
    for (const each of [place, ...later]) {
      this.#waiting.delete(each);
      this.#waiting.add(each);
    }
    return {
      turn: (...asked) => this.#turn(place, ...asked),
      leave: (unfinished) => this.#leave(place, unfinished),
    };
  }

  async #turn(place: Place, access: Access, signal: AbortSignal | undefined) {
    if (place.count !== undefined) await nextTurn();
    place.access = access;
    this.#advance();
    const { promise, resolve } = Promise.withResolvers<void>();
    place.start = resolve;
    const isRefused = access === "writes" && place.refused !== undefined;
    const ended = isRefused || !this.#waiting.has(place)
      ? undefined
      : await deadline(promise, this.#maxMs, signal, this.#clock);
    if (ended === "timed out") {
      this.#active.clear();
      place.refused = `the calls before it have not ended in ${this.#maxMs! / 1000} s`;
    }
    if (ended !== undefined) this.#leave(place);
    if (ended === "aborted") return "Call cancelled while it waited for those before it";
    if (access === "reads" || place.refused === undefined) return undefined;
    return `Call not made: ${place.refused}\nCall it again, once their answers are known`;
  }

  /** Starts the first of those that wait, as many as may run together. */
  #advance(): void {
    for (const place of this.#waiting) {
      const [active] = this.#active;
      const isHeld = place.access === "writes" ? active !== undefined : active?.access === "writes";
      if (place.access === undefined || isHeld) break;
      this.#waiting.delete(place);
      this.#active.add(place);
      place.start?.();
    }
  }

  #leave(place: Place, unfinished?: string): void {
    if (!this.#active.delete(place) && !this.#waiting.delete(place)) return;
    for (const each of unfinished === undefined ? [] : this.#waiting) {
      each.refused = unfinished!;
      if (each.access !== "writes") continue;
      this.#waiting.delete(each);
      each.start?.();
    }
    this.#advance();
  }
}
