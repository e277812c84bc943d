/** START HERE for sub-agents: makes a catalogue of agents from groups, with their runner. */

import { type CallContext, callContext } from "../call/context.ts";
import { Catalog } from "../catalog/catalog.ts";
import { ToolTable } from "../catalog/tool_table.ts";
import type { Problem } from "../errors.ts";
import type { ToolSource } from "../sources/source.ts";
import type { GroupsFile } from "./groups.ts";
import { agentRunner, type AgentRunnerOptions } from "./runner.ts";
import { agentKind } from "./source.ts";
import { agentTools } from "./tools.ts";

/** Sub-agents as a source of tools. The caller closes the runner. */
export interface AgentToolSource extends ToolSource {
  /** The agents as tools. Only the audit log is shared with the other catalogue. */
  readonly context: CallContext;
  readonly warnings: readonly Problem[];
}

/** Makes each group of `groups`, from the file `file`, a sub-agent. The agents follow changes of the catalogue. */
export function openAgents(
  groups: GroupsFile,
  file: string,
  options: AgentRunnerOptions,
): AgentToolSource {
  const { context: base, budget: { timeoutMs } } = options;
  const make = () => agentTools(groups, base.index, { file, timeoutMs });
  const { tools, warnings } = make();
  const runner = agentRunner(options);
  const catalog = Catalog.of(new ToolTable(tools));
  const context = callContext(catalog, {
    runners: new Map([[agentKind, runner]]),
    audit: base.audit,
  });
  const subscribe = (onChange: () => void) => void base.catalog.subscribe(onChange);
  subscribe(() => catalog.replace(new ToolTable(make().tools)));
  const load = () => Promise.resolve({ ...make(), problems: [], unreadable: false });
  return { kind: agentKind, context, warnings, runner, load, subscribe };
}
