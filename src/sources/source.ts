/** One kind of tool as a session sees it: what it has, what carries out its calls, and how it ends. */

import type { Problem } from "../errors.ts";
import type { Runner } from "../tool/runner.ts";
import type { Tool } from "../tool/tool.ts";

/** The tools of a source, with everything that is wrong or doubtful about them. */
export interface LoadResult {
  readonly tools: readonly Tool[];
  /** Reasons not to start. */
  readonly problems: readonly Problem[];
  /** Whether a file was not found or could not be read at all. */
  readonly unreadable: boolean;
  readonly warnings: readonly Problem[];
}

/** A kind of tool. A session closes its runner. */
export interface ToolSource {
  /** The `kind` that each of its tools has in `tool.source`. */
  readonly kind: string;
  readonly runner: Runner;
  /** Whether the source knows of all its tools; a server that does not answer is not known. @default true */
  readonly isComplete?: boolean;
  /** Loads the tools as they are now. `taken` are those of the sources before it. */
  load(taken: readonly Tool[]): Promise<LoadResult>;
  /** Calls `onChange` whenever `load` has news that no file of a config tells. */
  subscribe?(onChange: () => void): void;
}
