/** Summarizes a catalogue: programs and servers with their numbers of tools. */

import { type AbsentOwner, isBuiltin, type Owner, type Tool } from "../tool/tool.ts";

/** A program or server in the answer to an empty search, with the JSON keys of MCP Tool Contracts (2026-02-21). */
export interface CliSummary {
  readonly name: string;
  readonly description: string;
  readonly tool_count: number;
  readonly category: string | null;
  readonly tags: readonly string[];
  readonly prompt_count?: number;
  readonly resource_count?: number;
}

interface Counts {
  readonly owner: Owner;
  tools: number;
  prompts: number;
  resources: number;
}

export function summaryOf(tools: readonly Tool[], absent: readonly AbsentOwner[]): CliSummary[] {
  const all = new Map<string, Counts>();
  const countsOf = (owner: Owner) => {
    return all.getOrInsert(owner.name, { owner, tools: 0, prompts: 0, resources: 0 });
  };
  for (const tool of tools) {
    if (isBuiltin(tool)) continue;
    const counts = countsOf(tool.owner);
    if (tool.feature === undefined) counts.tools++;
    else if (tool.feature.kind === "prompt") counts.prompts++;
    else counts.resources++;
  }
  const hasFailed = ({ hasFailed = false }: AbsentOwner) => Number(hasFailed);
  for (const owner of absent.toSorted((one, other) => hasFailed(one) - hasFailed(other))) {
    if (!all.has(owner.name)) countsOf({ ...owner, description: owner.explain() });
  }
  return [...all.values()].map(({ owner, tools, prompts, resources }) => ({
    name: owner.name,
    description: owner.description,
    tool_count: tools,
    category: owner.category ?? null,
    tags: owner.tags,
    ...(prompts === 0 ? {} : { prompt_count: prompts }),
    ...(resources === 0 ? {} : { resource_count: resources }),
  }));
}
