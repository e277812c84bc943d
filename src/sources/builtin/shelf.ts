/**
 * The outputs that a session has kept, and the tools that read them: there are none before something is
 * kept, so that nobody pays for what has nothing to read.
 */

import { type KeptOutput, type OutputStore, readTool } from "../../call/outputs.ts";
import type { Uncut } from "../../tool/result.ts";
import { builtinKind, type Tool } from "../../tool/tool.ts";

/** What a session has kept. */
export class Shelf {
  readonly #outputs: OutputStore;
  readonly #builtin: () => readonly Tool[];
  #own: readonly Tool[] = [];
  #isUsed = false;

  /** Nothing is kept yet; `builtin` are the tools that may read what will be. */
  constructor(outputs: OutputStore, builtin: () => readonly Tool[]) {
    this.#outputs = outputs;
    this.#builtin = builtin;
  }

  /** The catalogue over `own`, the tools of all other sources; a name that one of them has is its. */
  withTools(own: readonly Tool[]): readonly Tool[] {
    this.#own = own;
    return this.#isUsed ? this.#all() : own;
  }

  #all(): readonly Tool[] {
    const own = this.#own;
    const taken = new Set(own.flatMap(({ name, aliases = [] }) => [name, ...aliases]));
    return [...own, ...this.#builtin().filter(({ name }) => !taken.has(name))];
  }

  /** Keeps `text` for `owner`, unless nobody could read it; `show` is called before the first is. */
  keep(
    text: string | Uncut,
    owner: string | undefined,
    show: (own: readonly Tool[]) => void,
  ): KeptOutput | undefined {
    // A policy may leave none any more, and another tool may have its name
    const tools = this.#all();
    const reads = ({ name, source }: Tool) => name === readTool && source.kind === builtinKind;
    if (!tools.some(reads)) return undefined;
    const kept = this.#outputs.keep(text, owner);
    if (kept !== undefined && !this.#isUsed) {
      this.#isUsed = true;
      show(this.#own);
    }
    return kept;
  }
}
