/** START HERE for the built-in tools as a source: which there are, and what they need from a session. */

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
 * `kept`: stores outputs that are too long for a result; an `OutputStore`: in that store, which another session closes;
 * `planned`: describes the tools, without a store. Absent: no output is stored.
 */
export type OutputPlan = "kept" | "planned" | OutputStore | undefined;

export interface BuiltinOptions {
  /** Absent: no call continues in the background. */
  readonly jobs?: Jobs | undefined;
  readonly maxResultTokens: number;
}

export class BuiltinToolSource implements ToolSource {
  readonly kind = builtinKind;
  readonly #options: BuiltinOptions;
  #outputs: OutputStore | undefined;
  #hasOutputs = false;
  #runner: Runner;

  /** Nothing is stored until {@linkcode BuiltinToolSource.open}. */
  constructor(options: BuiltinOptions) {
    this.#options = options;
    this.#runner = builtinRunner({ ...options, close: () => {} });
  }

  get runner(): Runner {
    return this.#runner;
  }

  /** The store of outputs that are too long for a result. */
  get outputs(): OutputStore | undefined {
    return this.#outputs;
  }

  load(taken: readonly Tool[]): Promise<LoadResult> {
    const tools = builtinTools(taken);
    return Promise.resolve({ tools, problems: [], unreadable: false, warnings: [] });
  }

  /** Opens what the tools that the policy allows need. */
  open(allowed: readonly Tool[], plan: OutputPlan): void {
    // Without a tool that reads outputs, none is stored
    const canRead = allowed.some(({ name }) => name === readTool);
    const outputs = canRead && plan !== "planned" ? storeOf(plan) : undefined;
    this.#outputs = outputs;
    this.#hasOutputs = canRead && (outputs !== undefined || plan === "planned");
    const close = () => plan === "kept" ? outputs?.close() : undefined;
    this.#runner = builtinRunner({ ...this.#options, outputs, close });
  }

  /** The tools of `allowed` that can have something to read. */
  usable(allowed: readonly Tool[]): readonly Tool[] {
    const isOpen = { outputs: this.#hasOutputs, jobs: this.#options.jobs?.isOpen ?? false };
    return allowed.filter((tool) => isOpen[sourceOf(tool).about]);
  }
}

function storeOf(plan: "kept" | OutputStore | undefined): OutputStore | undefined {
  return plan === "kept" ? OutputStore.open(outputDirectory()) : plan;
}
