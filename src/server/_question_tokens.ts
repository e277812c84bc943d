/** Signed tokens bind the answer of a person to one call and one question. Each is valid once, and expires. */

import { Buffer } from "node:buffer";
import { createHmac, timingSafeEqual } from "node:crypto";
import type { Clock } from "../async/clock.ts";
import { messageOf } from "../errors.ts";
import type { SharedState } from "../state/shared_state.ts";
import { StateError, type Taken } from "../state/store.ts";
import type { GivenAnswer } from "./_suspended_call.ts";

const format = "s1";

export interface TokenPayload {
  readonly id: string;
  /** The time at which the token expires, in milliseconds since 1970 by the clock of the store. */
  readonly until: number;
  readonly generation?: string;
  readonly instance: string;
  readonly question: string;
  /** The hash of the plan that a yes allows; absent if the call itself waits at its instance for the answer. */
  readonly planHash?: string;
  readonly before?: readonly GivenAnswer[];
}

const again = "Call the tool again to ask again";

export const noQuestion =
  "the answer matches no open question. It was used before, came too late, or is for another call";

const otherInstance =
  "the question waits at another instance of climax, which alone can continue this call\n" +
  "An operator can have the proxy send each client to one instance";

export class QuestionTokens {
  readonly #instance: string;
  readonly #key = { name: randomBytes(6).toString("base64url"), bytes: randomBytes(32) };
  readonly #used = new Map<string, number>();
  /** The record of used tokens may lack those that expired before this time, so tokens that expired earlier are refused. */
  #forgotten = 0;

  constructor(private readonly clock: Clock, private readonly state: SharedState | undefined) {
    this.#instance = state?.store.instance ?? this.#key.name;
  }

  whyNot(): string | undefined {
    if (this.state === undefined) return undefined;
    const { condition, generation } = this.state.store;
    if (condition === "full") return "the store that all instances share is full";
    const isUp = condition === "up" && generation !== undefined;
    return isUp ? undefined : "the store that all instances share cannot be reached";
  }

  issue(
    text: string,
    ms: number,
    about: Pick<TokenPayload, "question" | "planHash" | "before">,
  ): { readonly token: string; readonly id: string } {
    const id = randomBytes(16).toString("base64url");
    const generation = this.state && (this.state.store.generation ?? "");
    const payload: TokenPayload = {
      ...about,
      id,
      until: Math.round(this.#now() + ms),
      ...(generation === undefined ? {} : { generation }),
      instance: this.#instance,
    };
    const body = Buffer.from(JSON.stringify(payload)).toString("base64url");
    const key = this.state?.keyring.first.name ?? this.#key.name;
    const signed = signature(this.#keyOf(key)!, body, text).toString("base64url");
    return { id, token: [format, key, body, signed].join(".") };
  }

  read(token: string, text: string): TokenPayload | string {
    const [prefix, name = "", body = "", signed = ""] = token.split(".");
    if (prefix !== format) return noQuestion;
    const key = this.#keyOf(name);
    if (key === undefined) {
      return this.state === undefined
        ? noQuestion
        : "the question was asked by an instance with another signing key\n" +
          `An operator must give all instances the same --signing-key; then: ${again}`;
    }
    const [expected, received] = [signature(key, body, text), Buffer.from(signed, "base64url")];
    if (received.length !== expected.length || !timingSafeEqual(received, expected)) {
      return `the answer is for another call\n${again}`;
    }
    const payload = JSON.parse(Buffer.from(body, "base64url").toString()) as TokenPayload;
    if (payload.until <= this.#now()) return `the answer came too late\n${again}`;
    const needsInstance = payload.planHash === undefined || payload.generation === undefined;
    return needsInstance && payload.instance !== this.#instance ? otherInstance : payload;
  }

  /** Marks a token as used, for all instances. Returns the reason if that is refused. */
  async use({ id, until, generation }: TokenPayload): Promise<string | undefined> {
    try {
      const taken = generation === undefined
        ? this.#take(id, until, this.#now())
        : await this.state!.store.take(`answer:${id}`, until - this.#now() + usedMs, generation);
      if (taken === "taken") return undefined;
      const lost = "the store that all instances share has begun again since the question";
      return taken === "used" ? "the answer was used before" : `${lost}\n${again}`;
    } catch (error) {
      if (!(error instanceof StateError)) throw error;
      const reason = messageOf(error).replace(/^The/, "the");
      return `${reason}, and no answer is taken without it\n${again}`;
    }
  }

  #take(id: string, until: number, now: number): Taken {
    if (this.#used.has(id) || until <= this.#forgotten) return "used";
    for (const [other, end] of this.#used) {
      if (end > now && this.#used.size < maxUsed) break;
      this.#used.delete(other);
      this.#forgotten = Math.max(this.#forgotten, end);
    }
    this.#used.set(id, until);
    return "taken";
  }

  #keyOf(name: string): Uint8Array | undefined {
    if (this.state !== undefined) return this.state.keyring.get(name)?.derive("tokens");
    return name === this.#key.name ? this.#key.bytes : undefined;
  }

  #now(): number {
    return this.state?.store.now() ?? this.clock.now();
  }
}

/** A used token is remembered until this many milliseconds after it has expired. */
const usedMs = 60_000;

const maxUsed = 50_000;

function signature(key: Uint8Array, body: string, text: string): Buffer {
  return createHmac("sha256", key).update(`${format}.${body}.${text}`).digest();
}

/** Returns random bytes without node:crypto, which takes long to load and which a start does not need. */
function randomBytes(length: number): Buffer {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(length)));
}
