/** Decides which calls may continue in the background, and after how long. */

import { isBuiltin, type ObjectSchema, type Tool } from "../tool/tool.ts";
import type { Jobs } from "../jobs/jobs.ts";

/** The background jobs of a session. */
export interface BackgroundJobs {
  readonly jobs: Jobs;
  /** Milliseconds, for tools without a soft timeout of their own; 0: never. */
  readonly softTimeoutMs: number;
  /** The tools that read jobs may be called. */
  isAvailable(): boolean;
  expose(): void;
}

export function hasJobs(
  { background }: { readonly background?: BackgroundJobs | undefined },
): boolean {
  return background !== undefined && background.jobs.isOpen && background.isAvailable();
}

/** Milliseconds after which a call of `tool` continues in the background; `undefined`: never. */
export function backgroundAfter(
  background: BackgroundJobs | undefined,
  tool: Tool,
): number | undefined {
  if (background === undefined || isBuiltin(tool) || tool.background === false) return undefined;
  const softMs = tool.softTimeoutMs ?? background.softTimeoutMs;
  const isSoft = softMs > 0 && softMs < tool.timeoutMs;
  if (!(tool.background || isSoft) || !hasJobs({ background })) return undefined;
  return tool.background ? 0 : softMs;
}

/** The output schema that clients are told; none where the answer may be that of a job, which does not fit it. */
export function schemaOfBackground(
  background: BackgroundJobs | undefined,
  tool: Tool,
): ObjectSchema | undefined {
  if (tool.output === undefined) return undefined;
  return backgroundAfter(background, tool) === undefined ? tool.output : undefined;
}
