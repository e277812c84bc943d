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
  /** Whether there may be anything to read. */
  readonly isOpen: boolean;
  readonly outputs: OutputStore | undefined;
  readonly runner: readonly [kind: string, runner: Runner];
}

/** What the built-in tools that a policy leaves, `allowed`, need, and what carries them out. */
export function openBuiltin(
  allowed: readonly Tool[],
  plan: OutputPlan,
  maxResultTokens: number,
): BuiltinWing {
  // What nobody may read need not be kept
  const canRead = allowed.some(({ name }) => name === readTool);
  const outputs = canRead && plan !== "planned" ? storeOf(plan) : undefined;
  return {
    isOpen: canRead && (outputs !== undefined || plan === "planned"),
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
