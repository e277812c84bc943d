/** Signed tokens that a client sends back: each for one text, for a limited time. */

import { type Clock, systemClock } from "../async/clock.ts";
import { Buffer } from "node:buffer";
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";

/** The key lives as long as the process. */
export class Tokens {
  // `node:crypto` takes long to load and is needed only for a token
  readonly #key = crypto.getRandomValues(new Uint8Array(32));
  readonly #clock: Clock;

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
  }

  /** A token for `text` that expires after `ms`; `id` names it. */
  issue(text: string, ms: number): { readonly token: string; readonly id: string } {
    const id = randomBytes(16).toString("base64url");
    const until = String(this.#clock.now() + ms);
    return { id, token: [id, until, this.#sign(id, until, text)].join(".") };
  }

  /** The id of a token that was issued for `text` and has not expired. */
  idOf(token: string, text: string): string | undefined {
    const [id, until, signature, ...more] = token.split(".");
    if (id === undefined || until === undefined || signature === undefined || more.length > 0) {
      return undefined;
    }
    const expected = Buffer.from(this.#sign(id, until, text));
    const received = Buffer.from(signature);
    if (received.length !== expected.length || !timingSafeEqual(received, expected)) {
      return undefined;
    }
    return Number(until) > this.#clock.now() ? id : undefined;
  }

  #sign(id: string, until: string, text: string): string {
    return createHmac("sha256", this.#key).update(`${id}.${until}.${text}`).digest("base64url");
  }
}
