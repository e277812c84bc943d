/** Makes the groups of tools in `.tamamo-x/groups.json`: as a language model proposes, or by owners and names. */

import {
  type GroupedTool,
  type GroupsFile,
  groupsVersion,
  maxIdLength,
  toolHash,
} from "./groups.ts";
import type { Tool } from "../tool/tool.ts";
import {
  draftOf,
  feasibleLimits,
  type GroupDraft,
  groupKey,
  type GroupLimits,
  groupProblems,
  wordingProblems,
} from "./group_draft.ts";
import type { GroupProposal } from "./group_propose.ts";
import {
  Likeness,
  maxComparedTools,
  placeTools,
  type RepairedGroup,
  repairGroups,
} from "./group_repair.ts";
import promptTemplate from "./prompts/offline_agent.md" with { type: "text" };
import { excerpt, listNames, quote } from "../text/excerpt.ts";
import { FileError } from "../errors.ts";
import { climax } from "../process/own_command.ts";

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
  const { groups, problems } = proposal;
  if (groups.length === 0) {
    const changes = ["no answer of the model could be read: grouped by owners and names instead"];
    return { ...buildOffline(tools, asked), changes, proposal };
  }
  const { drafts, changes } = problems.length === 0
    ? { drafts: groups, changes: [] }
    : repairDrafts(groups, tools, limits);
  return { file: fileOf(drafts, tools, proposer.name), changes, warnings, proposal };
}

export function buildReused(
  tools: readonly Tool[],
  asked: GroupLimits,
  previous: GroupsFile,
): BuiltGroups {
  refuseCount(tools);
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const kept = previous.groups.map((group) => {
    const names = group.tools.map(({ name }) => name);
    return { group, tools: names.filter((name) => byName.has(name)) };
  });
  const groups = kept.filter((each) => each.tools.length > 0);
  if (groups.length === 0) return buildOffline(tools, asked);
  const placed = new Set(groups.flatMap((each) => each.tools));
  const unplaced = tools.map(({ name }) => name).filter((name) => !placed.has(name));
  placeTools(unplaced, groups, { most: asked.maxToolsPerGroup, likeness: new Likeness(tools) });
  const all = groups.map(({ group, tools }) => ({ ...group, tools: toolsOf(tools, byName) }));
  const changes = kept.flatMap(({ group, tools }) => {
    return changesBetween(draftOf(group), { ...draftOf(group), tools });
  });
  const warnings = groupProblems(all.map(draftOf), new Set(byName.keys()), asked);
  return { file: { ...previous, groups: all }, changes, warnings };
}

function repairDrafts(
  proposed: readonly GroupDraft[],
  tools: readonly Tool[],
  limits: GroupLimits,
) {
  const groups = repairGroups(proposed, tools, limits);
  const drafts = describeGroups(groups, tools, proposed);
  const remaining = new Set(groups.map(({ draft }) => draft));
  const changes = [
    ...groups.flatMap(({ draft = -1 }, at) => changesBetween(proposed[draft], drafts[at]!)),
    ...proposed.filter((_, at) => !remaining.has(at)).flatMap((draft) => {
      return changesBetween(draft, { ...draft, tools: [] });
    }),
  ];
  return { drafts, changes };
}

function changesBetween(before: GroupDraft | undefined, after: GroupDraft): string[] {
  const [old, now] = [new Set(before?.tools), new Set(after.tools)];
  const [added, lost] = [now.difference(old), old.difference(now)];
  const list = (names: ReadonlySet<string>) =>
    listNames([...names].map((name) => excerpt(name, 100)), 10);
  const name = quote(after.name);
  if (before === undefined) return [`${name} is new: ${list(added)}`];
  if (now.size === 0) return [`${name} is left out`];
  const isReworded = before.systemPrompt !== after.systemPrompt;
  return [
    ...added.size > 0 ? [`${name} gets ${list(added)}`] : [],
    ...lost.size > 0 ? [`${name} loses ${list(lost)}`] : [],
    ...isReworded ? [`the words of ${name} are made up from its tools`] : [],
  ];
}

