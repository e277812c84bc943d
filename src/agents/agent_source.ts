/** START HERE for sub-agents: groups over a catalogue → a catalogue of agents, and what calls them. */

import { type CallContext, callContext } from "../call/context.ts";
import { Catalog } from "../catalog/catalog.ts";
import { ToolIndex } from "../catalog/tool_index.ts";
import type { Problem } from "../errors.ts";
import type { Runner } from "../tool/runner.ts";
import type { GroupsFile } from "./groups.ts";
import { agentRunner, type AgentRunnerOptions } from "./runner.ts";
import { agentKind } from "./source.ts";
import { agentTools } from "./tools.ts";

/** Sub-agents over a catalogue. */
export interface AgentToolSource {
  /** The agents as tools. It shares nothing with the catalogue's but the audit log. */
  readonly context: CallContext;
  readonly warnings: readonly Problem[];
  /** To be closed, and asked what it needs. */
  readonly runner: Runner;
}

/**
 * Makes each group of `groups`, which stand in the file the user calls `file`, a sub-agent. When the
 * catalogue changes, so do they.
 */
export function openAgents(
  groups: GroupsFile,
  file: string,
  options: AgentRunnerOptions,
): AgentToolSource {
  const { context: base, budget: { timeoutMs } } = options;
  const make = () => agentTools(groups, base.index, { file, timeoutMs });
  const { tools, warnings } = make();
  const runner = agentRunner(options);
  const catalog = Catalog.of(new ToolIndex(tools));
  const context = callContext(catalog, {
    runners: new Map([[agentKind, runner]]),
    audit: base.audit,
  });
  base.catalog.subscribe(() => catalog.replace(new ToolIndex(make().tools)));
  return { context, warnings, runner };
}
