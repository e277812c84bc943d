/** Formats groups as a table for `climax build` and `climax groups`. */

import type { GroupsFile } from "../agents/groups.ts";

/** Header and rows, one for each group. */
export function groupsTable({ groups }: GroupsFile): [header: string[], rows: string[][]] {
  return [
    ["ID", "TOOLS", "SCORE", "FROM", "DESCRIPTION"],
    groups.map(({ id, tools, complementarityScore: score, description }) => [
      id,
      String(tools.length),
      score === undefined ? "" : score.toFixed(2),
      [...new Set(tools.map(({ serverName }) => serverName))].join(", "),
      description,
    ]),
  ];
}
