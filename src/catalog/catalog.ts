/** The tools that are served, as one index that is replaced as a whole. */

import { log } from "../log.ts";
import { messageOf } from "../errors.ts";
import type { Tool } from "../tool/tool.ts";
import type { ToolTable } from "./tool_table.ts";

/** The next tools of a catalogue. */
export interface CatalogUpdate {
  readonly tools: readonly Tool[];
  /** Called right before the index is replaced, with nothing awaited in between. */
  readonly commit?: () => void;
}

/** Makes the next tools from those there are; `undefined` leaves the catalogue as it is. */
export type CatalogStep = (before: readonly Tool[]) => Promise<CatalogUpdate | undefined>;

/** A catalogue that may change while it is served. Calls that run keep the index they began with. */
export class Catalog {
  readonly #build: (tools: readonly Tool[]) => ToolTable;
  readonly #listeners = new Set<() => void>();
  #tools: readonly Tool[];
  #index: ToolTable;
  #last: Promise<void> = Promise.resolve();

  /** A catalogue of `tools`, from which `build` makes each index. */
  constructor(tools: readonly Tool[], build: (tools: readonly Tool[]) => ToolTable) {
    this.#tools = tools;
    this.#build = build;
    this.#index = build(tools);
  }

  /** A catalogue that is `index` until it is replaced. */
  static of(index: ToolTable): Catalog {
    return new Catalog(index.tools, () => index);
  }

  /** The index at this moment: not to be kept. */
  get index(): ToolTable {
    return this.#index;
  }

  get listenerCount(): number {
    return this.#listeners.size;
  }

  /** Takes one step after the other. A step that throws leaves the catalogue as it is. */
  async update(step: CatalogStep): Promise<void> {
    this.#last = this.#last.then(async () => {
      try {
        const next = await step(this.#tools);
        if (next === undefined) return;
        next.commit?.();
        this.#tools = next.tools;
        this.rebuild();
      } catch (error) {
        log("error", `The catalogue is unchanged: ${messageOf(error)}`);
      }
    });
    await this.#last;
  }

  rebuild(): void {
    this.replace(this.#build(this.#tools));
  }

  /** Puts `index` in place of the one that is served, and tells those who listen. */
  replace(index: ToolTable): void {
    this.#index = index;
    for (const listener of this.#listeners) listener();
  }

  /** Calls `listener` whenever the index has been replaced; returns how to stop that. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
