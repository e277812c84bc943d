/** Checks drafts of groups: their limits, and their problems in words by which a model can correct them. */

import { excerpt, listNames, quote } from "../text/excerpt.ts";
import { plural } from "../text/plural.ts";

export interface GroupDraft {
  readonly name: string;
  readonly description: string;
  readonly systemPrompt: string;
  readonly complementarityScore?: number | undefined;
  readonly tools: readonly string[];
}

/** The bounds of sizes and number of groups, with the names that the config gives them. */
export interface GroupLimits {
  readonly minToolsPerGroup: number;
  readonly maxToolsPerGroup: number;
  readonly minGroups: number;
  readonly maxGroups: number;
}

/** Returns the limits closest to `asked` that `count` tools can meet if each is in one group, and warns of changes. */
export function feasibleLimits(asked: GroupLimits, count: number) {
  const { minToolsPerGroup: least, maxToolsPerGroup: most, minGroups, maxGroups } = asked;
  if (count < minGroups * least) {
    const groups = Math.max(1, Math.floor(count / least));
    return {
      limits: {
        minToolsPerGroup: Math.min(least, count),
        maxToolsPerGroup: Math.max(most, Math.ceil(count / groups)),
        minGroups: groups,
        maxGroups: groups,
      },
      warnings: [
        `${count} tools are too few for ${minGroups} groups of ${least}: there will be ${groups}`,
      ],
    };
  }
  if (count > maxGroups * most) {
    const size = Math.ceil(count / maxGroups);
    return {
      limits: { ...asked, maxToolsPerGroup: size },
      warnings: [
        `${count} tools are too many for ${maxGroups} groups of ${most}: ` +
        `groups will have up to ${size}`,
      ],
    };
  }
  for (let groups = minGroups; groups <= maxGroups; groups++) {
    if (groups * least <= count && count <= groups * most) return { limits: asked, warnings: [] };
  }
  // No number of groups meets all limits, so the least size of a group is lowered
  const groups = Math.ceil(count / most);
  const size = Math.floor(count / groups);
  return {
    limits: { ...asked, minToolsPerGroup: size },
    warnings: [`${count} tools do not make groups of ${least} to ${most}: some will have ${size}`],
  };
}

const listed = 30;

/** Returns the problems of `groups`, which must have all tools in `names`; none if the groups can be used. */
export function groupProblems(
  groups: readonly GroupDraft[],
  names: ReadonlySet<string>,
  limits: GroupLimits,
): string[] {
  const placed = new Set(groups.flatMap(({ tools }) => tools));
  const missing = names.difference(placed);
  return [
    ...countProblems(groups, limits),
    ...findRepeatedNames(groups),
    ...groups.flatMap((group) => problemsOf(group, names, limits)),
    ...(missing.size === 0
      ? []
      : [`${plural(missing.size, "tool")} in no group: ${list([...missing])}`]),
  ];
}

function problemsOf(group: GroupDraft, names: ReadonlySet<string>, limits: GroupLimits): string[] {
  const { name, tools, complementarityScore: score } = group;
  const where = `Group ${quote(name)}`;
  const problems = sizeProblems(group, limits);
  const unknown = new Set(tools).difference(names);
  if (unknown.size > 0) {
    problems.push(`${where} has tools that do not exist: ${list([...unknown])}`);
  }
  const repeated = new Set(tools.filter((tool, index) => tools.indexOf(tool) !== index));
  if (repeated.size > 0) problems.push(`${where} has tools twice: ${list([...repeated])}`);
  if (score !== undefined && !(score >= 0 && score <= 1)) {
    problems.push(`${where} has the complementarityScore ${score}, expected 0 to 1`);
  }
  return [...problems, ...findWordingProblems(group)];
}

/** Says how `groups`, which a person may have edited, miss the limits: number, size, or tools in two groups. */
export function limitProblems(
  groups: readonly {
    readonly name: string;
    readonly tools: readonly { readonly name: string }[];
  }[],
  limits: GroupLimits,
): string[] {
  const holders = Map.groupBy(
    groups.flatMap(({ name, tools }) => tools.map((tool) => ({ group: name, tool: tool.name }))),
    ({ tool }) => tool,
  );
  const repeated = [...holders].filter(([, held]) => held.length > 1).map(([tool]) => tool);
  const twice = repeated.length === 0 ? [] : [`In a group twice, or in two: ${list(repeated)}`];
  const sizes = groups.flatMap((group) => sizeProblems(group, limits));
  return [...countProblems(groups, limits), ...sizes, ...twice];
}

function countProblems({ length }: readonly unknown[], { minGroups, maxGroups }: GroupLimits) {
  if (length >= minGroups && length <= maxGroups) return [];
  return [`There are ${plural(length, "group")}, expected ${range(minGroups, maxGroups)}`];
}

function sizeProblems(
  { name, tools: { length } }: { readonly name: string; readonly tools: readonly unknown[] },
  { minToolsPerGroup: min, maxToolsPerGroup: max }: GroupLimits,
): string[] {
  if (length >= min && length <= max) return [];
  return [`Group ${quote(name)} has ${plural(length, "tool")}, expected ${range(min, max)}`];
}

function findRepeatedNames(groups: readonly GroupDraft[]): string[] {
  const names = groups.map(({ name }) => name.trim().toLowerCase());
  const repeated = groups.filter(({ name }, index) => {
    return names.indexOf(name.trim().toLowerCase()) !== index;
  });
  return repeated.map(({ name }) => `Two groups are named ${quote(name)}`);
}

/** Returns the problems of a group's texts: it needs a role, and a prompt that names the role and the tools. */
export function findWordingProblems({ name, description, systemPrompt }: GroupDraft): string[] {
  const where = `Group ${quote(name)}`;
  const problems: string[] = [];
  if (!/[\p{L}\p{N}]/u.test(name)) problems.push(`${where} has a name without letters or digits`);
  if (description.trim() === "") {
    problems.push(`${where} has no description, expected its role and what it can do`);
  }
  if (systemPrompt.trim() === "") {
    return [...problems, `${where} has no systemPrompt`];
  }
  if (!namesRole(systemPrompt, name, description)) {
    problems.push(`${where} has a systemPrompt that does not name its role (${quote(name)})`);
  }
  if (!/\btool/i.test(systemPrompt)) {
    problems.push(`${where} has a systemPrompt that does not say how to use the tools`);
  }
  return problems;
}

/** Returns whether the prompt has half of the words of the name, or of the description's first sentence. */
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

function list(names: readonly string[]): string {
  return listNames(names.map((name) => excerpt(name, 100)), listed);
}
