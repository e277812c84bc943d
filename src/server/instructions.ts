/** Writes the instructions for agents, which search no tools unless they are told what can be found. */

import { inOneLine } from "../text/escape.ts";
import { excerpt } from "../text/excerpt.ts";
import { plural } from "../text/plural.ts";
import type { ResultFormat } from "../catalog/compact.ts";
import type { CliSummary } from "../catalog/summary.ts";
import type { Tool } from "../tool/tool.ts";
import type { ToolTable } from "../catalog/tool_table.ts";

const maxLength = 2000;

const nameLength = 59;

const descriptionLength = 79;

/** At most this many tools of a server without a description are named, with this many characters together. */
const [maxNamed, namedLength] = [6, 200];

/** The names in the first sentence, which Codex shows its model without the rest, have at most this many characters. */
const headNamesLength = 120;

type OwnerKinds = Pick<ToolTable, "servers" | "scripts">;

interface InstructionFacts extends OwnerKinds {
  readonly tools?: readonly Pick<Tool, "name" | "owner" | "confinement">[] | undefined;
  readonly hasJobs?: boolean | undefined;
  readonly storesOutputs?: boolean | undefined;
}

const programsAlone: InstructionFacts = { servers: new Set(), scripts: new Set() };

const usage = usageWith("Each result has the tool's name and the schema of its arguments.");

const compactUsage = usageWith(
  "Each result is a line, `name(required, optional?: integer 1..9, preset = 5, …) effect: what it does`; an " +
    "argument without a type is text, `…` is what was left out. The exact name of a tool as `query` finds " +
    "its whole schema.",
);

function usageWith(results: string): string {
  return (
    "Find a tool with climax_search: describe the task in `query`, or narrow by `category` or `cli`. " +
    `${results} Then run it with climax_call: ` +
    "`tool_name` and `args` as the schema has them. Send several calls in one turn, such as edits and commit: they run in order until one fails. " +
    "A known tool needs no search: a refusal says what it takes."
  );
}

const featureUsage =
  "Prompts and resources of servers are found with `kind`, and run with climax_call too; a resource link is read as " +
  "`resource:` and its address.";

export function discoveryInstructions(
  clis: readonly CliSummary[],
  results: ResultFormat = "contract",
  facts: InstructionFacts = programsAlone,
): string {
  const words = results === "compact" ? compactUsage : usage;
  const hasFeatures = clis.some(({ prompt_count = 0, resource_count = 0 }) => {
    return prompt_count + resource_count > 0;
  });
  const more = hasFeatures ? ` ${featureUsage}` : "";
  const kinds = kindsOf(facts);
  const listed = kinds.length === 1 ? "command-line programs" : inWords(kinds);
  const head = `climax runs ${catalogueWords(clis, facts, headNamesLength)} through two tools.`;
  const last = `climax_search without arguments lists the ${listed}.${more}`;
  const text = [words, ...sessionWords(facts), last].join(" ");
  return withClis(head, clis, text, facts);
}

export function classicInstructions(
  clis: readonly CliSummary[],
  facts: InstructionFacts = programsAlone,
): string {
  const head = `climax runs ${
    catalogueWords(clis, facts, headNamesLength)
  }, each tool by its name.`;
  return withClis(head, clis, confinementWords(facts).join(" "), facts);
}

function sessionWords({ tools = [], hasJobs, storesOutputs }: InstructionFacts): string[] {
  const canScript = tools.some(({ name, owner }) => owner.isScripts && name === "script_run");
  return [
    ...(canScript ? ["To count, sort or sum outputs, or to loop: script_run."] : []),
    ...(hasJobs ? ["A slow call returns a job."] : []),
    ...(storesOutputs ? ["A long result says how to read on."] : []),
    ...confinementWords({ tools }),
  ];
}

function confinementWords({ tools = [] }: Pick<InstructionFacts, "tools">): string[] {
  const running = tools.filter(({ confinement }) => confinement !== undefined);
  const [words, ...others] = new Set(running.map(({ confinement }) => confinement!));
  if (words === undefined) return [];
  const names = listWithin(running.map(({ name }) => inOneLine(name)), namedLength);
  const held = others.length > 0 ? "Each says what confines it" : inOneLine(words);
  return [`These may run the project's own code: ${names}. ${excerpt(held, namedLength)}.`];
}

