/** Embeds the tools of a catalogue in the background after each change, and tries again while the server fails. */

import { type CancelTimer, type Clock, systemClock } from "../../async/clock.ts";
import { messageOf } from "../../errors.ts";
import { log } from "../../log.ts";
import type { Catalog } from "../catalog.ts";
import { toolIndexOf } from "../tool_index.ts";
import type { ToolTable } from "../tool_table.ts";
import { EmbeddingError, type EmbeddingServer } from "./_client.ts";
import type { CachedVectors } from "./meaning.ts";

/** Milliseconds before a failed try is repeated: at first, and at most. Each pause is twice as long as the last. */
const [firstPause, maxPause] = [1_000, 300_000];

let turn: Promise<unknown> = Promise.resolve();

export class Embedder {
  readonly #server: EmbeddingServer;
  readonly #cache: string | undefined;
  readonly #clock: Clock;
  readonly #ended = new AbortController();
  readonly #vectors: CachedVectors = new Map();
  readonly #stops: (() => void)[] = [];
  #wanted: ToolTable | undefined;
  #pause = firstPause;
  #cancel: CancelTimer | undefined;

  constructor(server: EmbeddingServer, cache: string | undefined, clock: Clock = systemClock) {
    this.#clock = clock;
    this.#server = server;
    this.#cache = cache;
  }

  async follow(catalogue: Catalog): Promise<void> {
    this.#stops.push(catalogue.subscribe(() => void this.embed(catalogue.index)));
    await this.embed(catalogue.index);
  }

  /** Embeds the tools of `index`. Resolves after the first try; if it fails, later tries follow in the background. */
  async embed(index: ToolTable): Promise<void> {
    this.#cancel?.();
    this.#wanted = index;
    const mine = turn.then(() => this.#try(index));
    turn = mine;
    await mine;
  }

  close(): void {
    for (const stop of this.#stops) stop();
    this.#wanted = undefined;
    this.#cancel?.();
    this.#ended.abort();
  }

  async #try(index: ToolTable): Promise<void> {
    if (this.#wanted !== index) return;
    const [signal, clock] = [this.#ended.signal, this.#clock];
    const options = { cache: this.#cache, memory: this.#vectors, signal, clock };
    try {
      await toolIndexOf(index).embed(this.#server, options);
      this.#pause = firstPause;
    } catch (error) {
      if (this.#wanted !== index) return;
      if (!(error instanceof EmbeddingError)) log("error", messageOf(error));
      else if (this.#pause === firstPause) {
        log("warning", `Search uses words only: ${messageOf(error)}`);
      }
      this.#cancel = this.#clock.after(this.#pause, () => void this.embed(index));
      this.#pause = Math.min(2 * this.#pause, maxPause);
    }
  }
}
