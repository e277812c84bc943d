/** Checks once a second whether clients have lost access, and then ends their streams, sessions or calls. */

import { type CancelTimer, type Clock, systemClock } from "../../async/clock.ts";
import { log } from "../../log.ts";
import { plural } from "../../text/plural.ts";
import type { Surface } from "../surface.ts";
import type { HttpClientIdentity } from "./client.ts";

const checkMs = 1000;

interface OpenUse {
  readonly client: HttpClientIdentity;
  readonly profile: string | undefined;
  readonly surface: Surface;
  readonly kind: "call" | "stream" | "session";
  end(): void;
  wait?(): void;
  /** How the client had lost access at the last check. Only a loss found twice counts: the file may be half written. */
  loss?: Loss | undefined;
}

interface AccessWatchOptions {
  readonly accepts: (client: HttpClientIdentity) => boolean;
  readonly surfaceFor: (client: HttpClientIdentity, profile?: string) => Surface | undefined;
  readonly clock?: Clock | undefined;
}

/** How a client lost access: no token or policy is left (`removed`), it has another policy, or the token has ended. */
type Loss = "removed" | "moved" | "expired";

/** A running call ends only if its client was removed: clients renew tokens that expire. */
const ended: Readonly<Record<Loss, readonly OpenUse["kind"][]>> = {
  removed: ["call", "stream", "session"],
  moved: ["stream", "session"],
  expired: ["stream"],
};

export class AccessWatch {
  readonly #clock: Clock;
  readonly #open = new Set<OpenUse>();
  #cancel: CancelTimer | undefined;

  constructor(private readonly options: AccessWatchOptions) {
    this.#clock = options.clock ?? systemClock;
  }

  add(use: OpenUse): () => void {
    this.#schedule();
    this.#open.add(use);
    return () => this.#open.delete(use);
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
    const lost = [...this.#open].filter((use) => {
      use.wait?.();
      const { loss: before } = use;
      const loss = use.loss = this.#lossOf(use);
      return loss !== undefined && loss === before && ended[loss].includes(use.kind);
    });
    for (const use of lost) {
      this.#open.delete(use);
      use.end();
    }
    const names = [...new Set(lost.map(({ client }) => client.name ?? "a client"))].join(", ");
    const uses = plural(lost.length, "use");
    if (lost.length > 0) log("info", `http: ended without access any more: ${uses} of ${names}`);
    if (this.#open.size > 0) this.#schedule();
  }

  #lossOf({ client, profile, surface }: OpenUse): Loss | undefined {
    if (!this.options.accepts(client)) return "removed";
    const current = this.options.surfaceFor(client, profile);
    if (current === undefined) return "removed";
    if (current !== surface) return "moved";
    const { expiresAt = Infinity } = client;
    return this.#clock.now() > expiresAt ? "expired" : undefined;
  }
}
