/** Checks drafts of groups, and words each problem so that a model or a person can correct the draft. */

import { excerpt, listNames, quote } from "../text/excerpt.ts";
import { plural } from "../text/plural.ts";
import type { ToolGroup } from "./groups.ts";

export interface GroupDraft {
  readonly name: string;
  readonly description: string;
  readonly systemPrompt: string;
  readonly complementarityScore?: number | undefined;
  readonly tools: readonly string[];
}

export interface GroupLimits {
  readonly minToolsPerGroup: number;
  readonly maxToolsPerGroup: number;
  readonly minGroups: number;
  readonly maxGroups: number;
}

export function draftOf(group: ToolGroup): GroupDraft {
  return { ...group, tools: group.tools.map(({ name }) => name) };
}

export function feasibleLimits(asked: GroupLimits, count: number) {
  const { minToolsPerGroup: least, maxToolsPerGroup: most, minGroups, maxGroups } = asked;
  const fewest = Math.max(minGroups, Math.ceil(count / most));
  if (fewest <= Math.min(maxGroups, Math.floor(count / least))) {
    return { limits: asked, warnings: [] };
  }
  const groups = Math.max(1, Math.min(maxGroups, Math.floor(count / least)));
  const limits: GroupLimits = {
    minToolsPerGroup: Math.min(least, count),
    maxToolsPerGroup: Math.max(most, Math.ceil(count / groups)),
    minGroups: groups,
    maxGroups: groups,
  };
  const wanted = `${range(minGroups, maxGroups)} groups of ${range(least, most)}`;
  const made = `${plural(groups, "group")} of at most ${limits.maxToolsPerGroup}`;
  return { limits, warnings: [`${count} tools do not make ${wanted}: there will be ${made}`] };
}

const listed = 30;

export function groupProblems(
  groups: readonly GroupDraft[],
  names: ReadonlySet<string>,
  limits: GroupLimits,
): string[] {
  const titles = groups.map(({ name }) => groupKey(name));
  const missing = names.difference(new Set(groups.flatMap(({ tools }) => tools)));
  return [
    ...limitProblems(groups, limits),
    ...groups.filter((_, at) => titles.indexOf(titles[at]!) !== at)
      .map(({ name }) => `Two groups are named ${quote(name)}`),
    ...groups.flatMap(({ name, tools }) => {
      const unknown = new Set(tools).difference(names);
      return unknown.size === 0
        ? []
        : [`Group ${quote(name)} has tools that do not exist: ${list(unknown)}`];
    }),
    ...groups.flatMap(wordingProblems),
    ...missing.size === 0 ? [] : [`${plural(missing.size, "tool")} in no group: ${list(missing)}`],
  ];
}

export function limitProblems(groups: readonly GroupDraft[], limits: GroupLimits): string[] {
  const { minToolsPerGroup: least, maxToolsPerGroup: most, minGroups, maxGroups } = limits;
  const isCountGood = groups.length >= minGroups && groups.length <= maxGroups;
  const count = `There are ${plural(groups.length, "group")}, expected`;
  return [
    ...isCountGood ? [] : [`${count} ${range(minGroups, maxGroups)}`],
    ...groups.flatMap(({ name, tools }) => {
      const where = `Group ${quote(name)} has`;
      const isSizeGood = tools.length >= least && tools.length <= most;
      const size = `${where} ${plural(tools.length, "tool")}, expected ${range(least, most)}`;
      const repeated = new Set(tools.filter((tool, at) => tools.indexOf(tool) !== at));
      return [
        ...isSizeGood ? [] : [size],
        ...repeated.size === 0 ? [] : [`${where} tools twice: ${list(repeated)}`],
      ];
    }),
  ];
}

export function groupKey(name: string): string {
  return name.trim().toLowerCase();
}

/** Returns the problems of a group's texts: it needs a role, and a prompt that names the role and the tools. */
export function wordingProblems({ name, description, systemPrompt }: GroupDraft): string[] {
  const faults: readonly (readonly [isWrong: boolean, words: string])[] = [
    [!/[\p{L}\p{N}]/u.test(name), "a name without letters or digits"],
    [description.trim() === "", "no description, expected its role and what it can do"],
    [systemPrompt.trim() === "", "no systemPrompt"],
    [
      !namesRole(systemPrompt, name, description),
      `a systemPrompt that does not name its role (${quote(name)})`,
    ],
    [!/\btool/i.test(systemPrompt), "a systemPrompt that does not say how to use the tools"],
  ];
  return faults.flatMap(([isWrong, words]) => isWrong ? [`Group ${quote(name)} has ${words}`] : []);
}

/** Returns whether a system prompt has half of the words of the group's name, or of its description's first sentence. */
function namesRole(systemPrompt: string, name: string, description: string): boolean {
  const prompt = systemPrompt.toLowerCase();
  return [name, description.split(/[.!?]/)[0]!].some((role) => {
    const words = role.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) ?? [];
    return words.length > 0 &&
      words.filter((word) => prompt.includes(word)).length * 2 >= words.length;
  });
}

function range(least: number, most: number): string {
  return least === most ? String(least) : `${least} to ${most}`;
}

function list(names: ReadonlySet<string>): string {
  return listNames([...names].map((name) => excerpt(name, 100)), listed);
}
