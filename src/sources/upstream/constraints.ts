/** The limits of proposed groups in the data model (entity 5). */

import type { Finding } from "../../files/finding.ts";
import type { ProjectFile } from "./schema.ts";

/** With defaults applied. */
export interface GroupingConstraints {
  readonly minToolsPerGroup: number;
  readonly maxToolsPerGroup: number;
  readonly minGroups: number;
  readonly maxGroups: number;
}

const defaults: GroupingConstraints = {
  minToolsPerGroup: 5,
  maxToolsPerGroup: 20,
  minGroups: 3,
  maxGroups: 10,
};

export function constraintDefaults(
  written: ProjectFile["groupingConstraints"] = {},
): GroupingConstraints {
  const given = Object.entries(written).filter(([, value]) => value !== undefined);
  return { ...defaults, ...Object.fromEntries(given) };
}

/** Limits that contradict each other; `written` may fail the schema. */
export function checkConstraints(written: unknown): Finding[] {
  const valueOf = (key: keyof GroupingConstraints) => {
    const value = (written as Record<string, unknown> | null)?.[key];
    return typeof value === "number" ? value : defaults[key];
  };
  const pairs = [["minToolsPerGroup", "maxToolsPerGroup"], ["minGroups", "maxGroups"]] as const;
  return pairs.flatMap(([least, most]) => {
    if (valueOf(most) >= valueOf(least)) return [];
    const given = (written as Record<string, unknown> | null)?.[most] === undefined ? least : most;
    const message = `'${most}' (${valueOf(most)}) is less than '${least}' (${valueOf(least)})`;
    return [{ path: ["groupingConstraints", given], message }];
  });
}
