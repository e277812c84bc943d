/** START HERE for sub-agents: groups over a catalogue → a catalogue of agents, and what calls them. */

import { type CallContext, callContext } from "../../call/context.ts";
import { ToolIndex } from "../../catalog/tool_index.ts";
import { ClimaxError, ExitCode, type Problem } from "../../errors.ts";
import type { GroupsFile } from "./groups.ts";
import { agentRunner, type AgentRunnerOptions } from "./runner.ts";
import { agentKind } from "./source.ts";
import { agentTools } from "./tools.ts";

/** Sub-agents over a catalogue. */
export interface AgentWing {
  /** The agents as tools. It shares nothing with the catalogue's but the audit log. */
  readonly context: CallContext;
  readonly warnings: readonly Problem[];
  /** Resolves when nothing is under way any more. */
  close(): Promise<void>;
}

/**
 * Makes each group of `groups`, which stand in the file the user calls `file`, a sub-agent.
 *
 * @throws {ClimaxError} when no group has a tool that may be called
 */
export function openAgents(
  groups: GroupsFile,
  file: string,
  options: AgentRunnerOptions,
): AgentWing {
  const { context: { index, audit }, budget: { timeoutMs } } = options;
  const { tools, warnings } = agentTools(groups, index, { file, timeoutMs });
  if (tools.length === 0) throw nothingToServe(file, warnings);
  const runner = agentRunner(options);
  return {
    context: callContext(new ToolIndex(tools), { runners: new Map([[agentKind, runner]]), audit }),
    warnings,
    close: () => runner.close(),
  };
}

function nothingToServe(file: string, warnings: readonly Problem[]): ClimaxError {
  const message = "No group has a tool that may be called";
  return new ClimaxError("There is nothing to serve", ExitCode.file, [...warnings, {
    file,
    message,
  }]);
}
