/** What makes tokens, loaded when one is needed: `node:crypto` takes a twentieth of a start to load. */

import type { Clock } from "../async/clock.ts";
import type { SharedState } from "../state/shared_state.ts";
import type { SharedTokens } from "./_shared_tokens.ts";
import type { Tokens } from "./_tokens.ts";

export class TokenMakers {
  readonly #clock: Clock;
  readonly #state: SharedState | undefined;
  #own: Tokens | undefined;
  #shared: SharedTokens | undefined;

  constructor(clock: Clock, state: SharedState | undefined) {
    this.#clock = clock;
    this.#state = state;
  }

  /** For tokens that only this instance takes. */
  async own(): Promise<Tokens> {
    const { Tokens } = await import("./_tokens.ts");
    return this.#own ??= new Tokens(this.#clock);
  }

  /** For tokens that any instance takes; absent where they share nothing. */
  async shared(): Promise<SharedTokens | undefined> {
    if (this.#state === undefined) return undefined;
    const { SharedTokens } = await import("./_shared_tokens.ts");
    return this.#shared ??= new SharedTokens(this.#state);
  }
}
