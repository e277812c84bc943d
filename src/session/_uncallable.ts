/** Collects tools that a session knows but does not serve, so that a search can name them with the reason. */

import type { Uncallable } from "../catalog/tool_table.ts";
import { isPolicyName } from "../policy/locate.ts";
import { climax } from "../process/own_command.ts";
import type { LoadResult } from "../sources/source.ts";
import type { Tool, WithheldTool } from "../tool/tool.ts";
import type { SourceOptions } from "./sources.ts";

interface Context extends Pick<SourceOptions, "policy"> {
  /** Returns by name the tools that the policy would serve. */
  readonly allow: (tools: readonly Tool[]) => Promise<ReadonlyMap<string, Tool>>;
}

/** `filtered` has tools that the policy allows and a filter has removed. */
export function uncallableOf(
  { tools, withheld = [] }: LoadResult,
  filtered: readonly WithheldTool[],
  { policy, allow }: Context,
): Uncallable {
  const allowed = async (all: readonly WithheldTool[]) => {
    const names = all.length === 0 ? new Map() : await allow(all.map(({ tool }) => tool));
    return all.filter(({ tool }) => names.has(tool.name));
  };
  return {
    async withheld() {
      const isBundled = typeof policy === "string" && isPolicyName(policy);
      const byEffect = isBundled ? await withheldByEffect(policy, tools) : [];
      return [...filtered, ...await allowed(withheld), ...byEffect];
    },
    async notLoaded() {
      const all = [...tools, ...withheld.map(({ tool }) => tool)];
      return await allowed(await toolsNotLoaded(new Set(all.map(({ owner }) => owner.name))));
    },
  };
}

/** Returns the tools that a bundled policy excludes for their effect. A person's own policy may hide its tools. */
async function withheldByEffect(policy: string, tools: readonly Tool[]): Promise<WithheldTool[]> {
  const { explainDecisions, readPolicy } = await import("../policy/load.ts");
  const read = await readPolicy(policy);
  if (!read.ok) return [];
  const decisions = await explainDecisions(read, tools);
  return tools.flatMap((tool, at) => {
    const { decision } = decisions[at]!;
    if (decision.isServed || decision.rule !== "effects") return [];
    const explanation =
      `Tool '${tool.name}' is withheld by the policy '${policy}': ${decision.reason}\n` +
      "Ask a person to start climax with --policy ask, which asks before each call that changes something";
    return [{ tool, explanation }];
  });
}

let bundled: Promise<LoadResult> | undefined;

/** Returns the tools of the bundled configs that are not `loaded`. */
async function toolsNotLoaded(loaded: ReadonlySet<string>): Promise<WithheldTool[]> {
  const { bundledNames } = await import("../sources/command/bundled.ts");
  const { loadConfigs } = await import("../sources/command/load.ts");
  const { tools } = await (bundled ??= loadConfigs([...bundledNames], () => undefined));
  return tools.filter(({ owner }) => !loaded.has(owner.name)).map((tool) => ({
    tool,
    explanation:
      `The bundled config '${tool.owner.name}' has '${tool.name}': a person can load it, ` +
      `${climax()} connect CLIENT ${tool.owner.name}`,
  }));
}
