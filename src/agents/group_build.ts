/** Makes the groups of `.tamamo-x/groups.json` within their limits, by proposals of a model or without a model. */

import {
  type GroupedTool,
  type GroupsFile,
  groupsVersion,
  maxIdLength,
  type ToolGroup,
  toolHash,
} from "./groups.ts";
import type { Tool } from "../tool/tool.ts";
import {
  feasibleLimits,
  findWordingProblems,
  type GroupDraft,
  type GroupLimits,
  groupProblems,
} from "./group_draft.ts";
import type { GroupProposal } from "./group_propose.ts";
import { Likeness, maxComparedTools, type RepairedGroup, repairGroups } from "./group_repair.ts";
import promptTemplate from "./prompts/offline_agent.md" with { type: "text" };
import { excerpt, listNames } from "../text/excerpt.ts";
import { FileError } from "../errors.ts";
import { climax } from "../process/own_command.ts";

/** The value of `proposedBy` for groups made without a model. */
export const offline = "offline";

export interface BuiltGroups {
  readonly file: GroupsFile;
  readonly changes: readonly string[];
  readonly warnings: readonly string[];
}

/** Makes groups by owners and names of tools. @throws {ClimaxError} if there are no tools, or too many */
export function buildOffline(tools: readonly Tool[], asked: GroupLimits): BuiltGroups {
  refuseCount(tools);
  const { limits, warnings } = feasibleLimits(asked, tools.length);
  const drafts = groupOffline(tools, limits);
  return { file: fileOf(drafts, tools, offline), changes: [], warnings };
}

interface Proposer {
  readonly name: string;
  /** Asks the model for groups within `limits`, which can be met. */
  readonly propose: (limits: GroupLimits) => Promise<GroupProposal>;
}

/** Makes the groups that `proposer` proposes, within limits. @throws {ClimaxError} for no tools, or too many */
export async function buildProposed(
  tools: readonly Tool[],
  asked: GroupLimits,
  proposer: Proposer,
): Promise<BuiltGroups & { readonly proposal: GroupProposal }> {
  refuseCount(tools);
  const { limits, warnings } = feasibleLimits(asked, tools.length);
  const proposal = await proposer.propose(limits);
  if (proposal.groups.length === 0) {
    const drafts = groupOffline(tools, limits);
    const changes = ["no answer of the model could be read: grouped by owners and names instead"];
    return { file: fileOf(drafts, tools, offline), changes, warnings, proposal };
  }
  const { drafts, changes } = proposal.problems.length === 0
    ? { drafts: proposal.groups, changes: [] }
    : mendGroups(proposal.groups, tools, limits);
  return { file: fileOf(drafts, tools, proposer.name), changes, warnings, proposal };
}

/** Updates the groups of `previous`: removes tools that are gone, and places new ones. */
export function buildReused(
  tools: readonly Tool[],
  asked: GroupLimits,
  previous: GroupsFile,
): BuiltGroups {
  refuseCount(tools);
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const likeness = new Likeness(tools);
  const changes: string[] = [];
  const groups = previous.groups.map((group) => {
    const names = group.tools.map(({ name }) => name).filter((name) => byName.has(name));
    const missing = group.tools.length - names.length;
    if (missing > 0) changes.push(`'${group.name}' loses ${missing} of its tools: they are gone`);
    return { group, names };
  }).filter(({ names }) => names.length > 0);

  const placed = new Set(groups.flatMap(({ names }) => names));
  const unplaced: Tool[] = [];
  for (const tool of tools.filter(({ name }) => !placed.has(name))) {
    const open = groups.filter(({ names }) => names.length < asked.maxToolsPerGroup);
    const best = open.toSorted((a, b) => {
      return likeness.toGroup(tool.name, b.names) - likeness.toGroup(tool.name, a.names);
    })[0];
    if (best === undefined) unplaced.push(tool);
    else {
      best.names.push(tool.name);
      changes.push(`'${tool.name}' is new: placed in '${best.group.name}'`);
    }
  }
  const whole: ToolGroup[] = groups.map(({ group, names }) => {
    return { ...group, tools: toolsOf(names, byName) };
  });
  if (unplaced.length > 0) {
    const { limits } = feasibleLimits({ ...asked, minGroups: 1 }, unplaced.length);
    const made = groupsOf(groupOffline(unplaced, limits), unplaced, whole);
    whole.push(...made);
    changes.push(`${unplaced.length} new tools are in new groups: the others are full`);
  }
  const drafts = whole.map((group) => ({ ...group, tools: group.tools.map(({ name }) => name) }));
  const warnings = groupProblems(drafts, new Set(byName.keys()), asked);
  return { file: { ...previous, groups: whole }, changes, warnings };
}

