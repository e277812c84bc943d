/** Which calls may continue in the background, and after how long. */

import { isBuiltin, type ObjectSchema, type Tool } from "../tool/tool.ts";
import type { Jobs } from "../jobs/jobs.ts";

/** What lets the calls of a session go on behind their answers. */
export interface BackgroundJobs {
  readonly jobs: Jobs;
  /** Milliseconds after which calls do of tools that do not say; 0: never. */
  readonly softTimeoutMs: number;
  /** Whether jobs may be asked after. */
  isAvailable(): boolean;
  /** Has the tools that ask after jobs shown. */
  expose(): void;
}

/** Whether any call may go on behind its answer. */
export function hasJobs(
  { background }: { readonly background?: BackgroundJobs | undefined },
): boolean {
  return background !== undefined && background.jobs.isOpen && background.isAvailable();
}

/** Milliseconds after which calls of `tool` go on behind an answer; nothing where they never do. */
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

/** The schema of results that `tool` may promise: an answer behind which it goes on does not fit. */
export function promisedSchema(
  background: BackgroundJobs | undefined,
  tool: Tool,
): ObjectSchema | undefined {
  if (tool.output === undefined) return undefined;
  return backgroundAfter(background, tool) === undefined ? tool.output : undefined;
}
