/**
 * The instructions for agents at initialization, with the programs of the catalogue: an agent does not call a search
 * tool that does not say what it searches.
 */

import { inOneLine } from "../text/escape.ts";
import { excerpt } from "../text/excerpt.ts";
import { plural } from "../text/plural.ts";
import type { ResultFormat } from "../catalog/compact.ts";
import type { CliSummary } from "../catalog/summary.ts";

/** Most characters, for any number of programs. */
const maxLength = 2000;

/** Most characters of the name of a program. */
const nameLength = 59;

/** Most characters of the description of a program. */
const descriptionLength = 79;

const usage = usageWith("Each result has the tool's name and the schema of its arguments.");

const shortUsage = usageWith(
  "The first three results have the schema of their arguments; the exact name of a tool as `query` finds " +
    "that of another.",
);

const compactUsage = usageWith(
  "Each result is a line, `name(required, optional?: integer 1..9, preset = 5, …) effect: what it does`; an " +
    "argument without a type is text, `…` is what was left out. The exact name of a tool as `query` finds " +
    "its whole schema.",
);

function usageWith(results: string): string {
  return (
    "Find a tool with climax_search: describe the task in `query`, or narrow by `category` or `cli`. " +
    `${results} Then run it with climax_call: ` +
    "`tool_name` and `args` as the schema has them. climax_search without arguments lists the " +
    "command-line programs."
  );
}

const featureUsage =
  "Prompts and resources of servers are found with `kind`, and run with climax_call too; a resource link is read as " +
  "`resource:` and its address.";

/** Most characters of the names in the first sentence. */
const headNamesLength = 120;

/** Instructions for the two meta-tools. */
export function discoveryInstructions(
  clis: readonly CliSummary[],
  results: ResultFormat = "contract",
): string {
  const words = { contract: usage, short: shortUsage, compact: compactUsage }[results];
  const more = hasFeatures(clis) ? ` ${featureUsage}` : "";
  return withClis(`climax runs ${counts(clis)} through two tools.`, clis, words + more);
}

/** Instructions for classic mode. */
export function classicInstructions(clis: readonly CliSummary[]): string {
  return withClis(`climax runs ${counts(clis)}, each tool by its name.`, clis, "");
}

function hasFeatures(clis: readonly CliSummary[]): boolean {
  return clis.some(({ prompt_count = 0, resource_count = 0 }) => prompt_count + resource_count > 0);
}

function counts(clis: readonly CliSummary[]): string {
  const tools = clis.reduce((sum, cli) => sum + cli.tool_count, 0);
  const programs = `${plural(tools, "tool")} of ${plural(clis.length, "command-line program")}`;
  // Codex shows its model the first sentence; the rest only on request
  const names = listWithin(namesOf(clis), headNamesLength, ", ");
  return names === "" ? programs : `${programs} (${names})`;
}

function namesOf(clis: readonly CliSummary[]): readonly string[] {
  return clis.map(({ name }) => excerpt(inOneLine(name), nameLength));
}

/** The head, as many programs and categories as fit, and the usage, which always fits. */
function withClis(head: string, clis: readonly CliSummary[], usage: string): string {
  const categories = [...new Set(clis.flatMap(({ category }) => category ?? []))];
  const categoryLine = categories.length === 0
    ? ""
    : `Categories: ${listWithin(categories.map(inOneLine), 300, ", ")}`;
  const fixed = [head, categoryLine, usage].filter((part) => part !== "").join("\n\n");
  const room = maxLength - fixed.length - "\n\nPrograms:\n".length;
  const described = clis.map(describeCli).join("\n");
  // Names alone if descriptions do not fit: an agent knows many of them
  const programs = described.length <= room ? described : listWithin(namesOf(clis), room, ", ");
  return [head, programs === "" ? "" : `Programs:\n${programs}`, categoryLine, usage]
    .filter((part) => part !== "").join("\n\n");
}

function describeCli(cli: CliSummary): string {
  const description = excerpt(inOneLine(cli.description), descriptionLength);
  const count = plural(cli.tool_count, "tool");
  const about = description === "" ? count : `${description} (${count})`;
  return `- ${excerpt(inOneLine(cli.name), nameLength)}: ${about}`;
}

/** Items joined within `room` characters, with a count of those that did not fit. */
function listWithin(items: readonly string[], room: number, separator: string): string {
  const whole = items.join(separator);
  if (whole.length <= room) return whole;
  let text = "";
  for (const [taken, item] of items.entries()) {
    const rest = `${separator}… and ${items.length - taken} more`;
    const next = taken === 0 ? item : text + separator + item;
    if (next.length + rest.length > room) return text === "" ? "" : text + rest;
    text = next;
  }
  return text;
}
