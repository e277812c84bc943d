/** Prompts and resources of a session: those of all sources, under the policy. */

import type { FeatureServices } from "../call/context.ts";
import type { ToolTable } from "../catalog/tool_table.ts";
import { messageOf } from "../errors.ts";
import { log } from "../log.ts";
import type { ToolSource } from "../sources/source.ts";
import type { Tool } from "../tool/tool.ts";

/** `allow` returns a tool that no list has as the policy leaves it; nothing for one that it denies. */
export function featureServices(
  sources: readonly ToolSource[],
  index: () => ToolTable,
  allow: (tool: Tool) => Promise<Tool | undefined>,
): FeatureServices | undefined {
  const own = sources.filter((source) => source.findFeature !== undefined);
  if (own.length === 0) return undefined;
  const findListed = (name: string) => index().feature(name);
  const find: FeatureServices["find"] = async (name, args) => {
    for (const source of own) {
      const found = source.findFeature!(name, args, findListed);
      if (found === undefined) continue;
      const tool = found.isUnlisted ? await allow(found.tool) : found.tool;
      return tool && { tool, args: found.args };
    }
    return undefined;
  };
  return {
    find,
    async subscribe(name, onUpdate, owner) {
      const found = await find(name, {});
      if (found === undefined || found.tool.feature?.isTemplate) return undefined;
      const source = own.find(({ kind }) => kind === found.tool.source.kind);
      return await source?.subscribeResource?.(found.tool, () => {
        // The policy may have changed since
        find(name, {}).then((now) => now && onUpdate(), (error) => log("debug", messageOf(error)));
      }, owner);
    },
    onLog(onLog, owner) {
      const listeners = own.flatMap((source) => source.onLog?.(onLog, owner) ?? []);
      return {
        setLevel: (level) => listeners.forEach((each) => each.setLevel(level)),
        stop: () => listeners.forEach((each) => each.stop()),
      };
    },
  };
}
