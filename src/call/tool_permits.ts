/** Semaphores of tools whose config bounds how many of their calls run at once. */

import type { Tool } from "../tool/tool.ts";
import { FairSemaphore } from "../async/semaphore.ts";

export class ToolPermits {
  readonly #semaphores = new Map<
    string,
    { readonly count: number; readonly permits: FairSemaphore }
  >();

  /** The semaphore of `tool`, if it has a `concurrency`. It is replaced when that number changes. */
  of({ name, concurrency }: Tool): FairSemaphore | undefined {
    if (concurrency === undefined) return undefined;
    const known = this.#semaphores.get(name);
    if (known?.count === concurrency) return known.permits;
    const permits = new FairSemaphore(concurrency);
    this.#semaphores.set(name, { count: concurrency, permits });
    return permits;
  }
}
