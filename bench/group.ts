/** How good groupings are, and what building and serving them costs. */

import { join } from "node:path";
import { buildOffline } from "../src/agents/group_build.ts";
import { feasibleLimits, type GroupDraft, type GroupLimits } from "../src/agents/group_draft.ts";
import { proposeGroups } from "../src/agents/group_propose.ts";
import { findCredential } from "../src/agents/llm/credential.ts";
import { openModel } from "../src/agents/llm/model.ts";
import { type LlmSettings, modelName, providerTypes } from "../src/agents/llm/settings.ts";
import { openSession } from "../src/session/session.ts";
import { bundledConfigs } from "../src/sources/command/bundled.ts";
import type { Tool } from "../src/tool/tool.ts";

/** The data model's limits, entity 5. */
const limits: GroupLimits = {
  minToolsPerGroup: 5,
  maxToolsPerGroup: 20,
  minGroups: 3,
  maxGroups: 10,
};

/** One grouping of one catalogue. */
export interface GroupingQuality {
  readonly catalogue: string;
  readonly tools: number;
  readonly groups: number;
  /** Adjusted Rand index with the natural groups, 1 being the same. */
  readonly ari: number;
  /** The index of the natural groups cut to the limits: what can be reached at best, nearly. */
  readonly "ari within limits": number;
  /** Share of multi-tool requests that one group can serve whole. */
  readonly "served whole"?: number;
}

/** Real servers whose tools are listed without any account. */
const servers: readonly (readonly [name: string, specifier: string, ...args: string[]])[] = [
  ["filesystem", "npm:@modelcontextprotocol/server-filesystem@2026.8.31", "."],
  ["memory", "npm:@modelcontextprotocol/server-memory@2026.8.31"],
  ["everything", "npm:@modelcontextprotocol/server-everything@2026.8.31"],
  ["playwright", "npm:@playwright/mcp@0.0.83"],
  ["chrome", "npm:chrome-devtools-mcp@1.11.0"],
];

/** Groups the catalogues offline, and with a model where there is a key for one. */
export async function groupingQualities(directory: string): Promise<GroupingQuality[]> {
  const requests = await readRequests();
  const model = await anyModel();
  const catalogues: [string, readonly Tool[], Request[]][] = [
    ["bundled configs", await toolsOf({ configs: [...bundledConfigs.keys()] }), requests],
    ["five servers", await toolsOf({ configs: [], mcp: [await writeServers(directory)] }), []],
  ];
  const rows: GroupingQuality[] = [];
  for (const [name, tools, own] of catalogues) {
    // Without a network there are no servers
    if (tools.length === 0) continue;
    // Nothing may depend on tools of one server standing together
    const shuffled = tools.toSorted((a, b) => scramble(a.name) - scramble(b.name));
    const offline = buildOffline(shuffled, limits).file.groups.map((group) => {
      return group.tools.map((tool) => tool.name);
    });
    rows.push(rowOf(`${name}, offline`, shuffled, offline, own));
    const blind = shuffled.map((tool) => ({
      ...tool,
      owner: { name: "-", description: "", tags: [] },
    }));
    const unowned = buildOffline(blind, limits).file.groups.map((group) => {
      return group.tools.map((tool) => tool.name);
    });
    rows.push(rowOf(`${name}, offline, owners hidden`, shuffled, unowned, own));
    if (model === undefined) continue;
    const { groups } = await proposeGroups(shuffled, {
      ...model,
      limits: feasibleLimits(limits, shuffled.length).limits,
      project: { files: [] },
    });
    rows.push(rowOf(`${name}, ${model.name}`, shuffled, groups.map((each) => each.tools), own));
  }
  return rows;
}

interface Request {
  readonly want: readonly (readonly string[])[];
}

async function readRequests(): Promise<Request[]> {
  const path = new URL("../tests/setup/requests.jsonl", import.meta.url);
  return (await Deno.readTextFile(path)).trim().split("\n").map((line) => JSON.parse(line));
}

async function toolsOf(options: Parameters<typeof openSession>[0]): Promise<readonly Tool[]> {
  await using session = await openSession(options);
  return session.index.tools;
}

async function writeServers(directory: string): Promise<string> {
  const mcpServers = servers.map(([name, ...words]) => ({
    name,
    transport: "stdio",
    command: Deno.execPath(),
    args: ["run", "--quiet", "--no-lock", "-A", ...words],
    timeout: 120,
  }));
  const path = join(directory, "tamamo-x.config.json");
  const config = { version: "1.0.0", mcpServers, llmProvider: { type: "openai" } };
  await Deno.writeTextFile(path, JSON.stringify(config));
  return path;
}

/** A model whose key is in a variable. */
async function anyModel() {
  const environment = (name: string) => Deno.env.get(name);
  for (const type of providerTypes.slice(0, 3)) {
    const settings: LlmSettings = { type, credentialSource: "env-var" };
    const found = await findCredential(settings, { environment });
    if (!found.ok) continue;
    const model = await openModel(settings, found.credential, environment);
    return { model, name: modelName(settings) };
  }
  return undefined;
}

function rowOf(
  catalogue: string,
  tools: readonly Tool[],
  groups: readonly GroupDraft["tools"][],
  requests: readonly Request[],
): GroupingQuality {
  const names = tools.map(({ name }) => name);
  const natural = tools.map(({ owner }) => owner.name);
  const found = names.map((name) => String(groups.findIndex((group) => group.includes(name))));
  const whole = requests.filter(({ want }) => {
    return groups.some((group) => {
      return want.every((names) => names.some((name) => group.includes(name)));
    });
  });
  return {
    catalogue,
    tools: tools.length,
    groups: groups.length,
    ari: adjustedRand(natural, found),
    "ari within limits": adjustedRand(natural, cut(natural)),
    ...(requests.length === 0 ? {} : { "served whole": whole.length / requests.length }),
  };
}

/** Each natural group in as few parts of equal size as the limits ask for. */
function cut(natural: readonly string[]): string[] {
  const seen = new Map<string, number>();
  return natural.map((owner) => {
    const total = natural.filter((each) => each === owner).length;
    const size = Math.ceil(total / Math.ceil(total / limits.maxToolsPerGroup));
    const index = seen.get(owner) ?? 0;
    seen.set(owner, index + 1);
    return `${owner} ${Math.floor(index / size)}`;
  });
}

/** Agreement of two partitions beyond chance (Hubert and Arabie, 1985). */
export function adjustedRand(a: readonly string[], b: readonly string[]): number {
  const pairs = (count: number) => count * (count - 1) / 2;
  const within = (labels: readonly string[]) => {
    const counts = Map.groupBy(labels, (label) => label).values().map(({ length }) => length);
    return counts.reduce((sum, count) => sum + pairs(count), 0);
  };
  const both = within(a.map((label, index) => `${label}\0${b[index]}`));
  const [first, second] = [within(a), within(b)];
  const expected = first * second / pairs(a.length);
  return (both - expected) / ((first + second) / 2 - expected);
}

/** An order that is always the same and has nothing to do with the alphabet. */
function scramble(name: string): number {
  let hash = 2166136261;
  for (const byte of new TextEncoder().encode(name)) hash = Math.imul(hash ^ byte, 16777619) >>> 0;
  return hash;
}
