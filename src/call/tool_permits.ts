/** Permits of the tools that may not run as often as a session allows. */

import type { Tool } from "../tool/tool.ts";
import { FairSemaphore } from "../async/semaphore.ts";

/** A semaphore for each tool that has a `concurrency` of its own, made at its first call. */
export class ToolPermits {
  readonly #semaphores = new Map<
    string,
    { readonly count: number; readonly permits: FairSemaphore }
  >();

  /** The semaphore of `tool`, if it needs one. A tool keeps its own until its bound changes. */
  of({ name, concurrency }: Tool): FairSemaphore | undefined {
    if (concurrency === undefined) return undefined;
    const known = this.#semaphores.get(name);
    if (known?.count === concurrency) return known.permits;
    const permits = new FairSemaphore(concurrency);
    this.#semaphores.set(name, { count: concurrency, permits });
    return permits;
  }
}
