/**
 * Shows the built-in tools of a session once they are useful: when an output is stored or a call becomes a job.
 * Until then an agent does not pay for their definitions.
 */

import type { BackgroundJobs } from "../../call/background.ts";
import { type Jobs, resultTool, statusTool } from "../../jobs/jobs.ts";
import type { StoredText } from "../../call/truncate_result.ts";
import { type Outputs, readTool, selectTool } from "../../jobs/outputs.ts";
import type { FullText } from "../../tool/result.ts";
import type { Tool } from "../../tool/tool.ts";
import { type BuiltinGroup, sourceOf } from "./source.ts";

/** The stored outputs and jobs of a session. */
export class BuiltinTools {
  readonly #builtin: () => readonly Tool[];
  readonly #show: () => void;
  #taken: ReadonlySet<string> = new Set();
  readonly #used = new Set<BuiltinGroup>();

  /**
   * `builtin` returns the tools that the policy allows; `show` rebuilds the catalogue. The groups of `shared` may
   * always have something to read, which other instances have stored.
   */
  constructor(
    builtin: () => readonly Tool[],
    show: () => void,
    shared: readonly BuiltinGroup[] = [],
  ) {
    this.#builtin = builtin;
    this.#show = show;
    for (const group of shared) this.#used.add(group);
  }

  /** Adds the built-in tools in use to `own`, the tools of all other sources, which have precedence. */
  withTools(own: readonly Tool[]): readonly Tool[] {
    this.#taken = new Set(own.flatMap(({ name, aliases = [] }) => [name, ...aliases]));
    if (this.#used.size === 0) return own;
    const usable = this.#builtin().filter((tool) => this.#used.has(sourceOf(tool).about));
    return [...own, ...usable.filter(({ name }) => !this.#taken.has(name))];
  }

  /** Stores `text` for `owner`, unless no tool could read it. */
  async keep(
    outputs: Outputs,
    text: string | FullText,
    owner: string | undefined,
  ): Promise<StoredText | undefined> {
    if (!this.isAllowed(readTool)) return undefined;
    const stored = await outputs.keep(text, owner);
    if (stored === undefined) return undefined;
    this.#use("outputs");
    return { ...stored, isSelectable: this.isAllowed(selectTool) };
  }

  /** Lets calls continue as `jobs`, unless no tool could read them. */
  backgroundJobs(jobs: Jobs, softTimeoutMs: number): BackgroundJobs {
    return {
      jobs,
      softTimeoutMs,
      isAvailable: () => this.isAllowed(statusTool) && this.isAllowed(resultTool),
      expose: () => this.#use("jobs"),
    };
  }

  #use(group: BuiltinGroup): void {
    if (this.#used.has(group)) return;
    this.#used.add(group);
    this.#show();
  }

  /** Returns whether the policy allows this built-in tool, and no other has its name. */
  isAllowed(toolName: string): boolean {
    if (this.#taken.has(toolName)) return false;
    return this.#builtin().some(({ name }) => name === toolName);
  }
}