function kindsOf({ servers, scripts }: OwnerKinds): string[] {
  return [
    "programs",
    ...(servers.size === 0 ? [] : ["servers"]),
    ...(scripts.size === 0 ? [] : ["scripts"]),
  ];
}

function withClis(
  head: string,
  clis: readonly CliSummary[],
  usage: string,
  facts: InstructionFacts,
): string {
  const title = inWords(kindsOf(facts)).replace("p", "P");
  const categories = [...new Set(clis.flatMap(({ category }) => category ?? []))];
  const categoryLine = categories.length === 0
    ? ""
    : `Categories: ${listWithin(categories.map(inOneLine), 300)}`;
  const fixed = [head, categoryLine, usage].filter((part) => part !== "").join("\n\n");
  const room = maxLength - fixed.length - `\n\n${title}:\n`.length;
  const named = toolNames(clis, facts);
  const described = clis.map((cli) => describeCli(cli, named)).join("\n");
  // If the descriptions of programs do not fit in, only names are listed, because models know many programs
  const programs = described.length <= room ? described : listWithin(namesOf(clis), room);
  return [head, programs === "" ? "" : `${title}:\n${programs}`, categoryLine, usage]
    .filter((part) => part !== "").join("\n\n");
}

function toolNames(clis: readonly CliSummary[], { servers, tools = [] }: InstructionFacts) {
  const bare = clis.filter(({ name, description }) => description === "" && servers.has(name));
  if (bare.length === 0) return new Map();
  const byOwner = Map.groupBy(tools, ({ owner }) => owner.name);
  return new Map(bare.map(({ name }) => {
    const names = (byOwner.get(name) ?? []).slice(0, maxNamed).map((tool) => inOneLine(tool.name));
    return [name, listWithin(names, namedLength)];
  }));
}

function describeCli(cli: CliSummary, named: ReadonlyMap<string, string>): string {
  const description = named.get(cli.name) ?? excerpt(inOneLine(cli.description), descriptionLength);
  const count = plural(cli.tool_count, "tool");
  const about = description === "" ? count : `${description} (${count})`;
  return `- ${excerpt(inOneLine(cli.name), nameLength)}: ${about}`;
}

/** Writes `16 tools of 2 command-line programs (git, docker) and 1 MCP server (issues)`, names within `room`. */
export function catalogueWords(
  clis: readonly CliSummary[],
  { servers, scripts }: OwnerKinds,
  room: number,
): string {
  const tools = clis.reduce((sum, cli) => sum + cli.tool_count, 0);
  const isServer = ({ name }: CliSummary) => servers.has(name);
  const kinds = [
    ["command-line program", clis.filter((cli) => !isServer(cli) && !scripts.has(cli.name))],
    ["MCP server", clis.filter(isServer)],
  ] as const;
  const there = kinds.filter(([, owners]) => owners.length > 0);
  const share = Math.floor(room / Math.max(1, there.length));
  const counted = (there.length + scripts.size === 0 ? [kinds[0]] : there).map(([noun, owners]) => {
    const names = listWithin(namesOf(owners), share);
    return `${plural(owners.length, noun)}${names === "" ? "" : ` (${names})`}`;
  });
  const also = scripts.size === 0 ? [] : ["scripts"];
  return `${plural(tools, "tool")} of ${inWords([...counted, ...also])}`;
}

function inWords(parts: readonly string[]): string {
  return parts.length < 2 ? parts.join("") : `${parts.slice(0, -1).join(", ")} and ${parts.at(-1)}`;
}

function namesOf(clis: readonly CliSummary[]): readonly string[] {
  return clis.map(({ name }) => excerpt(inOneLine(name), nameLength));
}

function listWithin(items: readonly string[], room: number): string {
  for (let taken = Math.min(items.length, room); taken > 0; taken--) {
    const left = items.length - taken;
    const rest = left === 0 ? [] : [`… and ${left} more`];
    const text = [...items.slice(0, taken), ...rest].join(", ");
    if (text.length <= room) return text;
  }
  return "";
}
