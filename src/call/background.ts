/** Decides which calls may continue in the background, and after how long. */

import { declaresOthers } from "../tool/annotations.ts";
import { splitAlias } from "../tool/aliases.ts";
import { isBuiltin, type ObjectSchema, type Tool } from "../tool/tool.ts";
import type { Jobs } from "../jobs/jobs.ts";

/** The background jobs of a session. */
export interface BackgroundJobs {
  readonly jobs: Jobs;
  /**
   * The soft timeout in milliseconds, at most {@linkcode maxSoftMs}, of tools that name none or a longer one; 0:
   * each tool decides.
   */
  readonly softTimeoutMs: number;
  /** Returns whether the tools that read jobs may be called. */
  isAvailable(): boolean;
  expose(): void;
}

export function hasJobs(
  { background }: { readonly background?: BackgroundJobs | undefined },
): boolean {
  return background !== undefined && background.jobs.isOpen && background.isAvailable();
}

/** The longest soft timeout, in milliseconds: most clients give up after 60 s, and the answer takes its time. */
export const maxSoftMs = 45_000;

/**
 * Returns the milliseconds after which a call continues in the background; `undefined`: never. `isAsked`: it asks for a
 * job at once.
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
  // 0 in a config means never
  if (ownMs === 0 || softMs === Infinity) return undefined;
  return Math.min(softMs, maxSoftMs) < tool.timeoutMs ? Math.min(softMs, maxSoftMs) : undefined;
}

/**
 * Returns whether the client stopped waiting without a person's wish: at its timeout, or because its connection was
 * lost.
 */
export function isGivenUp(signal: AbortSignal | undefined): boolean {
  return /-32001|timed?[ -]?out|disconnected/i.test(String(signal?.reason));
}

/** A call that asks for a job at once has this key beside its arguments. */
export const jobKey = "background";

/** Returns whether a call may have {@linkcode jobKey}: no argument has that name, and no promised values are lost. */
export function takesJobKey(background: BackgroundJobs | undefined, tool: Tool): boolean {
  return backgroundAfter(background, tool, true) !== undefined && !declaresOthers(tool) &&
    schemaOfBackground(background, tool) === undefined &&
    !tool.args.some(({ name, aliases = [] }) =>
      [name, ...aliases.flatMap(splitAlias)].includes(jobKey)
    );
}

/** Returns the output schema that clients see; nothing if the answer may be a job, which would not fit it. */
export function schemaOfBackground(
  background: BackgroundJobs | undefined,
  tool: Tool,
): ObjectSchema | undefined {
  if (tool.output === undefined) return undefined;
  return backgroundAfter(background, tool) === undefined ? tool.output : undefined;
}