/** Moves tools between proposed groups until they meet the limits, and describes changed groups again. */
function mendGroups(proposed: readonly GroupDraft[], tools: readonly Tool[], limits: GroupLimits) {
  const likeness = new Likeness(tools);
  const names = tools.map(({ name }) => name);
  const repair = repairGroups(proposed, { names, limits, likeness });
  const { groups } = repair;
  const changes = [...repair.changes];
  const described = describeGroups(groups, tools, likeness);
  const taken = new Set<string>();
  const drafts = groups.map((group, index) => {
    const reworked = rewordDraft(group, proposed, described[index]!, taken);
    taken.add(reworked.draft.name.trim().toLowerCase());
    changes.push(...reworked.changes);
    return reworked.draft;
  });
  return { drafts, changes };
}

function rewordDraft(
  { draft, tools }: RepairedGroup,
  proposed: readonly GroupDraft[],
  described: GroupDraft,
  taken: ReadonlySet<string>,
): { draft: GroupDraft; changes: string[] } {
  const own = draft === undefined ? undefined : proposed[draft]!;
  const isFree = (name: string) => !taken.has(name.trim().toLowerCase());
  if (own !== undefined && isFree(own.name) && findWordingProblems(own).length === 0) {
    const { complementarityScore: score } = own;
    const isScore = score !== undefined && score >= 0 && score <= 1;
    const changes = score === undefined || isScore
      ? []
      : [`the score ${score} of '${own.name}' is not from 0 to 1: it has none instead`];
    return { draft: { ...own, tools, complementarityScore: isScore ? score : undefined }, changes };
  }
  let name = own !== undefined && /[\p{L}\p{N}]/u.test(own.name) ? own.name : described.name;
  for (let number = 2; !isFree(name); number++) name = `${described.name} ${number}`;
  const systemPrompt = described.systemPrompt.replaceAll(described.name, () => name);
  const changes = own === undefined ? [] : [`the words of '${name}' are made up from its tools`];
  return { draft: { ...described, name, systemPrompt, tools }, changes };
}

/** Makes one group for each owner, and splits and merges the groups until they meet the limits. */
export function groupOffline(tools: readonly Tool[], limits: GroupLimits): GroupDraft[] {
  const sorted = tools.toSorted((a, b) => a.name < b.name ? -1 : 1);
  const proposals = Map.groupBy(sorted, ({ owner }) => owner.name).values().map((own) => {
    return { name: own[0]!.owner.name, tools: own.map(({ name }) => name) };
  }).toArray();
  const names = sorted.map(({ name }) => name);
  const likeness = new Likeness(tools);
  const { groups } = repairGroups(proposals, { names, limits, likeness });
  return describeGroups(groups, tools, likeness);
}

/** Makes names, descriptions and prompts for groups. No two groups get the same name. */
function describeGroups(
  groups: readonly RepairedGroup[],
  tools: readonly Tool[],
  likeness: Likeness,
): GroupDraft[] {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const taken = new Set<string>();
  return groups.map(({ tools: names }) => {
    const own = names.map((name) => byName.get(name)!);
    const others = tools.filter(({ name }) => !names.includes(name));
    const name = nameOf(own, others, { likeness, taken });
    taken.add(name.toLowerCase());
    const description = descriptionOf(own);
    const values: Record<string, string> = {
      ...{ name, description, tools: excerpt(names.join(", "), 1000) },
    };
    const systemPrompt = promptTemplate.replace(/\{(\w+)\}/g, (whole, key) => values[key] ?? whole);
    return { name, description, systemPrompt: systemPrompt.trim(), tools: names };
  });
}

