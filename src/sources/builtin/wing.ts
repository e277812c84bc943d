/** START HERE for the tools that are built in: when there are any, and what they need of a session. */

import type { Jobs } from "../../call/jobs.ts";
import { OutputStore, readTool } from "../../call/outputs.ts";
import { outputDirectory } from "../../process/output_directory.ts";
import type { Runner } from "../../tool/runner.ts";
import { builtinKind, type Tool } from "../../tool/tool.ts";
import { builtinRunner } from "./runner.ts";
import { sourceOf } from "./source.ts";

/**
 * Whether outputs that are too long for a result are kept: `kept`, or in a store that is somebody
 * else's to close; or `planned`, by whoever will serve. Absent: they are not.
 */
export type OutputPlan = "kept" | "planned" | OutputStore | undefined;

/** The built-in tools of a session. */
export interface BuiltinWing {
  /** Those of `allowed` that there may be any use for. */
  usable(allowed: readonly Tool[]): readonly Tool[];
  readonly outputs: OutputStore | undefined;
  readonly runner: readonly [kind: string, runner: Runner];
}

/** The built-in tools of a session. */
export interface BuiltinOptions {
  /** Absent: no outputs are kept. */
  readonly plan?: OutputPlan;
  /** Absent: there are no background jobs. */
  readonly jobs?: Jobs | undefined;
  readonly maxResultTokens: number;
}

/** What the built-in tools that a policy leaves, `allowed`, need, and what carries them out. */
export function openBuiltin(
  allowed: readonly Tool[],
  { plan, jobs, maxResultTokens }: BuiltinOptions,
): BuiltinWing {
  // Outputs that no tool may read need not be stored
  const canRead = allowed.some(({ name }) => name === readTool);
  const outputs = canRead && plan !== "planned" ? storeOf(plan) : undefined;
  const hasOutputs = canRead && (outputs !== undefined || plan === "planned");
  const isOpen = { outputs: hasOutputs, jobs: jobs?.isOpen ?? false };
  return {
    usable: (tools) => tools.filter((tool) => isOpen[sourceOf(tool).about]),
    outputs,
    runner: [
      builtinKind,
      builtinRunner({
        outputs,
        jobs,
        maxResultTokens,
        close: () => plan === "kept" ? outputs?.close() : undefined,
      }),
    ],
  };
}

function storeOf(plan: "kept" | OutputStore | undefined): OutputStore | undefined {
  return plan === "kept" ? OutputStore.open(outputDirectory()) : plan;
}
