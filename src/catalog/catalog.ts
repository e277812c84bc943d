/** Holds the tools that are served now, and makes a new search index when they change. */

import { log } from "../log.ts";
import { messageOf } from "../errors.ts";
import type { Tool } from "../tool/tool.ts";
import type { ToolTable } from "./tool_table.ts";

interface CatalogUpdate {
  readonly tools: readonly Tool[];
  readonly commit?: () => void;
}

/** Returns what to change in the catalogue's tools; `undefined` leaves the catalogue unchanged. */
type CatalogStep = (before: readonly Tool[]) => Promise<CatalogUpdate | undefined>;

/** A catalogue of tools that may change while it is served. A running call keeps the tools that it started with. */
export class Catalog {
  readonly #build: (tools: readonly Tool[]) => ToolTable;
  readonly #listeners = new Set<() => void>();
  #tools: readonly Tool[];
  #index: ToolTable;
  #last: Promise<void> = Promise.resolve();

  constructor(tools: readonly Tool[], build: (tools: readonly Tool[]) => ToolTable) {
    this.#tools = tools;
    this.#build = build;
    this.#index = build(tools);
  }

  static of(index: ToolTable): Catalog {
    return new Catalog(index.tools, () => index);
  }

  get index(): ToolTable {
    return this.#index;
  }

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

  replace(index: ToolTable): void {
    this.#index = index;
    for (const listener of this.#listeners) listener();
  }

  /** Calls `listener` after each change. Returns a function that ends the subscription. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
