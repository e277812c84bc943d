/** The tools of servers that a person has not accepted as they are. */

import { ownProperty } from "../../text/own_property.ts";
import type { Definition } from "./definition.ts";
import { sourceOf } from "./source.ts";
import { withheld, type WithheldTool } from "../../tool/withheld_tool.ts";
import { trustCommand } from "./lock.ts";
import type { ServerState } from "./_pool_members.ts";
import { toolsOf } from "./tools.ts";

/** Those of `states`. A policy decides about a changed tool by what was accepted of it. */
export function withheldTools(states: readonly ServerState[]): WithheldTool[] {
  return states.flatMap(({ spec, listing, comparison, lock }) => {
    const { changed = [], fresh = [] } = comparison ?? {};
    if (listing === undefined || changed.length + fresh.length === 0) return [];
    const accepted = ownProperty(lock?.servers, spec.name)?.tools;
    const isChanged = new Set(changed);
    const names = new Set([...changed, ...fresh]);
    const definitions = listing.definitions.filter(({ name }) => names.has(name))
      .map(({ name, annotations }) => {
        const before = ownProperty(accepted, name)?.definition as Partial<Definition> | undefined;
        const known = before === undefined ? annotations : before.annotations;
        return { name, annotations: known, inputSchema: { type: "object" as const } };
      });
    return toolsOf([{ spec, description: "", definitions }], new Set()).map((tool) => {
      const cause = isChanged.has(sourceOf(tool).tool)
        ? "its definition has changed since it was accepted"
        : "it is new, and was never accepted";
      return withheld(tool, cause, trustCommand(spec));
    });
  });
}
