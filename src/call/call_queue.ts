/**
 * Keeps the calls of one client in the order of their arrival where one of them changes something: a lock for reading and
 * writing, whose places are taken before anything is known about a call.
 */

import { type CancelTimer, type Clock, systemClock } from "../async/clock.ts";
import { nextTurn } from "../text/lines.ts";
import { maxSoftMs } from "./background.ts";

type Access = "reads" | "writes";

/** The place of one call in the queue. */
export interface Ticket {
  /** Waits for the calls before it. Resolves to the reason if the call must not be made. */
  turn(access: Access, signal?: AbortSignal): Promise<string | undefined> | undefined;
  /** Gives the place up. Of those behind it, `unfinished` refuses the calls that change something, and says why. */
  leave(unfinished?: string): void;
}

interface Place {
  readonly since: number;
  readonly count: number | undefined;
  access?: Access;
  start?: (refused?: string) => void;
  refused?: string;
}

interface CallQueueOptions {
  /** Milliseconds that a call waits at most: what is before it then holds up no call any more. @default 45 s */
  readonly maxMs?: number;
  readonly clock?: Clock;
}

/** The calls of one client that have not ended, or those that one script or request makes. */
export class CallQueue {
  readonly #maxMs: number;
  readonly #clock: Clock;
  readonly #active = new Set<Place>();
  readonly #waiting = new Set<Place>();
  #cancelTimer: CancelTimer | undefined;

  constructor({ maxMs = maxSoftMs, clock = systemClock }: CallQueueOptions = {}) {
    this.#maxMs = maxMs;
    this.#clock = clock;
  }

  /**
   * Takes the place after all that were taken before. `count` is that of the client, if its calls may arrive in another order:
   * of calls that arrive in one turn of the event loop, it decides.
   */
  enter(count?: number): Ticket {
    const place: Place = { since: this.#clock.now(), count };
    const later = [...count === undefined ? [] : this.#waiting].filter((each) => {
      return each.count! > count!;
    });
    for (const each of [place, ...later]) {
      this.#waiting.delete(each);
      this.#waiting.add(each);
    }
    const turn: Ticket["turn"] = (...asked) => this.#turn(place, ...asked);
    return {
      turn: count === undefined ? turn : (...asked) => nextTurn().then(() => turn(...asked)),
      leave: (unfinished) => this.#leave(place, unfinished),
    };
  }

  #turn(place: Place, ...[access, signal]: Parameters<Ticket["turn"]>) {
    place.access = access;
    if (place.refused !== undefined && access === "writes") {
      return Promise.resolve(notMade(place.refused));
    }
    this.#advance();
    // It has its turn, or has held up others for too long
    if (!this.#waiting.has(place)) return undefined;
    const { promise, resolve } = Promise.withResolvers<string | undefined>();
    const onAbort = () => {
      this.#leave(place);
      resolve("Call cancelled while it waited for those before it");
    };
    place.start = (refused) => {
      signal?.removeEventListener("abort", onAbort);
      resolve(refused);
    };
    if (signal?.aborted) onAbort();
    else signal?.addEventListener("abort", onAbort, { once: true });
    this.#setTimer();
    return promise;
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
    if (this.#waiting.size > 0) return;
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
  }

  #leave(place: Place, unfinished?: string): void {
    if (!this.#active.delete(place) && !this.#waiting.delete(place)) return;
    if (unfinished !== undefined) this.#refuse(this.#waiting, unfinished);
    this.#advance();
  }

  /** Refuses those of `places` that change something. */
  #refuse(places: Iterable<Place>, why: string): void {
    for (const place of places) {
      place.refused = why;
      if (place.access !== "writes") continue;
      this.#waiting.delete(place);
      place.start?.(notMade(why));
    }
  }

  #setTimer(): void {
    const [first] = this.#waiting;
    if (this.#cancelTimer !== undefined || first === undefined || this.#maxMs === Infinity) return;
    const ms = Math.max(0, first.since + this.#maxMs - this.#clock.now());
    this.#cancelTimer = this.#clock.after(ms, () => {
      this.#cancelTimer = undefined;
      const late = [...this.#waiting].filter(({ since }) => {
        return since + this.#maxMs <= this.#clock.now() + 1;
      });
      this.#active.clear();
      this.#refuse(late, `the calls before it have not ended in ${this.#maxMs / 1000} s`);
      for (const place of late) if (place.access === undefined) this.#waiting.delete(place);
      this.#advance();
      this.#setTimer();
    });
  }
}

function notMade(why: string): string {
  return `Call not made: ${why}\nCall it again, once their answers are known`;
}
