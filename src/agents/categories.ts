/** Groups for a client's own model: the grouped tools themselves, each in the category of its group. */

import { type CallContext, scopedContext } from "../call/context.ts";
import { ToolIndex } from "../catalog/tool_index.ts";
import { isBuiltin, type Tool } from "../tool/tool.ts";
import type { GroupsFile } from "./groups.ts";
import { toolsOfGroup } from "./tools.ts";

/** `context` with nothing in its catalogue but the tools of `groups`, by group. It follows `context`. */
export function groupedContext(context: CallContext, groups: GroupsFile): CallContext {
  const make = (index: ToolIndex) => {
    return new ToolIndex([...groupedTools(groups, index), ...index.tools.filter(isBuiltin)]);
  };
  return scopedContext(context, { make }).context;
}

/** The tools of every group; one that is in two stands in the first of them. */
function groupedTools({ groups }: GroupsFile, index: ToolIndex): Tool[] {
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
