/** Decides which calls may become background jobs, and after how long. */

import { declaresOthers } from "../tool/annotations.ts";
import { splitAlias } from "../tool/aliases.ts";
import { isBuiltin, type ObjectSchema, type Tool } from "../tool/tool.ts";
import type { Jobs } from "../jobs/jobs.ts";

export interface BackgroundJobs {
  readonly jobs: Jobs;
  /** A call becomes a job after this many milliseconds, or sooner if its tool says so. 0: only tools say when. */
  readonly softTimeoutMs: number;
  isAvailable(): boolean;
  expose(): void;
}

export function hasJobs(
  { background }: { readonly background?: BackgroundJobs | undefined },
): boolean {
  return background !== undefined && background.jobs.isOpen && background.isAvailable();
}

/**
 * The longest time in milliseconds before a call becomes a job: most clients give up after 60 s, and the answer takes
 * time to arrive.
 */
export const maxSoftMs = 45_000;

/**
 * Returns after how many milliseconds a call becomes a job; `undefined`: never. `isAsked`: the agent asks for a job.
 */
export function backgroundAfter(
  background: BackgroundJobs | undefined,
  tool: Tool,
  isAsked = false,
): number | undefined {
  if (background === undefined || isBuiltin(tool) || tool.background === false) return undefined;
  if (!hasJobs({ background })) return undefined;
  if (tool.background || isAsked) return 0;
  const { softTimeoutMs: ownMs = Infinity } = tool;
  const softMs = Math.min(ownMs, background.softTimeoutMs || Infinity);
  if (ownMs === 0 || softMs === Infinity) return undefined;
  return Math.min(softMs, maxSoftMs) < tool.timeoutMs ? Math.min(softMs, maxSoftMs) : undefined;
}

export function isGivenUp(signal: AbortSignal | undefined): boolean {
  return /-32001|timed?[ -]?out|disconnected/i.test(String(signal?.reason));
}

export const jobKey = "background";

/** Returns whether `background: true` in a call asks for a job: not if the tool has an argument or key of this name. */
export function takesJobKey(background: BackgroundJobs | undefined, tool: Tool): boolean {
  return backgroundAfter(background, tool, true) !== undefined && !declaresOthers(tool) &&
    schemaOfBackground(background, tool) === undefined &&
    !tool.args.some(({ name, aliases = [] }) =>
      [name, ...aliases.flatMap(splitAlias)].includes(jobKey)
    );
}

/** Returns the output schema that clients see; none if a call may become a job, whose first answer does not fit it. */
export function schemaOfBackground(
  background: BackgroundJobs | undefined,
  tool: Tool,
): ObjectSchema | undefined {
  if (tool.output === undefined) return undefined;
  return backgroundAfter(background, tool) === undefined ? tool.output : undefined;
}
