/** Collects what serving needs of the runners of a session. */

import type { Permissions, Runner } from "../tool/runner.ts";
import type { Tool } from "../tool/tool.ts";
import type { LoadedSession } from "./load.ts";

/** Returns what one of `all` needs. */
export function allPermissions(all: readonly Permissions[]): Permissions {
  return { net: all.some(({ net }) => net), write: all.some(({ write }) => write) };
}

/** Returns the runners that have tools or are always active, each with its tools. */
export function runnersWithTools(
  { tools, runners }: Pick<LoadedSession, "tools" | "runners">,
): (readonly [runner: Runner, tools: readonly Tool[]])[] {
  const byKind = Map.groupBy(tools, ({ source }) => source.kind);
  return [...runners].flatMap(([kind, runner]) => {
    const own = byKind.get(kind);
    return own !== undefined || runner.alwaysActive ? [[runner, own ?? []] as const] : [];
  });
}
