/**
 * What a session has for its built-in tools, and those tools: there are none before something is kept, or a
 * call goes on, so that nobody pays for what has nothing to read.
 */

import type { BackgroundJobs } from "../../call/background.ts";
import { type Jobs, resultTool, statusTool } from "../../jobs/jobs.ts";
import type { StoredText } from "../../call/truncate_result.ts";
import { type OutputStore, readTool, selectTool } from "../../jobs/outputs.ts";
import type { FullText } from "../../tool/result.ts";
import type { Tool } from "../../tool/tool.ts";
import { type BuiltinGroup, sourceOf } from "./source.ts";

/** The stored outputs and jobs of a session. */
export class BuiltinTools {
  readonly #builtin: () => readonly Tool[];
  readonly #show: () => void;
  #taken: ReadonlySet<string> = new Set();
  readonly #used = new Set<BuiltinGroup>();

  /** Nothing is used yet; `builtin` are the tools that may be, and `show` has the catalogue be another. */
  constructor(builtin: () => readonly Tool[], show: () => void) {
    this.#builtin = builtin;
    this.#show = show;
  }

  /** The catalogue over `own`, the tools of all other sources; a name that one of them has is its. */
  withTools(own: readonly Tool[]): readonly Tool[] {
    this.#taken = new Set(own.flatMap(({ name, aliases = [] }) => [name, ...aliases]));
    if (this.#used.size === 0) return own;
    const usable = this.#builtin().filter((tool) => this.#used.has(sourceOf(tool).about));
    return [...own, ...usable.filter(({ name }) => !this.#taken.has(name))];
  }

  /** Stores `text` for `owner`, unless no tool could read it. */
  keep(
    outputs: OutputStore,
    text: string | FullText,
    owner: string | undefined,
  ): StoredText | undefined {
    if (!this.#isLeft(readTool)) return undefined;
    const kept = outputs.keep(text, owner);
    if (kept === undefined) return undefined;
    this.#use("outputs");
    return { ...kept, isSelectable: this.#isLeft(selectTool) };
  }

  /** Lets calls continue as `jobs`, unless no tool could read them. */
  backgroundJobs(jobs: Jobs, softTimeoutMs: number): BackgroundJobs {
    return {
      jobs,
      softTimeoutMs,
      isAvailable: () => this.#isLeft(statusTool) && this.#isLeft(resultTool),
      expose: () => this.#use("jobs"),
    };
  }

  #use(matter: BuiltinGroup): void {
    if (this.#used.has(matter)) return;
    this.#used.add(matter);
    this.#show();
  }

  /** Returns whether `wanted` is a built-in tool that may be called. */
  #isLeft(wanted: string): boolean {
    if (this.#taken.has(wanted)) return false;
    return this.#builtin().some(({ name }) => name === wanted);
  }
}
