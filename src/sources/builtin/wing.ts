/** START HERE for the tools that are built in: when there are any, and what they need of a session. */

import { OutputStore, readTool } from "../../call/outputs.ts";
import { outputDirectory } from "../../process/output_directory.ts";
import type { Runner } from "../../tool/runner.ts";
import { builtinKind, type Tool } from "../../tool/tool.ts";
import { builtinRunner } from "./runner.ts";

/**
 * Whether outputs that are too long for a result are kept: `kept`, or in a store that is somebody
 * else's to close; or `planned`, by whoever will serve. Absent: they are not.
 */
export type OutputPlan = "kept" | "planned" | OutputStore | undefined;

/** The built-in tools of a session. */
export interface BuiltinWing {
  /** Those that there may be; none where nothing is kept. */
  readonly tools: readonly Tool[];
  readonly outputs: OutputStore | undefined;
  readonly runner: readonly [kind: string, runner: Runner];
}

/** What is left of `allowed`, which are all tools that a policy leaves, and what carries it out. */
export function openBuiltin(
  allowed: readonly Tool[],
  plan: OutputPlan,
  maxResultTokens: number,
): BuiltinWing {
  const own = allowed.filter(({ source }) => source.kind === builtinKind);
  // What nobody may read need not be kept
  const canRead = own.some(({ name }) => name === readTool);
  const outputs = canRead && plan !== "planned" ? storeOf(plan) : undefined;
  return {
    tools: canRead && (outputs !== undefined || plan === "planned") ? own : [],
    outputs,
    runner: [
      builtinKind,
      builtinRunner({
        outputs,
        maxResultTokens,
        close: () => plan === "kept" ? outputs?.close() : undefined,
      }),
    ],
  };
}

function storeOf(plan: "kept" | OutputStore | undefined): OutputStore | undefined {
  return plan === "kept" ? OutputStore.open(outputDirectory()) : plan;
}
