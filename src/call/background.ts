/** Decides which calls may continue in the background, and after how long. */

import { declaresOthers } from "../tool/annotations.ts";
import { splitAlias } from "../tool/value.ts";
import { isBuiltin, type ObjectSchema, type Tool } from "../tool/tool.ts";
import type { Jobs } from "../jobs/jobs.ts";

/** The background jobs of a session. */
export interface BackgroundJobs {
  readonly jobs: Jobs;
  /** Milliseconds, at most {@linkcode maxSoftMs}, also for tools that say more; 0: what each tool says. */
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

/** Longest soft timeout, in milliseconds: most clients give up after 60 s, and the answer takes its time. */
export const maxSoftMs = 45_000;

/**
 * Milliseconds after which a call of `tool` continues in the background; `undefined`: never. `isAsked`: the call asks for
 * a job at once.
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
  // A config says 0 for never
  if (ownMs === 0 || softMs === Infinity) return undefined;
  return Math.min(softMs, maxSoftMs) < tool.timeoutMs ? Math.min(softMs, maxSoftMs) : undefined;
}

/** True if a client waits no longer, though no person need have stopped the call: at its time-out, or without connection. */
export function isGivenUp(signal: AbortSignal | undefined): boolean {
  return /-32001|timed?[ -]?out|disconnected/i.test(String(signal?.reason));
}

/** Asks for a job at once, beside the arguments of a call. */
export const jobKey = "background";

/** True if a call of `tool` may have {@linkcode jobKey}: it is no argument of its own, and no promised values are lost. */
export function takesJobKey(background: BackgroundJobs | undefined, tool: Tool): boolean {
  return backgroundAfter(background, tool, true) !== undefined && !declaresOthers(tool) &&
    schemaOfBackground(background, tool) === undefined &&
    !tool.args.some(({ name, aliases = [] }) =>
      [name, ...aliases.flatMap(splitAlias)].includes(jobKey)
    );
}

/** The output schema that clients are told; none where the answer may be that of a job, which does not fit it. */
export function schemaOfBackground(
  background: BackgroundJobs | undefined,
  tool: Tool,
): ObjectSchema | undefined {
  if (tool.output === undefined) return undefined;
  return backgroundAfter(background, tool) === undefined ? tool.output : undefined;
}
