/** How a sub-agent is made: what this source keeps in `tool.source`. */

import type { Source, Tool } from "../tool/tool.ts";
import type { ToolGroup } from "./groups.ts";

/** The `kind` of this source's sources. */
export const agentKind = "agent";

/** How a sub-agent is made. */
export interface AgentSource extends Source {
  readonly kind: typeof agentKind;
  readonly group: ToolGroup;
}

/** The source of a tool of this source. */
export function sourceOf(tool: Tool): AgentSource {
  return tool.source as AgentSource;
}
