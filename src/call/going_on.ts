/** Which calls may continue in the background, and after how long. */

import { isBuiltin, type ObjectSchema, type Tool } from "../tool/tool.ts";
import type { Jobs } from "./jobs.ts";

/** What lets the calls of a session go on behind their answers. */
export interface GoingOn {
  readonly jobs: Jobs;
  /** Milliseconds after which calls do of tools that do not say; 0: never. */
  readonly softTimeoutMs: number;
  /** Whether jobs may be asked after. */
  isLeft(): boolean;
  /** Has the tools that ask after jobs shown. */
  show(): void;
}

/** Whether any call may go on behind its answer. */
export function hasJobs({ goingOn }: { readonly goingOn?: GoingOn | undefined }): boolean {
  return goingOn !== undefined && goingOn.jobs.isOpen && goingOn.isLeft();
}

/** Milliseconds after which calls of `tool` go on behind an answer; nothing where they never do. */
export function backgroundAfter(goingOn: GoingOn | undefined, tool: Tool): number | undefined {
  if (goingOn === undefined || isBuiltin(tool) || tool.background === false) return undefined;
  const softMs = tool.softTimeoutMs ?? goingOn.softTimeoutMs;
  const isSoft = softMs > 0 && softMs < tool.timeoutMs;
  if (!(tool.background || isSoft) || !hasJobs({ goingOn })) return undefined;
  return tool.background ? 0 : softMs;
}

/** The schema of results that `tool` may promise: an answer behind which it goes on does not fit. */
export function shownOutput(goingOn: GoingOn | undefined, tool: Tool): ObjectSchema | undefined {
  if (tool.output === undefined) return undefined;
  return backgroundAfter(goingOn, tool) === undefined ? tool.output : undefined;
}
