/** The source of a sub-agent, stored in `tool.source`. */

import type { Source, Tool } from "../tool/tool.ts";
import type { ToolGroup } from "./groups.ts";

export const agentKind = "agent";

export interface AgentSource extends Source {
  readonly kind: typeof agentKind;
  readonly group: ToolGroup;
}

export function sourceOf(tool: Tool): AgentSource {
  return tool.source as AgentSource;
}
