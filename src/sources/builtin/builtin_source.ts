/** START HERE for the built-in tools as a source: which there are, and what they need of a session. */

import type { Jobs } from "../../jobs/jobs.ts";
import { OutputStore, readTool } from "../../jobs/outputs.ts";
import { outputDirectory } from "../../process/output_directory.ts";
import type { Runner } from "../../tool/runner.ts";
import { builtinKind, type Tool } from "../../tool/tool.ts";
import type { LoadResult, ToolSource } from "../source.ts";
import { builtinRunner } from "./runner.ts";
import { sourceOf } from "./source.ts";
import { builtinTools } from "./tools.ts";

/**
 * Whether outputs that are too long for a result are kept: `kept`, or in a store that another session
 * closes; or `planned`, by the server that is described. Absent: they are not.
 */
export type OutputPlan = "kept" | "planned" | OutputStore | undefined;

/** Settings of a {@linkcode BuiltinToolSource}. */
export interface BuiltinOptions {
  /** Absent: no call continues in the background. */
  readonly jobs?: Jobs | undefined;
  readonly maxResultTokens: number;
}

/** The built-in tools of a session. */
export class BuiltinToolSource implements ToolSource {
  readonly kind = builtinKind;
  readonly #options: BuiltinOptions;
  #outputs: OutputStore | undefined;
  #hasOutputs = false;
  #runner: Runner;

  /** Nothing is kept before {@linkcode BuiltinToolSource.open}. */
  constructor(options: BuiltinOptions) {
    this.#options = options;
    this.#runner = builtinRunner({ ...options, close: () => {} });
  }

  get runner(): Runner {
    return this.#runner;
  }

  /** Where outputs are kept that are too long for a result. */
  get outputs(): OutputStore | undefined {
    return this.#outputs;
  }

  load(taken: readonly Tool[]): Promise<LoadResult> {
    const tools = builtinTools(taken);
    return Promise.resolve({ tools, problems: [], unreadable: false, warnings: [] });
  }

  /** Opens what `allowed`, the tools that the policy leaves, need. */
  open(allowed: readonly Tool[], plan: OutputPlan): void {
    // What no tool may read need not be kept
    const canRead = allowed.some(({ name }) => name === readTool);
    const outputs = canRead && plan !== "planned" ? storeOf(plan) : undefined;
    this.#outputs = outputs;
    this.#hasOutputs = canRead && (outputs !== undefined || plan === "planned");
    const close = () => plan === "kept" ? outputs?.close() : undefined;
    this.#runner = builtinRunner({ ...this.#options, outputs, close });
  }

  /** The tools of `allowed` that there may be any use for. */
  usable(allowed: readonly Tool[]): readonly Tool[] {
    const isOpen = { outputs: this.#hasOutputs, jobs: this.#options.jobs?.isOpen ?? false };
    return allowed.filter((tool) => isOpen[sourceOf(tool).about]);
  }
}

function storeOf(plan: "kept" | OutputStore | undefined): OutputStore | undefined {
  return plan === "kept" ? OutputStore.open(outputDirectory()) : plan;
}