export function groupOffline(tools: readonly Tool[], limits: GroupLimits): GroupDraft[] {
  const sorted = tools.toSorted((a, b) => a.name < b.name ? -1 : 1);
  const proposals = Map.groupBy(sorted, ({ owner }) => owner.name).values().map((own) => {
    return { tools: own.map(({ name }) => name) };
  }).toArray();
  const groups = repairGroups(proposals, sorted, limits);
  return describeGroups(groups, tools);
}

function describeGroups(
  groups: readonly RepairedGroup[],
  tools: readonly Tool[],
  proposed: readonly GroupDraft[] = [],
): GroupDraft[] {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const likeness = new Likeness(tools);
  const taken = new Set<string>();
  return groups.map(({ draft = -1, tools: names }) => {
    const said = proposed[draft];
    const isGood = said !== undefined && !taken.has(groupKey(said.name)) &&
      wordingProblems(said).length === 0;
    const own = names.map((name) => byName.get(name)!);
    const described = isGood ? said : describeGroup(own, nameOf(own, likeness, taken));
    taken.add(groupKey(described.name));
    return { ...described, tools: names };
  });
}

function describeGroup(own: readonly Tool[], name: string): GroupDraft {
  const names = own.map((tool) => tool.name);
  const description = descriptionOf(own);
  const values: Record<string, string> = {
    ...{ name, description, tools: excerpt(names.join(", "), 1000) },
  };
  const systemPrompt = promptTemplate.replace(/\{(\w+)\}/g, (whole, key) => values[key] ?? whole);
  return { name, description, systemPrompt: systemPrompt.trim(), tools: names };
}

function nameOf(own: readonly Tool[], likeness: Likeness, taken: ReadonlySet<string>): string {
  const base = listNames(ownersOf(own).map(titleCase), 3);
  const topics = mostFrequent(own.map(({ name }) => likeness.topicOf(name)).filter(Boolean));
  const long = [base, topics.slice(0, 2).map(titleCase).join(", ")].filter(Boolean).join(": ");
  return numbered(
    taken.has(groupKey(base)) ? long : base,
    " ",
    (name) => taken.has(groupKey(name)),
  );
}

function numbered(text: string, separator: string, isTaken: (text: string) => boolean): string {
  let found = text;
  for (let number = 2; isTaken(found); number++) found = `${text}${separator}${number}`;
  return found;
}

function mostFrequent(texts: readonly string[]): string[] {
  return [...Map.groupBy(texts, (text) => text)]
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
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const taken = new Set<string>();
  const groups = drafts.toSorted((a, b) => a.name < b.name ? -1 : 1).map((draft) => {
    const { complementarityScore: score = -1 } = draft;
    const id = idOf(draft.name, taken);
    taken.add(id);
    return {
      id,
      name: draft.name.trim(),
      description: draft.description.trim(),
      systemPrompt: draft.systemPrompt.trim(),
      ...score >= 0 && score <= 1 ? { complementarityScore: score } : {},
      tools: toolsOf(draft.tools, byName),
    };
  });
  const sorted = groups.toSorted((a, b) => a.id < b.id ? -1 : 1);
  return { version: groupsVersion, proposedBy, groups: sorted };
}

function toolsOf(names: readonly string[], byName: ReadonlyMap<string, Tool>): GroupedTool[] {
  return names.toSorted().map((name) => {
    const tool = byName.get(name)!;
    return { name, serverName: tool.owner.name, hash: toolHash(tool) };
  });
}

function idOf(name: string, taken: ReadonlySet<string>): string {
  const plain = name.normalize("NFKD").toLowerCase().replace(/[\u0300-\u036f]/g, "");
  const words = plain.replace(/[^a-z0-9]+/g, "_").slice(0, maxIdLength - 4);
  const base = words.replace(/^_|_$/g, "") || "group";
  return numbered(base, "_", (id) => taken.has(id));
}

function refuseCount({ length }: readonly Tool[]): void {
  if (length > 0 && length <= maxComparedTools) return;
  throw new FileError("No groups were made", {
    message: `${length} tools cannot be grouped: expected 1 to ${maxComparedTools}`,
    hint:
      `${climax()} list shows the tools of a config; a policy (--policy FILE) can leave some out`,
  });
}