/** Names a group after its owners, and also after its most frequent topics if other groups have the same owners. */
function nameOf(
  own: readonly Tool[],
  others: readonly Tool[],
  { likeness, taken }: { readonly likeness: Likeness; readonly taken: ReadonlySet<string> },
): string {
  const owners = ownersOf(own);
  const first = listNames(owners.map(titleCase), 3);
  const topics = mostFrequent(own.map(({ name }) => likeness.topicOf(name))).slice(0, 2)
    .map(titleCase).join(", ");
  const isShared = topics !== "" && others.some(({ owner }) => owners.includes(owner.name));
  const base = isShared ? `${first}: ${topics}` : first;
  for (let number = 1;; number++) {
    const name = number === 1 ? base : `${base} ${number}`;
    if (!taken.has(name.toLowerCase())) return name;
  }
}

function mostFrequent(texts: readonly string[]): string[] {
  return [...Map.groupBy(texts.filter(Boolean), (text) => text)]
    .toSorted(([a, { length: m }], [b, { length: n }]) => n - m || (a < b ? -1 : 1))
    .map(([text]) => text);
}

/** Describes the tools of a group. Clients choose a group by this text, so names of tools are in it. */
function descriptionOf(own: readonly Tool[]): string {
  const owners = ownersOf(own);
  const about = own[0]!.owner.description.trim().replace(/\.$/, "");
  const words = owners.length === 1 && about !== "" ? ` (${excerpt(about, 100)})` : "";
  const names = excerpt(own.map(({ name }) => name).toSorted().join(", "), 150);
  return `Works with ${listNames(owners, 3)}${words}. Has the tools ${names}`;
}

function ownersOf(tools: readonly Tool[]): string[] {
  return mostFrequent(tools.map(({ owner }) => owner.name));
}

function titleCase(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

function fileOf(
  drafts: readonly GroupDraft[],
  tools: readonly Tool[],
  proposedBy: string,
): GroupsFile {
  return { version: groupsVersion, proposedBy, groups: groupsOf(drafts, tools, []) };
}

/** Makes groups from drafts, sorted by id, with sorted tools. No id is one of `others`. */
function groupsOf(
  drafts: readonly GroupDraft[],
  tools: readonly Tool[],
  others: readonly ToolGroup[],
): ToolGroup[] {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const taken = new Set(others.map(({ id }) => id));
  const sorted = drafts.toSorted((a, b) => a.name < b.name ? -1 : 1);
  return sorted.map(({ name, description, systemPrompt, complementarityScore, tools: names }) => {
    const id = idOf(name, taken);
    taken.add(id);
    return {
      id,
      name: name.trim(),
      description: description.trim(),
      systemPrompt: systemPrompt.trim(),
      ...(complementarityScore === undefined ? {} : { complementarityScore }),
      tools: toolsOf(names, byName),
    };
  }).toSorted((a, b) => a.id < b.id ? -1 : 1);
}

function toolsOf(names: readonly string[], byName: ReadonlyMap<string, Tool>): GroupedTool[] {
  return names.toSorted().map((name) => {
    const tool = byName.get(name)!;
    return { name, serverName: tool.owner.name, hash: toolHash(tool) };
  });
}

/** Makes an id from the name: its letters and digits or `group`, with a number if another group has that id. */
function idOf(name: string, taken: ReadonlySet<string>): string {
  const plain = name.normalize("NFKD").toLowerCase().replace(/[\u0300-\u036f]/g, "");
  const words = plain.replace(/[^a-z0-9]+/g, "_").slice(0, maxIdLength - 4);
  const base = words.replace(/^_|_$/g, "") || "group";
  if (!taken.has(base)) return base;
  for (let number = 2;; number++) {
    if (!taken.has(`${base}_${number}`)) return `${base}_${number}`;
  }
}

function refuseCount({ length }: readonly Tool[]): void {
  if (length > 0 && length <= maxComparedTools) return;
  const message = length === 0
    ? "There are no tools to group"
    : `${length} tools are too many to group: at most ${maxComparedTools}`;
  const hint = length === 0
    ? `${climax()} list shows the tools of a config`
    : "Leave some out by a policy: --policy FILE";
  throw new FileError("No groups were made", { message, hint });
}
