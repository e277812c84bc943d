/**
 * Signed tokens that any instance takes: the call is not kept, but begins again with the answer. The store remembers
 * which were used; a token is of no use after the store has lost that.
 */

import { Buffer } from "node:buffer";
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { SharedKey } from "../state/keyring.ts";
import type { SharedState } from "../state/shared_state.ts";
import type { GivenAnswer } from "./_suspended_call.ts";
import { StateError } from "../state/store.ts";
import { messageOf } from "../errors.ts";

/** Of tokens; another one for each change of {@linkcode Ticket}. */
const format = "s1";

/** The content of a token. */
export interface Ticket {
  readonly id: string;
  /** Milliseconds since 1970 by the clock of the store. */
  readonly until: number;
  readonly generation: string;
  readonly instance: string;
  /** The name of the question for the client. */
  readonly question: string;
  /** Fingerprint of what the person is asked about; absent: the call waits at its instance. */
  readonly subject?: string;
  /** Answers to the questions before, which the call asks again when it begins again. */
  readonly before?: readonly GivenAnswer[];
}

const again = "Call the tool again to ask again";

export class SharedTokens {
  readonly #state: SharedState;

  constructor(state: SharedState) {
    this.#state = state;
  }

  /** The reason why no question can be asked now, if there is one. */
  whyNot(): string | undefined {
    const { condition, generation } = this.#state.store;
    if (condition === "down" || generation === undefined) {
      return "the store that all instances share cannot be reached";
    }
    return condition === "full" ? "the store that all instances share is full" : undefined;
  }

  /** A token for the call `text` that expires after `ms`. */
  issue(
    text: string,
    ms: number,
    about: Pick<Ticket, "question" | "subject" | "before">,
  ): { readonly token: string; readonly id: string } {
    const { store, keyring } = this.#state;
    const id = randomBytes(16).toString("base64url");
    const ticket: Ticket = {
      ...about,
      id,
      until: Math.round(store.now() + ms),
      generation: store.generation ?? "",
      instance: store.instance,
    };
    const body = Buffer.from(JSON.stringify(ticket)).toString("base64url");
    const key = keyring.first;
    const signed = signature(key, body, text).toString("base64url");
    return { id, token: [format, key.name, body, signed].join(".") };
  }

  /** Returns whether `token` looks like one of these. */
  isShared(token: string): boolean {
    return token.startsWith(`${format}.`);
  }

  /** The content of a token for the call `text` that has not expired, or the reason of the refusal. */
  read(token: string, text: string): Ticket | string {
    const [, name = "", body = "", signed = ""] = token.split(".");
    const key = this.#state.keyring.get(name);
    if (key === undefined) {
      return "the question was asked by an instance with another signing key\n" +
        `An operator must give all instances the same --signing-key; then: ${again}`;
    }
    const [expected, received] = [signature(key, body, text), Buffer.from(signed, "base64url")];
    if (received.length !== expected.length || !timingSafeEqual(received, expected)) {
      return `the answer is for another call\n${again}`;
    }
    const ticket = JSON.parse(Buffer.from(body, "base64url").toString()) as Ticket;
    if (ticket.until > this.#state.store.now()) return ticket;
    return `the answer came too late\n${again}`;
  }

  /** Uses a token up, once for all instances. Returns the reason of the refusal, if there is one. */
  async use({ id, until, generation }: Ticket): Promise<string | undefined> {
    const { store } = this.#state;
    try {
      const taken = await store.take(`answer:${id}`, until - store.now() + usedMs, generation);
      if (taken === "taken") return undefined;
      const lost = "the store that all instances share has begun again since the question";
      return taken === "used" ? "the answer was used before" : `${lost}\n${again}`;
    } catch (error) {
      if (!(error instanceof StateError)) throw error;
      const reason = messageOf(error).replace(/^The/, "the");
      return `${reason}, and no answer is taken without it\n${again}`;
    }
  }

  /** Returns whether the call of `ticket` waits at another instance. */
  isElsewhere({ instance }: Ticket): boolean {
    return instance !== this.#state.store.instance;
  }
}

/** Milliseconds that a used token is remembered after it has expired. */
const usedMs = 60_000;

function signature(key: SharedKey, body: string, text: string): Buffer {
  return createHmac("sha256", key.derive("tokens")).update(`${format}.${body}.${text}`).digest();
}
