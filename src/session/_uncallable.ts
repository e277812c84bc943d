/** Collects tools that a session knows but does not serve, so that a search can name them with the reason. */

import type { Uncallable } from "../catalog/tool_table.ts";
import { isPolicyName } from "../policy/locate.ts";
import { climax } from "../process/own_command.ts";
import type { LoadResult } from "../sources/source.ts";
import type { Tool, WithheldTool } from "../tool/tool.ts";
import type { SourceOptions } from "./sources.ts";

interface Context extends Pick<SourceOptions, "policy"> {
  /** Returns those of `tools` that the policy would serve, by name. */
  readonly allow: (tools: readonly Tool[]) => Promise<ReadonlyMap<string, Tool>>;
}

/** Returns the tools that a search may name. `filtered` are tools that the policy allows and a filter has removed. */
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

/**
 * Returns the tools that the bundled `policy` excludes only because of their effect. A person's own policy may hide
 * what it excludes, so no tool that it excludes is named.
 */
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

/** The tools of all bundled configs, which are the same for each catalogue of the process. */
let bundled: Promise<LoadResult> | undefined;

/** Returns the tools of all bundled configs except those of the programs `loaded`. */
async function toolsNotLoaded(loaded: ReadonlySet<string>): Promise<WithheldTool[]> {
  const { bundledNames } = await import("../sources/command/bundled.ts");
  const { loadConfigs } = await import("../sources/command/load.ts");
  const { tools } = await (bundled ??= loadConfigs([...bundledNames], () => undefined));
  const command = climax();
  return tools.filter(({ owner }) => !loaded.has(owner.name)).map((tool) => ({
    tool,
    explanation:
      `The bundled config '${tool.owner.name}' has '${tool.name}': a person can load it, ` +
      `${command} connect CLIENT ${tool.owner.name}`,
  }));
}
