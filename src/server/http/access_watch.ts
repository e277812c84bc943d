/**
 * Ends what is open of clients that lose their access: requests are checked when they come, and a stream or a call may
 * last for hours after that. Whether access is lost is looked up once a second while anything is open.
 */

import { type CancelTimer, type Clock, systemClock } from "../../async/clock.ts";
import { log } from "../../log.ts";
import { plural } from "../../text/plural.ts";
import type { Surface } from "../surface.ts";
import type { HttpClientIdentity } from "./client.ts";

/** Milliseconds between two checks. */
const checkMs = 1000;

/** What a client has open. */
interface OpenUse {
  /** As it was authenticated. */
  readonly client: HttpClientIdentity;
  readonly profile: string | undefined;
  readonly surface: Surface;
  readonly kind: "call" | "stream" | "session";
  end(): void;
}

interface AccessWatchOptions {
  /** Whether the token of `client` is still one of those that are accepted. */
  readonly accepts: (client: HttpClientIdentity) => boolean;
  readonly surfaceFor: (client: HttpClientIdentity, profile?: string) => Surface | undefined;
  readonly clock?: Clock | undefined;
}

/**
 * How access is lost: the token was removed or the client is served nothing any more; it is served something else; or
 * the token has expired.
 */
type Loss = "removed" | "moved" | "expired";

/**
 * What each loss ends. A call was allowed when it began, so it runs on unless its client was removed; and a client renews
 * its token in the middle of a session.
 */
const ended: Readonly<Record<Loss, readonly OpenUse["kind"][]>> = {
  removed: ["call", "stream", "session"],
  moved: ["stream", "session"],
  expired: ["stream"],
};

export class AccessWatch {
  readonly #options: AccessWatchOptions;
  readonly #clock: Clock;
  /** With the loss at the last check: a file may be half written. */
  readonly #open = new Map<OpenUse, Loss | undefined>();
  #cancel: CancelTimer | undefined;

  constructor(options: AccessWatchOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
  }

  /** Watches `use` until the returned function is called. */
  add(use: OpenUse): () => void {
    this.#open.set(use, undefined);
    this.#schedule();
    return () => void this.#open.delete(use);
  }

  close(): void {
    this.#cancel?.();
    this.#open.clear();
  }

  #schedule(): void {
    this.#cancel ??= this.#clock.after(checkMs, () => this.#check(), { unref: true });
  }

  #check(): void {
    this.#cancel = undefined;
    const lost = [...this.#open].filter(([use, before]) => {
      const loss = this.#lossOf(use);
      this.#open.set(use, loss);
      return loss !== undefined && loss === before && ended[loss].includes(use.kind);
    });
    for (const [use] of lost) {
      this.#open.delete(use);
      use.end();
    }
    const names = new Set(lost.map(([{ client }]) => client.name ?? "a client"));
    if (lost.length > 0) {
      log(
        "info",
        `http: ${plural(lost.length, "stream, call or session")} ended, without access any more: ${
          [...names].join(", ")
        }`,
      );
    }
    if (this.#open.size > 0) this.#schedule();
  }

  #lossOf({ client, profile, surface }: OpenUse): Loss | undefined {
    if (!this.#options.accepts(client)) return "removed";
    const current = this.#options.surfaceFor(client, profile);
    if (current === undefined) return "removed";
    if (current !== surface) return "moved";
    const { expiresAt = Infinity } = client;
    return this.#clock.now() > expiresAt ? "expired" : undefined;
  }
}
