/** Serves the tools of groups themselves, each with its group as category, for the model of a client. */

import { type CallContext, scopedContext } from "../call/context.ts";
import { ToolTable } from "../catalog/tool_table.ts";
import { isBuiltin, type Tool } from "../tool/tool.ts";
import type { GroupsFile } from "./groups.ts";
import { toolsOfGroup } from "./tools.ts";

/** A context with the tools of `groups` only. It follows changes of `context`. */
export function groupedContext(context: CallContext, groups: GroupsFile): CallContext {
  const make = (index: ToolTable) => {
    return new ToolTable([...groupedTools(groups, index), ...index.tools.filter(isBuiltin)]);
  };
  return scopedContext(context, { make }).context;
}

/** A tool of two groups is in the first one. */
function groupedTools({ groups }: GroupsFile, index: ToolTable): Tool[] {
  const seen = new Set<string>();
  return groups.flatMap((group) => {
    return toolsOfGroup(group, index).flatMap((tool) => {
      if (seen.has(tool.name)) return [];
      seen.add(tool.name);
      const tags = [...new Set([...tool.owner.tags, group.id])];
      return [{ ...tool, owner: { ...tool.owner, category: group.name, tags } }];
    });
  });
}
