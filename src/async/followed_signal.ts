/**
 * A signal that lives long, with those that follow it for a short time, as calls follow the end of serving. A signal of
 * `AbortSignal.any` stays in a list of the long one until garbage collection finds it, and a signal looks through all
 * its listeners whenever one is added: with 50,000 waiting calls that took 5 seconds.
 */

export interface FollowingSignal {
  readonly signal: AbortSignal;
  /** Ends the following. */
  unfollow(): void;
}

export class FollowedSignal {
  readonly signal: AbortSignal;
  readonly #followers: Follower[] = [];

  constructor(signal: AbortSignal) {
    this.signal = signal;
    const abortAll = () => this.#followers.splice(0).forEach((each) => each.abort(signal.reason));
    signal.addEventListener("abort", abortAll, { once: true });
  }

  /** A signal that aborts with this one or with `other`, for the reason of the first. */
  followedWith(other: AbortSignal): FollowingSignal {
    const first = [this.signal, other].find(({ aborted }) => aborted);
    if (first !== undefined) return { signal: AbortSignal.abort(first.reason), unfollow() {} };
    return new Follower(this.#followers, other);
  }
}

class Follower implements FollowingSignal {
  readonly #controller = new AbortController();
  readonly #all: Follower[];
  readonly #other: AbortSignal;
  readonly #onAbort = () => this.abort(this.#other.reason);
  /** Where it is among all. */
  #at: number;

  constructor(all: Follower[], other: AbortSignal) {
    this.#all = all;
    this.#at = all.push(this) - 1;
    this.#other = other;
    other.addEventListener("abort", this.#onAbort, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  abort(reason: unknown): void {
    this.unfollow();
    this.#controller.abort(reason);
  }

  unfollow(): void {
    this.#other.removeEventListener("abort", this.#onAbort);
    if (this.#all[this.#at] !== this) return;
    // The last one takes its place
    const last = this.#all.pop()!;
    if (last === this) return;
    this.#all[this.#at] = last;
    last.#at = this.#at;
  }
}
