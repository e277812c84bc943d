/** Catalogues to group. */

import fc from "../_properties.ts";
import type { GroupLimits } from "../../src/agents/group_draft.ts";
import type { Tool } from "../../src/tool/tool.ts";
import { argOf, cliOf, toolOf } from "../_tools.ts";

/** Tools of some servers, each with tools about the subjects it names. */
export function serversTools(servers: Readonly<Record<string, readonly string[]>>): Tool[] {
  return Object.entries(servers).flatMap(([server, subjects]) => {
    return subjects.flatMap((subject) => {
      return ["list", "read", "create", "update", "delete"].map((deed) => {
        return toolOf(`${server}_${deed}_${subject}`, {
          description: `${deed} one ${subject} of the ${server} server`,
          owner: cliOf(server, { description: `A server for ${subjects.join(" and ")}` }),
          args: [argOf(`${subject}_id`)],
        });
      });
    });
  });
}

/** `count` tools of one server, all about different things. */
export function manyTools(count: number): Tool[] {
  return Array.from({ length: count }, (_, index) => {
    const word = `subject${
      index.toString(26).replace(/\d/g, (digit) => "qrstuvwxyz"[Number(digit)]!)
    }`;
    return toolOf(`tool_${index}`, { description: `Handles ${word} in place ${word}` });
  });
}

/** Any limits that contradict nothing. */
export const anyLimits: fc.Arbitrary<GroupLimits> = fc.tuple(
  fc.integer({ min: 1, max: 8 }),
  fc.integer({ min: 0, max: 15 }),
  fc.integer({ min: 1, max: 6 }),
  fc.integer({ min: 0, max: 8 }),
).map(([least, moreTools, groups, moreGroups]) => ({
  minToolsPerGroup: least,
  maxToolsPerGroup: least + moreTools,
  minGroups: groups,
  maxGroups: groups + moreGroups,
}));
