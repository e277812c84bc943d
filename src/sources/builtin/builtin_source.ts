/** START HERE for the built-in tools as a source: which there are, and what they need from a session. */

import type { Jobs } from "../../jobs/jobs.ts";
import { type Outputs, readTool } from "../../jobs/outputs.ts";
import type { Runner } from "../../tool/runner.ts";
import { builtinKind, type Tool } from "../../tool/tool.ts";
import type { LoadResult, ToolSource } from "../source.ts";
import { builtinRunner } from "./runner.ts";
import { sourceOf } from "./source.ts";
import { builtinTools } from "./tools.ts";

/** Settings of a {@linkcode BuiltinToolSource}. */
export interface BuiltinOptions {
  /** Absent: no call continues in the background. */
  readonly jobs?: Jobs | undefined;
  readonly maxResultTokens: number;
}

export class BuiltinToolSource implements ToolSource {
  readonly kind = builtinKind;
  readonly #options: BuiltinOptions;
  #outputs: Outputs | undefined;
  #runner: Runner;

  /** Nothing is stored until {@linkcode BuiltinToolSource.open}. */
  constructor(options: BuiltinOptions) {
    this.#options = options;
    this.#runner = builtinRunner(options);
  }

  get runner(): Runner {
    return this.#runner;
  }

  /** The store of outputs that are too long for a result. */
  get outputs(): Outputs | undefined {
    return this.#outputs;
  }

  load(taken: readonly Tool[]): Promise<LoadResult> {
    const tools = builtinTools(taken);
    return Promise.resolve({ tools, problems: [], unreadable: false, warnings: [] });
  }

  /** Keeps outputs in `outputs`, unless `allowed`, the tools that the policy leaves, cannot read them. */
  open(allowed: readonly Tool[], outputs: Outputs | undefined): void {
    const canRead = allowed.some(({ name }) => name === readTool);
    this.#outputs = canRead ? outputs : undefined;
    this.#runner = builtinRunner({ ...this.#options, outputs: this.#outputs });
  }

  /** The tools of `allowed` that can have something to read. */
  usable(allowed: readonly Tool[]): readonly Tool[] {
    const isOpen = {
      outputs: this.#outputs !== undefined,
      jobs: this.#options.jobs?.isOpen ?? false,
    };
    return allowed.filter((tool) => isOpen[sourceOf(tool).about]);
  }
}
