/** Decides which calls may continue in the background, and after how long. */

import { declaresOthers } from "../tool/annotations.ts";
import { splitAlias } from "../tool/aliases.ts";
import { isBuiltin, type ObjectSchema, type Tool } from "../tool/tool.ts";
import type { Jobs } from "../jobs/jobs.ts";

export interface BackgroundJobs {
  readonly jobs: Jobs;
  /** Milliseconds after which a call becomes a job, if its tool names no shorter time; 0: only tools decide. */
  readonly softTimeoutMs: number;
  isAvailable(): boolean;
  expose(): void;
}

export function hasJobs(
  { background }: { readonly background?: BackgroundJobs | undefined },
): boolean {
  return background !== undefined && background.jobs.isOpen && background.isAvailable();
}

/** Most clients give up after 60 s, and sending the answer takes time. */
export const maxSoftMs = 45_000;

/** Returns milliseconds; nothing if the call never becomes a job. `isAsked`: the caller asked for a job. */
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

/** Returns whether the client stopped waiting, at its timeout or without a connection, though no person cancelled. */
export function isGivenUp(signal: AbortSignal | undefined): boolean {
  return /-32001|timed?[ -]?out|disconnected/i.test(String(signal?.reason));
}

export const jobKey = "background";

/** An argument may have the name of {@linkcode jobKey}, and the answer of a job fits no output schema. */
export function takesJobKey(background: BackgroundJobs | undefined, tool: Tool): boolean {
  return backgroundAfter(background, tool, true) !== undefined && !declaresOthers(tool) &&
    schemaOfBackground(background, tool) === undefined &&
    !tool.args.some(({ name, aliases = [] }) =>
      [name, ...aliases.flatMap(splitAlias)].includes(jobKey)
    );
}

/** Returns the output schema that clients see; nothing if the answer may be a job, which does not fit the schema. */
export function schemaOfBackground(
  background: BackgroundJobs | undefined,
  tool: Tool,
): ObjectSchema | undefined {
  if (tool.output === undefined) return undefined;
  return backgroundAfter(background, tool) === undefined ? tool.output : undefined;
}
