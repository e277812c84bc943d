/** The summary of a catalogue: its programs and servers, with their numbers of tools. */

import { type AbsentOwner, isBuiltin, type Owner, type Tool } from "../tool/tool.ts";

/** One program or server in the summary, keys as the tool contracts have them. */
export interface CliSummary {
  readonly name: string;
  readonly description: string;
  readonly tool_count: number;
  readonly category: string | null;
  readonly tags: readonly string[];
}

/** The owners of `tools` in load order, then those of which no tool is known, with the reason as description. */
export function summaryOf(tools: readonly Tool[], absent: readonly AbsentOwner[]): CliSummary[] {
  const owners = new Map<string, { owner: Owner; count: number }>();
  for (const { owner } of tools.filter((tool) => !isBuiltin(tool))) {
    const known = owners.get(owner.name);
    if (known === undefined) owners.set(owner.name, { owner, count: 1 });
    else known.count++;
  }
  for (const owner of absent) {
    const described = { ...owner, description: owner.explain() };
    if (!owners.has(owner.name)) owners.set(owner.name, { owner: described, count: 0 });
  }
  return [...owners.values()].map(({ owner, count }) => ({
    name: owner.name,
    description: owner.description,
    tool_count: count,
    category: owner.category ?? null,
    tags: owner.tags,
  }));
}

/** The names of the servers among the owners: what is not a command-line program. */
export function serverNames(
  tools: readonly Tool[],
  absent: readonly AbsentOwner[],
): ReadonlySet<string> {
  const owners = [...tools.map(({ owner }) => owner), ...absent];
  return new Set(owners.filter(({ isServer }) => isServer === true).map(({ name }) => name));
}
